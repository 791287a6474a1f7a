import type { DuckDBConnection } from '@duckdb/node-api';
import { createHash } from 'node:crypto';
import type { Finding } from '../../../../common/model/analysis/finding.ts';
import { DIRECTIONS } from '../../../../common/reporting/reports.ts';
import type { OutageSpan } from '../../../../common/model/connections/status.ts';
import { DAY_MS, MINUTE_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { carryIds } from '../../findings/carry-ids.ts';
import { joinSizes, NO_SIZES } from '../../findings/noticed-sizes.ts';
import { inTransaction, readRows } from '../engine-database.ts';
import {
  findFindings,
  readTrafficAhead,
  type FindingsQuestion,
  type FindingsRecords,
  type FoundFindings,
} from './find-findings.ts';

export interface PeriodFindingsQuestion extends Omit<FindingsQuestion, 'untilMs'> {
  readonly period: TimeSpan;
}

/** Records so long before the end of a day decide what is told of it. */
const DECIDING_MS = 45 * DAY_MS;
/** Outages so long before the end of a day are told of it. */
const OUTAGES_MS = 2 * DAY_MS;
/** Days begin at such moments somewhere: what is told of these is written, of others only remembered. */
const KEPT_MS = 15 * MINUTE_MS;

/** Days that are looked at one after the other are counted together so far ahead. */
const AHEAD_MS = 7 * DAY_MS;

/** Days that are written together. */
const WRITTEN_DAYS = 10;

/** Where what was told of days is kept, until records that it was told of are decided otherwise or go. */
export interface KeptDays {
  /** What is kept of some days, in their order. */
  read(connection: DuckDBConnection, days: readonly JudgedDay[]): Promise<(FoundFindings | null)[]>;
  remember(day: KeptDay): void;
  /** Writes days that are remembered. */
  write(days: readonly KeptDay[]): void;
  /** What was told of whole periods, by what decides it. */
  readonly periods: Pick<Map<string, FoundInPeriod>, 'get' | 'set'>;
}

interface JudgedDay {
  readonly question: FindingsQuestion;
  readonly key: string;
  /** What the feed's was before the day's records were looked at: what has changed since isn't kept. */
  readonly version: number;
}

export interface KeptDay extends JudgedDay {
  readonly found: FoundFindings;
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
  question: PeriodFindingsQuestion,
  { kept, signal }: { readonly kept?: KeptDays; readonly signal?: AbortSignal } = {},
): Promise<FoundInPeriod> {
  const { connectionId, period } = question;
  const name = kept === undefined ? null : toPeriodName(records, question);
  const told: FoundFindings[] = [];
  const fresh: KeptDay[] = [];
  let aheadMs = -Infinity;
  try {
    for (const listed of await readDays(connection, records, listDays(question), kept)) {
      signal?.throwIfAborted();
      const isSame = listed.version === records.getVersion();
      const [day = listed] = isSame ? [listed] : await readDays(connection, records, [listed.question], kept);
      if (day.found !== null) {
        told.push(day.found);
        continue;
      }
      const { untilMs } = day.question;
      if (untilMs > aheadMs && untilMs < period.toMs) {
        aheadMs = Math.min(period.toMs, untilMs + AHEAD_MS);
        await readTrafficAhead(connection, records, connectionId, { fromMs: untilMs, toMs: aheadMs });
      }
      const found = await findFindings(connection, records, day.question);
      told.push(found);
      kept?.remember({ ...day, found });
      fresh.push({ ...day, found });
      if (fresh.length >= WRITTEN_DAYS) kept?.write(fresh.splice(0));
    }
  } finally {
    kept?.write(fresh);
  }
  const found = joinFound(told, period, []);
  if (name !== null && name === toPeriodName(records, question)) kept?.periods.set(name, found);
  return found;
}

/**
 * Tells of several periods, in their order, what is known from days that were judged before. What was told of a period is
 * told again while nothing of what decides it has changed.
 */
export async function readKeptFindings(
  connection: DuckDBConnection,
  records: FindingsRecords,
  questions: readonly PeriodFindingsQuestion[],
  kept: KeptDays,
): Promise<FoundInPeriod[]> {
  const found: FoundInPeriod[] = [];
  for (const question of questions) {
    const name = toPeriodName(records, question);
    const known = name === null ? undefined : kept.periods.get(name);
    if (known !== undefined) {
      found.push(known);
      continue;
    }
    const days = await readDays(connection, records, listDays(question), kept);
    const own = joinFound(
      days.flatMap((day) => day.found ?? []),
      question.period,
      days.flatMap((day) => (day.found === null ? [day.question.untilMs] : [])),
    );
    found.push(own);
    if (name !== null && own.unjudgedMs.length === 0) kept.periods.set(name, own);
  }
  return found;
}

/** What is told of a period under the same name is the same; null while that can't be said. */
function toPeriodName(records: FindingsRecords, question: PeriodFindingsQuestion): string | null {
  const state = records.readState(question.connectionId);
  return state === null ? null : toHash([RULES, state, question]);
}

/** What was told of days that follow one another, as it is told of their period. */
function joinFound(
  days: readonly FoundFindings[],
  period: TimeSpan,
  unjudgedMs: readonly number[],
): FoundInPeriod {
  let told: readonly Finding[] = [];
  for (const { findings, resolved } of days) {
    const own = carryIds(told, [...findings, ...resolved]);
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
    learned: days.at(-1)?.learned ?? { inbound: null, outbound: null },
    sizes: within.length > 0 ? NO_SIZES : joinSizes(days.map(({ sizes }) => sizes)),
    unjudgedMs,
  };
}

function listDays({ period, ...question }: PeriodFindingsQuestion): FindingsQuestion[] {
  return listEnds(period).map((untilMs) => clipQuestion(question, untilMs));
}

/** Says what decides each of some days, and what is kept of them. */
async function readDays(
  connection: DuckDBConnection,
  records: FindingsRecords,
  questions: readonly FindingsQuestion[],
  kept: KeptDays | undefined,
): Promise<(JudgedDay & { readonly found: FoundFindings | null })[]> {
  const days: JudgedDay[] = [];
  for (const question of questions) {
    const version = records.getVersion();
    days.push({ question, version, key: kept === undefined ? '' : await toKey(records, question) });
  }
  const found = (await kept?.read(connection, days)) ?? [];
  return days.map((day, place) => ({ ...day, found: found[place] ?? null }));
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
const RULES = 6;

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
  return toHash([RULES, question, scopes]);
}

function toHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
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
const MAX_PERIODS = 200;

/** Creates what remembers the values that were asked for last. */
function createMemory<Value>(most: number): Pick<Map<string, Value>, 'get' | 'set'> {
  const held = new Map<string, Value>();
  const set = (name: string, value: Value) => {
    held.delete(name);
    held.set(name, value);
    const [oldest] = held.keys();
    if (held.size > most && oldest !== undefined) held.delete(oldest);
    return held;
  };
  return {
    set,
    get(name) {
      const value = held.get(name);
      if (value !== undefined) set(name, value);
      return value;
    },
  };
}

/**
 * Creates what keeps days in the engine's file. `getVersion` is the feed's, and `enqueue` runs what is passed to it while
 * the feed changes nothing: a day that was looked at before a change is never written after it.
 */
export function createKeptDays(
  feedConnection: DuckDBConnection,
  getVersion: () => number,
  enqueue: (write: () => Promise<void>) => void,
): KeptDays {
  const remembered = createMemory<FoundFindings>(MAX_REMEMBERED);
  const toName = ({ version, key }: JudgedDay): string => `${version} ${key}`;
  const isWritten = ({ question }: JudgedDay): boolean => question.untilMs % KEPT_MS === 0;
  const writeDays = async (days: readonly KeptDay[]): Promise<void> => {
    const run = (sql: string, ...values: string[]): Promise<unknown> => feedConnection.run(sql, values);
    for (const [connectionId, own] of Map.groupBy(days, ({ question }) => question.connectionId)) {
      const ofConnection = 'FROM finding_days WHERE connection_id = $1';
      const ends = own.map(({ question }) => question.untilMs).join(', ');
      await run(`DELETE ${ofConnection} AND until_ms IN (${ends})`, connectionId);
      const rows = own.map(({ question }, at) => `($1, ${question.untilMs}, $${2 * at + 2}, $${2 * at + 3})`);
      const values = own.flatMap(({ key, found }) => [key, JSON.stringify(found)]);
      await run(`INSERT INTO finding_days VALUES ${rows.join(', ')}`, connectionId, ...values);
      await run(
        `DELETE ${ofConnection} AND until_ms IN (SELECT until_ms ${ofConnection} ORDER BY until_ms DESC OFFSET ${MAX_DAYS})`,
        connectionId,
      );
    }
  };
  return {
    periods: createMemory(MAX_PERIODS),
    async read(connection, days) {
      const missing = days.filter((day) => remembered.get(toName(day)) === undefined && isWritten(day));
      if (missing.length > 0) {
        const rows = await readRows<[key: string, found: string]>(
          connection,
          `SELECT key, found FROM finding_days WHERE key IN (${missing.map(({ key }) => `'${key}'`).join(', ')})`,
        );
        const written = new Map(rows);
        for (const day of missing) {
          const found = written.get(day.key);
          if (found !== undefined) remembered.set(toName(day), JSON.parse(found) as FoundFindings);
        }
      }
      return days.map((day) => remembered.get(toName(day)) ?? null);
    },
    remember(day) {
      if (getVersion() === day.version) remembered.set(toName(day), day.found);
    },
    write(days) {
      const own = days.filter((day) => isWritten(day) && day.version === getVersion());
      if (own.length === 0) return;
      enqueue(async () => {
        const same = own.filter(({ version }) => version === getVersion());
        await inTransaction(feedConnection, () => writeDays(same));
      });
    },
  };
}
