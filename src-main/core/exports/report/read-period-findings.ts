import type { Finding } from '../../../common/model/analysis/finding.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { readFindings } from '../../findings/read-findings.ts';
import type { ReportParts } from './report-parts.ts';
import type { ReportFindings } from './report-content.ts';

const DAY_MS = 86_400_000;
/** Findings reach back a day from where they are asked for; longer periods are asked day by day, from their end. */
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
  parts: Pick<ReportParts, 'cache' | 'engine' | 'now'>,
  { connectionId, report, fromMs, toMs }: FindingsPeriod,
  signal: AbortSignal,
): Promise<ReportFindings> {
  const nowMs = parts.now();
  const endMs = Math.min(toMs, nowMs);
  const firstMs = Math.max(fromMs, endMs - MAX_DAYS * DAY_MS);
  const direction = report === 'inbound-detail' ? 'inbound' : 'outbound';
  const list: Finding[] = [];
  let gaps: ReportFindings['gaps'] = [];
  for (let untilMs = endMs; untilMs > firstMs; untilMs -= DAY_MS) {
    signal.throwIfAborted();
    const { findings, resolved, gaps: missing } = await readFindings(parts, connectionId, nowMs, untilMs);
    if (untilMs === endMs) gaps = missing.filter((gap) => gap.direction === direction);
    for (const finding of [...findings, ...resolved]) {
      const isWithin = finding.sinceMs < endMs && (finding.endedMs ?? finding.untilMs) > firstMs;
      const isOwn = finding.directions.includes(direction);
      // The later question knows how it ended.
      if (isWithin && isOwn && !list.some((later) => isSame(later, finding))) list.push(finding);
    }
  }
  list.sort((a, b) => b.sinceMs - a.sinceMs);
  return { list, fromMs: firstMs, toMs: Math.max(firstMs, endMs), gaps };
}

/** The same incident, asked for at another time, may have begun or ended some minutes apart. */
function isSame(a: Finding, b: Finding): boolean {
  if (a.kind !== b.kind || a.part !== b.part || a.channel !== b.channel || a.service !== b.service)
    return false;
  return a.sinceMs < (b.endedMs ?? b.untilMs) && b.sinceMs < (a.endedMs ?? a.untilMs);
}
