import { hash } from 'node:crypto';
import { toEndMs } from '../../common/model/period.ts';
import type { DatasetReport } from '../../common/model/exports/dataset.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { CoverageSpan } from '../coverage/coverage-spans.ts';

/** Raised when the same records would be written otherwise: every day is written anew then. */
const LAYOUT = 1;

/** A day that the cache has something of. */
export interface CachedDay extends TimeSpan {
  readonly report: DatasetReport;
  /** The day in UTC, such as `2026-11-20`; null for records without a date that could be read. */
  readonly date: string | null;
  readonly state: 'complete' | 'incomplete';
  /** Changes with what the cache holds of the day. */
  readonly source: string;
}

/**
 * Lists the days that the snapshots of a connection hold of a report, then what has no day. A day is complete once nothing
 * of it can change any more.
 */
export async function planDays(
  snapshots: readonly Snapshot[],
  report: DatasetReport,
  readSpans: (span: TimeSpan) => Promise<readonly CoverageSpan[]>,
): Promise<CachedDay[]> {
  const own = snapshots.filter((snapshot) => snapshot.report === report);
  const dates = new Set<number>();
  for (const { period } of own) {
    for (let atMs = startOfDay(period.fromMs); atMs < toEndMs(period); atMs += DAY_MS) dates.add(atMs);
  }
  const days = [...dates].sort((a, b) => a - b);
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return [];
  const spans = await readSpans({ fromMs: first, toMs: last + DAY_MS });
  const unsettled = spans.filter(({ state }) => state !== 'settled');
  const toDay = (date: string | null, fromMs: number, toMs: number): CachedDay => {
    const within = own.filter(({ period }) => period.fromMs < toMs && toEndMs(period) > fromMs);
    const isOpen = unsettled.some((span) => span.fromMs < toMs && span.toMs > fromMs);
    const state = isOpen ? 'incomplete' : 'complete';
    return { report, date, fromMs, toMs, state, source: toSource(within) };
  };
  return [
    ...days.map((fromMs) => toDay(new Date(fromMs).toISOString().slice(0, 10), fromMs, fromMs + DAY_MS)),
    toDay(null, first, last + DAY_MS),
  ];
}

function startOfDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
}

function toSource(snapshots: readonly Snapshot[]): string {
  const parts = snapshots.map(({ id, recordCount, reading, state, startedAtMs, period }) => [
    ...[id, recordCount, reading, state, startedAtMs, period.fromMs, period.toMs],
  ]);
  return hash('sha256', JSON.stringify([LAYOUT, parts.map(String).sort()])).slice(0, 32);
}
