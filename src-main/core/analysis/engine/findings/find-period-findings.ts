import type { DuckDBConnection } from '@duckdb/node-api';
import type { Finding } from '../../../../common/model/analysis/finding.ts';
import { DAY_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { carryIds } from '../../findings/carry-ids.ts';
import {
  findFindings,
  type FindingsQuestion,
  type FindingsRecords,
  type FoundFindings,
} from './find-findings.ts';

export interface PeriodFindingsQuestion extends Omit<FindingsQuestion, 'untilMs'> {
  readonly period: TimeSpan;
}

/**
 * Finds what stood out in a period, as it was told at its end: what went on then, and what had ended in it. Days are
 * looked at one by one, each against the days before it, as they were told live; an incident of several days is told
 * once, as the last of them shows it.
 */
export async function findPeriodFindings(
  connection: DuckDBConnection,
  records: FindingsRecords,
  { period, downSpans, unreachableSpans, ...question }: PeriodFindingsQuestion,
  signal?: AbortSignal,
): Promise<FoundFindings> {
  let told: readonly Finding[] = [];
  let learned: FoundFindings['learned'] = { inbound: null, outbound: null };
  for (const untilMs of listEnds(period)) {
    signal?.throwIfAborted();
    const wasThen = ({ sinceMs }: { readonly sinceMs: number }): boolean => sinceMs < untilMs;
    const found = await findFindings(connection, records, {
      ...question,
      untilMs,
      downSpans: downSpans.filter(wasThen),
      unreachableSpans: unreachableSpans.filter(wasThen),
    });
    ({ learned } = found);
    const own = carryIds(told, [...found.findings, ...found.resolved]);
    const ids = new Set(own.map(({ id }) => id));
    // What the next day no longer shows had ended by then.
    const before = told
      .filter(({ id }) => !ids.has(id))
      .map((finding) => (finding.endedMs === null ? { ...finding, endedMs: finding.untilMs } : finding));
    told = [...before, ...own];
  }
  const within = told.filter(({ endedMs }) => endedMs === null || endedMs > period.fromMs);
  return {
    findings: within.filter(({ endedMs }) => endedMs === null),
    resolved: within
      .filter(({ endedMs }) => endedMs !== null)
      .sort((a, b) => b.sinceMs - a.sinceMs || (a.id < b.id ? -1 : 1)),
    learned,
  };
}

/** The midnights within a period, and its end. */
function listEnds({ fromMs, toMs }: TimeSpan): number[] {
  const ends: number[] = [];
  for (let atMs = (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS; atMs < toMs; atMs += DAY_MS) ends.push(atMs);
  return [...ends, toMs];
}
