import {
  DEFAULT_EVIDENCE,
  MAX_EVIDENCE_SESSIONS,
  type EvidenceOptions,
} from '../../../../../src-main/common/model/exports/evidence-options.ts';
import { MAX_SESSION_ID_CHARACTERS } from '../../../../../src-main/common/model/records/session.ts';
import type { RecordFilter } from '../../../../../src-main/common/model/records/record-filter.ts';

/**
 * The choices for a new pack, with the sessions that the records are filtered by. They are not those of last time:
 * what leaves is decided for each pack.
 */
export function createEvidenceChoices(filter: RecordFilter | undefined): EvidenceOptions {
  const sessionIds = (filter?.conditions ?? []).flatMap(({ field, exclude, values = [] }) =>
    field === 'sessionId' && exclude !== true ? values.map((value) => String(value ?? '')) : [],
  );
  return { ...DEFAULT_EVIDENCE, sessionIds: tidySessionIds(sessionIds) };
}

/** Reads the ids of sessions from a text, one a line or with commas between. */
export function readSessionIds(text: string): string[] {
  return tidySessionIds(text.split(/[\n,;]/));
}

function tidySessionIds(ids: readonly string[]): string[] {
  const tidy = ids.map((id) => id.trim()).filter((id) => id !== '' && id.length <= MAX_SESSION_ID_CHARACTERS);
  return [...new Set(tidy)].slice(0, MAX_EVIDENCE_SESSIONS);
}
