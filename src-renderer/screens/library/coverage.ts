import type { Snapshot } from '../../../src-main/common/model/snapshot.ts';
import { REPORT_KINDS, type ReportKind } from '../../../src-main/common/reporting/report-identifiers.ts';
import { civilToUtcMs, utcMsToCivil } from '../../../src-main/common/time/civil-time.ts';
import { fromCivilTime, toCivilTime } from '../../../src-main/common/time/time-zones.ts';

const DAY_MS = 86_400_000;

export type CoverageState = 'complete' | 'partial' | 'failed' | 'none';

export interface CoverageCell {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly state: CoverageState;
  /** Of the day, 0 to 1. */
  readonly share: number;
}

export interface CoverageRow {
  readonly report: ReportKind;
  readonly cells: readonly CoverageCell[];
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Which of the last days are cached, for each report; days are those of the service's zone, oldest first. */
export function toCoverage(
  snapshots: readonly Snapshot[],
  zone: string,
  nowMs: number,
  dayCount: number,
): CoverageRow[] {
  const days = toDays(nowMs, zone, dayCount);
  return REPORT_KINDS.map((report) => {
    const own = snapshots.filter((snapshot) => snapshot.report === report);
    const cached = collectCachedSpans(own);
    const failed = own
      .filter((snapshot) => snapshot.state === 'failed')
      .map((snapshot) => ({ fromMs: snapshot.period.fromMs, toMs: snapshot.period.toMs + 1000 }));
    return { report, cells: days.map((day) => toCell(day, cached, failed)) };
  });
}

function toCell(day: Span, cached: readonly Span[], failed: readonly Span[]): CoverageCell {
  const covered = cached.reduce((sum, span) => sum + overlapMs(day, span), 0);
  const share = covered / (day.toMs - day.fromMs);
  if (share >= 1) return { ...day, state: 'complete', share: 1 };
  if (share > 0) return { ...day, state: 'partial', share };
  const hasFailed = failed.some((span) => overlapMs(day, span) > 0);
  return { ...day, state: hasFailed ? 'failed' : 'none', share: 0 };
}

function overlapMs(a: Span, b: Span): number {
  return Math.max(0, Math.min(a.toMs, b.toMs) - Math.max(a.fromMs, b.fromMs));
}

/**
 * What a snapshot holds of its period. Records come oldest first (decision 9), so a download that is not
 * finished holds the beginning, in proportion to its records; one that may lack records never counts whole.
 */
function toCachedSpans(snapshot: Snapshot): Span[] {
  const fromMs = snapshot.period.fromMs;
  const endMs = snapshot.period.toMs + 1000;
  if (snapshot.state === 'complete') {
    const toMs = snapshot.stillOpen ? Math.min(endMs, snapshot.fetchedAtMs ?? fromMs) : endMs;
    return toMs > fromMs ? [{ fromMs, toMs }] : [];
  }
  if (snapshot.recordCount === 0) return [];
  const expected = Math.max(snapshot.totalDocument ?? 0, snapshot.recordCount);
  const share = Math.min(0.99, snapshot.recordCount / expected);
  return [{ fromMs, toMs: fromMs + Math.round((endMs - fromMs) * share) }];
}

/** The cached spans of some snapshots, joined and in order; their ends are exclusive. */
export function collectCachedSpans(snapshots: readonly Snapshot[]): Span[] {
  return joinSpans(snapshots.flatMap(toCachedSpans));
}

function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (last !== undefined && span.fromMs <= last.toMs) {
      joined[joined.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) };
    } else {
      joined.push(span);
    }
  }
  return joined;
}

/** Civil days, not spans of 24 hours: where the clock is moved a day has 23 or 25. */
function toDays(nowMs: number, zone: string, dayCount: number): Span[] {
  const today = toCivilTime(nowMs, zone);
  const todayUtcMs = civilToUtcMs({ ...today, hour: 0, minute: 0, second: 0, millisecond: 0 });
  const toInstant = (day: number): number => fromCivilTime(utcMsToCivil(todayUtcMs + day * DAY_MS), zone);
  return Array.from({ length: dayCount }, (_, index) => {
    const day = index - dayCount + 1;
    return { fromMs: toInstant(day), toMs: toInstant(day + 1) };
  });
}
