import type { Input } from '../../../common/contract/index.ts';
import type { Finding } from '../../../common/model/analysis/finding.ts';
import { DEFAULT_EVIDENCE, type EvidenceOptions } from '../../../common/model/exports/export-options.ts';
import { toEndMs } from '../../../common/model/period.ts';
import type { RecordFilter } from '../../../common/model/records/record-filter.ts';
import type { Session } from '../../../common/model/records/conversation.ts';
import { isTooLarge } from '../../../common/query/filter-tree.ts';
import { REPORTS, type DetailKind } from '../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import type { Engine } from '../../analysis/engine/create-engine.ts';
import { feedRecords, type ExportCache, type ExportEngine } from '../export-source.ts';
import { describeExport, type ExportSubject } from '../export-subject.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import type { ReportFindings } from '../report/report-content.ts';
import type { ReportParts } from '../report/read-report.ts';
import type { RowWriter } from '../thread/create-row-writer.ts';
import { createMasks } from './masking/create-masks.ts';
import { listKnownClients } from './masking/export-masks.ts';
import { createKnownClients, createPseudonyms } from './masking/known-clients.ts';
import type { Masks } from './masking/masks.ts';
import type { PackJob } from './packing/pack-operations.ts';
import type { PackSigner } from './signing/pack-signature.ts';

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

/** What evidence packs are made from. */
export interface EvidenceParts extends ReportParts {
  readonly cache: ReportParts['cache'] & ExportCache;
  readonly engine: ReportParts['engine'] &
    ExportEngine &
    Pick<Engine, 'readSession' | 'listClients' | 'listFamilyNames'>;
  readonly rowWriter: Pick<RowWriter, 'withPack'>;
  readonly packSigner: PackSigner;
}

/** What a pack's filter lets through of other records than those that were asked for. */
interface Within extends TimeSpan {
  readonly filter: RecordFilter;
}

/** The restriction that holds for everything in a pack; undefined where there is no filter. */
function toWithin({ subject, input }: Pick<EvidenceQuestion, 'subject' | 'input'>): Within | undefined {
  const { filter } = input;
  if (!isFilteredPack({ input })) return undefined;
  return { filter, fromMs: subject.period.fromMs, toMs: toEndMs(subject.period) };
}

/** Reads a session, or of it what the pack's filter lets through. Throws `analysis.*`. */
export function readSessionWithin(
  question: EvidenceQuestion,
  { sessionId, limit }: { readonly sessionId: string; readonly limit: number },
  signal: AbortSignal,
): Promise<Session> {
  const { connectionId } = question.subject;
  const within = toWithin(question);
  const asked = { connectionId, sessionId, limit, ...(within === undefined ? {} : { within }) };
  return question.parts.engine.readSession(asked, { signal });
}

/**
 * Returns the findings that a pack may show: with a filter, those whose records all match it. What would have been
 * noticed is left out then, since it names channels. Throws `analysis.*`.
 */
export async function limitFindings(
  question: EvidenceQuestion,
  found: ReportFindings,
  signal: AbortSignal,
): Promise<ReportFindings> {
  const within = toWithin(question);
  if (within === undefined) return found;
  const list: Finding[] = [];
  for (const finding of found.list) {
    if (!(await isWithin(question, within, finding, signal))) continue;
    const examples = [];
    for (const example of finding.examples) {
      const { inbound, outbound } = await readSessionWithin(question, { ...example, limit: 0 }, signal);
      if (inbound.requests + outbound.requests > 0) examples.push(example);
    }
    list.push({ ...finding, examples });
  }
  const { fromMs, toMs, gaps } = found;
  return { list, fromMs, toMs, gaps, leftOut: found.list.length - list.length };
}

/** Records of the direction that a pack doesn't ask for. */
interface OtherDirection {
  readonly report: DetailKind;
  readonly ids: readonly number[];
}

/**
 * Finds the other direction's records of findings that show in both, once each, the oldest finding first: those of the
 * period that the filter lets through. Throws `analysis.*`.
 */
export async function findOtherDirection(
  { parts, subject, report, input }: EvidenceQuestion,
  findings: readonly Finding[],
  signal: AbortSignal,
): Promise<OtherDirection> {
  const other: DetailKind = report === 'inbound-detail' ? 'outbound-detail' : 'inbound-detail';
  const { connectionId, period } = subject;
  const scope = { connectionId, report: other, fromMs: period.fromMs, toMs: toEndMs(period) };
  const ids = new Set<number>();
  for (const finding of findings.toReversed()) {
    const filter = join(finding.filter, input.filter);
    if (!finding.directions.includes(REPORTS[other].direction) || isTooLarge(filter)) continue;
    const order = [{ column: 'received' as const, descending: false }];
    const asked = { report: other, input: { ...input, scope, filter, order }, names: [] };
    await feedRecords(parts, asked).open(signal, async ({ batches }) => {
      for await (const batch of batches) {
        if (batch.kind === 'records') for (const id of batch.ids) ids.add(id);
      }
    });
  }
  return { report: other, ids: [...ids] };
}

function join(one: RecordFilter, other: RecordFilter): RecordFilter {
  return { conditions: [...one.conditions, ...other.conditions] };
}

/** Whether all records of a finding match the filter; one without records must have been asked for in so many words. */
async function isWithin(
  { parts, subject, input }: EvidenceQuestion,
  { filter, fromMs, toMs }: Within,
  finding: Finding,
  signal: AbortSignal,
): Promise<boolean> {
  const both = join(finding.filter, filter);
  if (isTooLarge(both)) return false;
  let count = 0;
  for (const direction of finding.directions) {
    const report = `${direction}-detail` as const;
    const span = { fromMs: Math.min(fromMs, finding.sinceMs), toMs: Math.max(toMs, finding.untilMs) };
    const scope = { connectionId: subject.connectionId, report, ...span };
    const countMatching = (own: RecordFilter): Promise<number> =>
      feedRecords(parts, {
        report,
        input: { ...input, scope, filter: own, order: [{ column: 'received', descending: false }] },
        names: [],
      }).open(signal, ({ rowCount }) => Promise.resolve(rowCount));
    const all = await countMatching(finding.filter);
    if ((await countMatching(both)) < all) return false;
    count += all;
  }
  const said = new Set(finding.filter.conditions.map((part) => JSON.stringify(part)));
  return count > 0 || filter.conditions.every((part) => said.has(JSON.stringify(part)));
}
