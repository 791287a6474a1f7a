import type { DetailKind } from '../../../common/reporting/reports.ts';
import { DAY_MS } from '../../../common/time/durations.ts';
import { readFindings } from '../../findings/read-findings.ts';
import type { ReportParts } from './report-parts.ts';
import type { ReportFindings } from './report-content.ts';

/** What is looked at of a longer period: its end. */
const MAX_DAYS = 7;

interface FindingsPeriod {
  readonly connectionId: string;
  readonly report: DetailKind;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Returns what stood out in a report's direction during a period, of all traffic of the connection: in its last seven
 * days where it is longer. What is still going on at the period's end is told as it was then.
 */
export async function readPeriodFindings(
  parts: Pick<ReportParts, 'cache' | 'engine' | 'ledger' | 'now'>,
  { connectionId, report, fromMs, toMs }: FindingsPeriod,
  signal: AbortSignal,
): Promise<ReportFindings> {
  const nowMs = parts.now();
  const endMs = Math.min(toMs, nowMs);
  const firstMs = Math.max(fromMs, endMs - MAX_DAYS * DAY_MS);
  const direction = report === 'inbound-detail' ? 'inbound' : 'outbound';
  signal.throwIfAborted();
  const shownMs = Math.max(DAY_MS, endMs - firstMs);
  const found = await readFindings(parts, connectionId, nowMs, { untilMs: endMs, shownMs });
  const list = [...found.findings, ...found.resolved]
    .filter(({ sinceMs, endedMs, untilMs, directions }) => {
      const isWithin = sinceMs < endMs && (endedMs ?? untilMs) > firstMs;
      return isWithin && directions.includes(direction);
    })
    .sort((a, b) => b.sinceMs - a.sinceMs);
  const gaps = found.gaps.filter((gap) => gap.direction === direction);
  return { list, fromMs: firstMs, toMs: Math.max(firstMs, endMs), gaps };
}
