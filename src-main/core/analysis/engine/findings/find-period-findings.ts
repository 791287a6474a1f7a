import type { DuckDBConnection } from '@duckdb/node-api';
import { createHash } from 'node:crypto';
import type { Finding } from '../../../../common/model/analysis/finding.ts';
import { DIRECTIONS } from '../../../../common/reporting/reports.ts';
import type { OutageSpan } from '../../../../common/model/connections/status.ts';
import { DAY_MS, MINUTE_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { carryIds } from '../../findings/carry-ids.ts';
import { joinSizes, NO_SIZES, type FoundSizes } from '../../findings/noticed-sizes.ts';
import { readRows } from '../engine-database.ts';
import {
  findFindings,
  readTrafficAhead,
  type FindingsQuestion,
  type FindingsRecords,
  type FoundFindings,
} from './find-findings.ts';

export interface PeriodFindingsQuestion extends Omit<FindingsQuestion, 'untilMs'> {
  readonly period: TimeSpan;
  /** Nothing is looked at: only what is kept is told. */
  readonly isKeptOnly?: boolean;
}

/** Records so long before the end of a day decide what is told of it. */
const DECIDING_MS = 45 * DAY_MS;
/** Outages so long before the end of a day are told of it. */
const OUTAGES_MS = 2 * DAY_MS;
/** Days begin at such moments somewhere: what is told of these is written, of others only remembered. */
const KEPT_MS = 15 * MINUTE_MS;

/** Days that are looked at one after the other are counted together so far ahead. */
const AHEAD_MS = 7 * DAY_MS;

/** Where what was told of days is kept, until records that it was told of are decided otherwise or go. */
export interface KeptDays {
  read(connection: DuckDBConnection, day: Omit<KeptDay, 'found'>): Promise<FoundFindings | null>;
  /** `version` is what the feed's was before the day's records were looked at: what has changed since isn't kept. */
  keep(day: KeptDay): void;
}

export interface KeptDay {
  readonly connectionId: string;
  readonly untilMs: number;
  readonly key: string;
  readonly found: FoundFindings;
  readonly version: number;
}

/** What stood out in a period; `unjudgedMs` where only kept days were asked for: the ends of those that aren't. */
export interface FoundInPeriod extends FoundFindings {
  readonly unjudgedMs: readonly number[];
}

/**
 * Finds what stood out in a period, as it was told at its end: what went on then, and what had ended in it. Days are
 * looked at one by one, each against the days before it, as they were told live; an incident of several days is told
 * once, as the last of them shows it. Days are kept while the records that decide stay.
 */
export async function findPeriodFindings(
  connection: DuckDBConnection,
  records: FindingsRecords,
  { period, isKeptOnly = false, ...question }: PeriodFindingsQuestion,
  { kept, signal }: { readonly kept?: KeptDays; readonly signal?: AbortSignal } = {},
): Promise<FoundInPeriod> {
  let told: readonly Finding[] = [];
  let learned: FoundFindings['learned'] = { inbound: null, outbound: null };
  const unjudgedMs: number[] = [];
  const sizes: FoundSizes[] = [];
  let aheadMs = -Infinity;
  for (const untilMs of listEnds(period)) {
    signal?.throwIfAborted();
    const day = clipQuestion(question, untilMs);
    const { connectionId } = question;
    const version = records.getVersion();
    const key = kept === undefined ? '' : await toKey(records, day);
    const before = (await kept?.read(connection, { connectionId, untilMs, key, version })) ?? null;
    if (before === null && isKeptOnly) {
      unjudgedMs.push(untilMs);
      continue;
    }
    if (before === null && untilMs > aheadMs && untilMs < period.toMs) {
      aheadMs = Math.min(period.toMs, untilMs + AHEAD_MS);
      await readTrafficAhead(connection, records, connectionId, { fromMs: untilMs, toMs: aheadMs });
    }
    const found = before ?? (await findFindings(connection, records, day));
    if (before === null) kept?.keep({ connectionId, untilMs, key, found, version });
    ({ learned } = found);
    sizes.push(found.sizes);
    const own = carryIds(told, [...found.findings, ...found.resolved]);
    const ids = new Set(own.map(({ id }) => id));
    // What the next day no longer shows had ended by then.
    const ended = told
      .filter(({ id }) => !ids.has(id))
      .map((finding) => (finding.endedMs === null ? { ...finding, endedMs: finding.untilMs } : finding));
    told = [...ended, ...own];
  }
  const within = told.filter(({ endedMs }) => endedMs === null || endedMs > period.fromMs);
  return {
    findings: within.filter(({ endedMs }) => endedMs === null),
    resolved: within
      .filter(({ endedMs }) => endedMs !== null)
      .sort((a, b) => b.sinceMs - a.sinceMs || (a.id < b.id ? -1 : 1)),
    learned,
    sizes: within.length > 0 ? NO_SIZES : joinSizes(sizes),
    unjudgedMs,
  };
}

/** What decides what is told at a moment, the same whichever period the moment was asked for in. */
function clipQuestion(
  { covered, downSpans, unreachableSpans, setAside = [], ...question }: Omit<FindingsQuestion, 'untilMs'>,
  untilMs: number,
): FindingsQuestion {
  const fromMs = untilMs - DECIDING_MS;
  const clip = <Span extends TimeSpan>(spans: readonly Span[]): Span[] =>
    spans
      .map((span) => ({
        ...span,
        fromMs: Math.max(fromMs, span.fromMs),
        toMs: Math.min(untilMs, span.toMs),
      }))
      .filter((span) => span.fromMs < span.toMs);
  const wasThen = ({ sinceMs, untilMs: endMs }: OutageSpan): boolean =>
    sinceMs < untilMs && endMs >= untilMs - OUTAGES_MS;
  return {
    ...question,
    untilMs,
    covered: { inbound: clip(covered.inbound), outbound: clip(covered.outbound) },
    downSpans: downSpans.filter(wasThen),
    unreachableSpans: unreachableSpans.filter(wasThen),
    setAside: clip(setAside),
  };
}

/** Raised whenever other things are told of the same records: days that were kept are looked at anew. */
const RULES = 5;

async function toKey(records: FindingsRecords, question: FindingsQuestion): Promise<string> {
  const { connectionId, untilMs } = question;
  const fromMs = untilMs - DECIDING_MS;
  const scopes = [];
  for (const direction of DIRECTIONS) {
    const scope = await records.resolve({
      connectionId,
      report: `${direction}-detail`,
      fromMs,
      toMs: untilMs,
    });
    scopes.push(scope);
  }
  return createHash('sha256')
    .update(JSON.stringify([RULES, question, scopes]))
    .digest('hex');
}

/** The midnights within a period, and its end. */
function listEnds({ fromMs, toMs }: TimeSpan): number[] {
  const ends: number[] = [];
  for (let atMs = (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS; atMs < toMs; atMs += DAY_MS) ends.push(atMs);
  return [...ends, toMs];
}

/** Days that are kept of a connection; what is told of each takes some kilobytes. */
const MAX_DAYS = 800;
/** Days that are remembered of all connections: those of a list of many of them, so that it is there at once again. */
const MAX_REMEMBERED = 500;

/**
 * Creates what keeps days in the engine's file. `getVersion` is the feed's, and `enqueue` runs what is passed to it while
 * the feed changes nothing: a day that was looked at before a change is never written after it.
 */
export function createKeptDays(
  feedConnection: DuckDBConnection,
  getVersion: () => number,
  enqueue: (write: () => Promise<void>) => void,
): KeptDays {
  const remembered = new Map<string, FoundFindings>();
  const remember = ({ key, version, found }: Pick<KeptDay, 'key' | 'version' | 'found'>): void => {
    const name = `${version} ${key}`;
    // The one asked for last is the last to be forgotten.
    remembered.delete(name);
    remembered.set(name, found);
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  };
  return {
    async read(connection, { untilMs, key, version }) {
      const found = remembered.get(`${version} ${key}`);
      if (found !== undefined) {
        remember({ key, version, found });
        return found;
      }
      if (untilMs % KEPT_MS !== 0) return null;
      const [row] = await readRows<[string]>(connection, 'SELECT found FROM finding_days WHERE key = $1', [
        key,
      ]);
      if (row === undefined) return null;
      const written = JSON.parse(row[0]) as FoundFindings;
      remember({ key, version, found: written });
      return written;
    },
    keep: ({ connectionId, untilMs, key, found, version }) => {
      if (getVersion() !== version) return;
      remember({ key, version, found });
      if (untilMs % KEPT_MS !== 0) return;
      enqueue(async () => {
        if (getVersion() !== version) return;
        const run = (sql: string, ...values: string[]): Promise<unknown> => feedConnection.run(sql, values);
        const own = `FROM finding_days WHERE connection_id = $1`;
        await run(`DELETE ${own} AND until_ms = ${untilMs}`, connectionId);
        await run(
          `DELETE ${own} AND until_ms IN (SELECT until_ms ${own} ORDER BY until_ms DESC OFFSET ${MAX_DAYS - 1})`,
          connectionId,
        );
        await run(
          `INSERT INTO finding_days VALUES ($1, ${untilMs}, $2, $3)`,
          connectionId,
          key,
          JSON.stringify(found),
        );
      });
    },
  };
}
