import type { DuckDBConnection } from '@duckdb/node-api';
import type { Finding } from '../../../../common/model/analysis/finding.ts';
import { DIRECTIONS } from '../../../../common/reporting/reports.ts';
import { DAY_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { carryIds } from '../../findings/carry-ids.ts';
import { joinSizes, NO_SIZES, type FoundSizes } from '../../findings/noticed-sizes.ts';
import {
  findFindings,
  type FindingsQuestion,
  type FindingsRecords,
  type FoundFindings,
} from './find-findings.ts';

export interface PeriodFindingsQuestion extends Omit<FindingsQuestion, 'untilMs'> {
  readonly period: TimeSpan;
}

/** Days that are remembered; what is told of each takes some kilobytes. */
const MAX_DAYS = 400;
/** Records so long before the end of a day decide what is told of it. */
const DECIDING_MS = 45 * DAY_MS;

export type FindPeriodFindings = (
  connection: DuckDBConnection,
  records: FindingsRecords,
  question: PeriodFindingsQuestion,
  signal?: AbortSignal,
) => Promise<FoundFindings>;

/**
 * Creates a function that finds what stood out in a period, as it was told at its end: what went on then, and what had
 * ended in it. Days are looked at one by one, each against the days before it, as they were told live; an incident of
 * several days is told once, as the last of them shows it. Days are remembered while the records that decide stay.
 */
export function createPeriodFindings(): FindPeriodFindings {
  const days = new Map<string, FoundFindings>();
  const findDay = async (
    connection: DuckDBConnection,
    records: FindingsRecords,
    question: FindingsQuestion,
  ): Promise<FoundFindings> => {
    const { connectionId, untilMs, covered, setAside = [] } = question;
    if (untilMs % DAY_MS !== 0) return findFindings(connection, records, question);
    const fromMs = untilMs - DECIDING_MS;
    const scopes = [];
    const version = records.getVersion();
    for (const direction of DIRECTIONS) {
      const span = { connectionId, report: `${direction}-detail` as const, fromMs, toMs: untilMs };
      scopes.push(await records.resolve(span));
    }
    const isNear = (span: TimeSpan): boolean => span.toMs > fromMs && span.fromMs < untilMs;
    const key = JSON.stringify([
      version,
      {
        ...question,
        covered: DIRECTIONS.map((direction) => covered[direction].filter(isNear)),
        setAside: setAside.filter(isNear),
      },
      scopes,
    ]);
    const found = days.get(key) ?? (await findFindings(connection, records, question));
    days.delete(key);
    if (records.getVersion() === version) days.set(key, found);
    for (const oldest of days.keys()) {
      if (days.size <= MAX_DAYS) break;
      days.delete(oldest);
    }
    return found;
  };
  return async (connection, records, { period, downSpans, unreachableSpans, ...question }, signal) => {
    let told: readonly Finding[] = [];
    let learned: FoundFindings['learned'] = { inbound: null, outbound: null };
    const sizes: FoundSizes[] = [];
    for (const untilMs of listEnds(period)) {
      signal?.throwIfAborted();
      const wasThen = ({ sinceMs }: { readonly sinceMs: number }): boolean => sinceMs < untilMs;
      const found = await findDay(connection, records, {
        ...question,
        untilMs,
        downSpans: downSpans.filter(wasThen),
        unreachableSpans: unreachableSpans.filter(wasThen),
      });
      ({ learned } = found);
      sizes.push(found.sizes);
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
      sizes: within.length > 0 ? NO_SIZES : joinSizes(sizes),
    };
  };
}

/** The midnights within a period, and its end. */
function listEnds({ fromMs, toMs }: TimeSpan): number[] {
  const ends: number[] = [];
  for (let atMs = (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS; atMs < toMs; atMs += DAY_MS) ends.push(atMs);
  return [...ends, toMs];
}
