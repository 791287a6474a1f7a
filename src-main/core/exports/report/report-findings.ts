import type { DetailKind } from '../../../common/reporting/reports.ts';
import { listSetAside } from '../../../common/model/connections/planned-spans.ts';
import { readPeriodFindings } from '../../findings/read-findings.ts';
import { withoutDismissed } from '../../findings/to-incidents.ts';
import type { ReportParts } from './report-parts.ts';
import type { ReportFindings } from './report-content.ts';

interface FindingsPeriod {
  readonly connectionId: string;
  readonly report: DetailKind;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Returns what stood out in a report's direction during a period, of all traffic of the connection. What is still going
 * on at the period's end is told as it was then.
 */
export async function readReportFindings(
  parts: Pick<ReportParts, 'cache' | 'engine' | 'ledger' | 'now' | 'findConnection'>,
  { connectionId, report, fromMs, toMs }: FindingsPeriod,
  signal: AbortSignal,
): Promise<ReportFindings> {
  const nowMs = parts.now();
  const endMs = Math.max(fromMs, Math.min(toMs, nowMs));
  const direction = report === 'inbound-detail' ? 'inbound' : 'outbound';
  signal.throwIfAborted();
  const { incidents = [], plans } = parts.findConnection(connectionId) ?? {};
  const setAside = listSetAside(plans, { fromMs, toMs: endMs });
  const found = withoutDismissed(
    await readPeriodFindings(parts, connectionId, nowMs, { fromMs, toMs: endMs, setAside, signal }),
    incidents,
  );
  const list = [...found.findings, ...found.resolved]
    .filter(({ directions }) => directions.includes(direction))
    .sort((a, b) => b.sinceMs - a.sinceMs);
  const gaps = found.gaps.filter((gap) => gap.direction === direction);
  const { noticed } = found;
  return { list, fromMs, toMs: endMs, gaps, ...(noticed === undefined ? {} : { noticed }) };
}
