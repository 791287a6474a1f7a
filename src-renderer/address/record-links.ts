import type { LocationQueryRaw, RouteLocationRaw } from 'vue-router';
import type { FieldCondition } from '../../src-main/common/model/records/record-filter.ts';
import { DAY_MS, SECOND_MS } from '../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../src-main/common/time/time-span.ts';
import type { Finding } from '../../src-main/common/model/analysis/finding.ts';
import { isGroup } from '../../src-main/common/query/filter-tree.ts';
import type { Direction } from '../../src-main/common/reporting/reports.ts';
import { toAddress } from '../filters/filter.ts';
import { toPeriodText } from '../period/period-selection.ts';
import type { Snapshot } from '../../src-main/common/model/cache/snapshot.ts';

/** Fields that say how a request ended. */
const OUTCOMES: readonly string[] = ['outcome', 'responseCode', 'error', 'errorFamily', 'responseTimeMs'];

/** Returns the address that shows exactly the records of a finding in a direction, by default the one that shows it best. */
export function toFindingTarget(
  finding: Finding,
  direction: Direction = finding.directions[0] ?? 'inbound',
): RouteLocationRaw {
  return toRecords({ ...finding, directions: [direction] }, {});
}

/** Returns the address that shows the conversations with a record of a finding. */
export function toFindingConversations({ directions, filter }: Finding): RouteLocationRaw {
  const [only] = directions;
  const of = directions.length === 1 && only !== undefined ? { of: only } : {};
  return { path: '/conversations', query: { ...toAddress(filter), ...of } };
}

/** Returns the address that explains the time of a finding: all requests at its place, against those of other times. */
export function toFindingExplanation(finding: Finding): RouteLocationRaw {
  // With its failures alone nothing but failures would be compared, of which other times have too few.
  const conditions = finding.filter.conditions.filter(
    (part) => isGroup(part) || !OUTCOMES.includes(part.field),
  );
  return toRecords({ ...finding, filter: { conditions } }, { explain: '1' });
}

/** Returns the address that shows the records of a place in a direction in a span, whatever became of them. */
export function toRecordsOfPlace(
  direction: Direction,
  place: readonly FieldCondition[],
  { fromMs, toMs }: TimeSpan,
): RouteLocationRaw {
  const conditions = [...place, { field: 'dateMs' as const, min: fromMs, max: toMs }];
  return { path: `/${direction}/detail`, query: toAddress({ conditions }) };
}

/** Returns the address that shows the incident of a finding, in a period that holds it. */
export function toIncident(
  { id, sinceMs, endedMs, untilMs }: Pick<Finding, 'id' | 'sinceMs' | 'endedMs' | 'untilMs'>,
  nowMs: number,
): RouteLocationRaw {
  return {
    path: '/incidents',
    query: { ...toPeriodOf({ fromMs: sinceMs, toMs: endedMs ?? untilMs }, nowMs), incident: id },
  };
}

/** Returns the address that shows the incidents of the days of a span. */
export function toIncidentsOf(span: TimeSpan, nowMs: number): RouteLocationRaw {
  return { path: '/incidents', query: toPeriodOf(span, nowMs) };
}

/** What is of the last day is shown with all of it, and moves with the clock; else the days of a span, which are kept. */
function toPeriodOf({ fromMs, toMs }: TimeSpan, nowMs: number): { period: string } {
  if (fromMs >= nowMs - DAY_MS) return { period: toPeriodText({ kind: 'preset', preset: 'last-24-hours' }) };
  const days = {
    fromMs: Math.floor(fromMs / DAY_MS) * DAY_MS,
    toMs: Math.min(nowMs, Math.ceil(toMs / DAY_MS) * DAY_MS) - SECOND_MS,
  };
  return { period: toPeriodText({ kind: 'custom', ...days }) };
}

function toRecords({ directions, filter }: Finding, more: LocationQueryRaw): RouteLocationRaw {
  return { path: `/${directions[0] ?? 'inbound'}/detail`, query: { ...toAddress(filter), ...more } };
}

/**
 * Returns the address of the screen that shows a snapshot; a summary is found by its period. With the period in the
 * address it is one step: chosen apart, the period would take the place of the snapshot.
 */
export function toSnapshotAddress({ id, connectionId, report, period }: Snapshot) {
  const [direction, kind] = report.split('-');
  const path = `/${direction ?? 'inbound'}/${kind ?? 'detail'}`;
  const { fromMs, toMs } = period;
  return {
    path: kind === 'detail' ? `${path}/${id}` : path,
    query: { connection: connectionId, period: toPeriodText({ kind: 'custom', fromMs, toMs }) },
  };
}
