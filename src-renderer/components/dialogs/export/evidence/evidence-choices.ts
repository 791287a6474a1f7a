import {
  MAX_EVIDENCE_SESSIONS,
  type EvidenceOptions,
} from '../../../../../src-main/common/model/exports/evidence-options.ts';
import { MAX_SESSION_ID_CHARACTERS } from '../../../../../src-main/common/model/records/session.ts';
import { listFinding } from '../../../../../src-main/common/query/filter-tree.ts';
import type { RecordFilter } from '../../../../../src-main/common/model/records/record-filter.ts';

/** The sessions of a pack; they are chosen for each one anew. */
export type EvidenceSessions = Pick<EvidenceOptions, 'sessionIds' | 'withFindingSessions'>;

/** The sessions for a new pack: those that the records are filtered by, and those of the findings. */
export function createEvidenceSessions(filter: RecordFilter | undefined): EvidenceSessions {
  const found = filter === undefined ? [] : listFinding(filter);
  const sessionIds = found.flatMap(({ field, values = [], anyCase = [] }) =>
    field === 'sessionId' ? [...values.map((value) => String(value ?? '')), ...anyCase] : [],
  );
  return { sessionIds: tidySessionIds(sessionIds), withFindingSessions: true };
}

/** Reads the ids of sessions from a text, one a line or with commas between. */
export function readSessionIds(text: string): string[] {
  return tidySessionIds(text.split(/[\n,;]/));
}

function tidySessionIds(ids: readonly string[]): string[] {
  const tidy = ids.map((id) => id.trim()).filter((id) => id !== '' && id.length <= MAX_SESSION_ID_CHARACTERS);
  return [...new Set(tidy)].slice(0, MAX_EVIDENCE_SESSIONS);
}
