import type { Input } from '../../../common/contract/index.ts';
import { DEFAULT_EVIDENCE, type EvidenceOptions } from '../../../common/model/exports/evidence-options.ts';
import type { Finding } from '../../../common/model/analysis/finding.ts';
import type { RecordFilter } from '../../../common/model/records/record-filter.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { describeExport } from '../describe-export.ts';
import type { ExportSubject } from '../export-subject.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import type { EvidenceParts } from './evidence-parts.ts';
import { createMasks } from './masking/create-masks.ts';
import { listKnownClients } from './masking/export-masks.ts';
import type { Masks } from './masking/masks.ts';
import { createKnownClients } from './masking/known-clients.ts';
import { createPseudonyms } from './masking/pseudonyms.ts';
import type { PackJob } from './packing/pack-operations.ts';

/** Sessions that are taken from findings. */
const MAX_FINDING_SESSIONS = 20;

/** What a pack is asked for. */
export interface EvidenceQuestion {
  readonly parts: EvidenceParts;
  readonly subject: ExportSubject;
  readonly report: DetailKind;
  /** With payloads, which errors are compared with also where they are left out. */
  readonly input: Input<'exports/start'>;
  readonly options: EvidenceOptions;
  /** Kept in memory only. */
  readonly pseudonymKey: Uint8Array;
}

/** Says what a pack is asked for; it has the columns of every other file, under the service's names. */
export function toEvidenceQuestion(
  parts: EvidenceParts,
  subject: ExportSubject,
  input: Input<'exports/start'>,
  pseudonymKey: Uint8Array,
): EvidenceQuestion {
  const { evidence: options = DEFAULT_EVIDENCE } = input;
  const report = subject.report as DetailKind;
  return {
    parts,
    subject,
    report,
    input: { ...input, includePayload: true, layout: {} },
    options,
    pseudonymKey,
  };
}

/** Makes the masks of a pack here, for what is shown of it; see `listKnownClients`. Throws `analysis.*`. */
export async function openMasks(question: EvidenceQuestion, signal: AbortSignal): Promise<Masks> {
  const known = createKnownClients();
  for await (const clients of listKnownClients(question, signal))
    for (const client of clients) known.add(client);
  const toPseudonym = createPseudonyms(question.pseudonymKey);
  return createMasks(question.options.masking, known, toPseudonym, isFilteredPack(question));
}

/** Whether a filter leaves records out: then nothing of these may stand anywhere in the pack. */
export function isFilteredPack({ input }: Pick<EvidenceQuestion, 'input'>): boolean {
  return input.filter.conditions.length > 0;
}

/** What the pack is begun with, in the thread that writes it. */
export function toPackJob(question: EvidenceQuestion, path: string): PackJob {
  const { parts, options, pseudonymKey } = question;
  const isFiltered = isFilteredPack(question);
  return { path, masking: options.masking, pseudonymKey, modifiedMs: parts.now(), isFiltered };
}

/** What the pack says of its records; `filter` is masked. Families of errors are known once the records were masked. */
export function describeEvidence(
  { subject, input }: Pick<EvidenceQuestion, 'subject' | 'input'>,
  filter: RecordFilter,
  recordCount: number,
  nowMs: number,
): ExportAbout {
  return describeExport(subject, { ...input, filter }, recordCount, nowMs);
}

/** The sessions to write, those that were asked for first, and how many of the findings' are not among them. */
export function listSessions(
  { sessionIds, withFindingSessions }: EvidenceOptions,
  findings: readonly Pick<Finding, 'examples'>[],
): { readonly sessionIds: readonly string[]; readonly leftOut: number } {
  const chosen = new Set(sessionIds);
  if (!withFindingSessions) return { sessionIds: [...chosen], leftOut: 0 };
  const examples = findings.flatMap((finding) => finding.examples.map(({ sessionId }) => sessionId));
  const found = [...new Set(examples)].filter((sessionId) => sessionId !== '' && !chosen.has(sessionId));
  return {
    sessionIds: [...chosen, ...found.slice(0, MAX_FINDING_SESSIONS)],
    leftOut: Math.max(0, found.length - MAX_FINDING_SESSIONS),
  };
}
