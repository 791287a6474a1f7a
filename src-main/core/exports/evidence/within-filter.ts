import { toEndMs } from '../../../common/model/period.ts';
import type { Finding } from '../../../common/model/analysis/finding.ts';
import type { RecordFilter } from '../../../common/model/records/record-filter.ts';
import type { Session } from '../../../common/model/records/session.ts';
import { isTooLarge } from '../../../common/query/filter-tree.ts';
import { REPORTS, type DetailKind } from '../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { feedRecords } from '../export-source.ts';
import type { ReportFindings } from '../report/report-content.ts';
import { isFilteredPack, type EvidenceQuestion } from './evidence-question.ts';

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
export interface OtherDirection {
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
