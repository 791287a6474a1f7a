import type { DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEFAULT_RULES, type OutcomeRules } from '../../../src-main/common/reporting/outcome.ts';
import { createEngineFeed } from '../../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import type { FoundFindings } from '../../../src-main/core/analysis/engine/findings/find-findings.ts';
import { createKeptDays } from '../../../src-main/core/analysis/engine/findings/find-period-findings.ts';
import { openEngineFile } from './open-engine-file.ts';
import { createPlainSource, recordArbitrary, SPAN, type PlainRecord } from './random-records.ts';

let engine: Awaited<ReturnType<typeof openEngineFile>>;
let connection: DuckDBConnection;

beforeEach(async () => {
  engine = await openEngineFile();
  ({ connection } = engine);
});
afterEach(() => engine.close());

const MINUTES_15 = 900_000;

const FOUND: FoundFindings = {
  findings: [],
  resolved: [],
  learned: { inbound: 'days', outbound: null },
  sizes: { atMs: [], channels: [] },
};

async function keepDays() {
  const records = fc.sample(recordArbitrary, 5).map((record, seq) => ({ ...record, recordId: SPAN + seq }));
  const snapshots = new Map<number, PlainRecord[]>([[1, records]]);
  const feed = await createEngineFeed(connection, createPlainSource(snapshots, 'cache'));
  await feed.follow();
  let writing: Promise<void> = Promise.resolve();
  const kept = createKeptDays(
    connection,
    () => feed.version,
    (write) => {
      writing = writing.then(write);
    },
  );
  const toDay = (key: string, untilMs: number, version = feed.version) => ({
    question: {
      connectionId: 'one',
      untilMs,
      covered: { inbound: [], outbound: [] },
      downSpans: [],
      unreachableSpans: [],
    },
    key,
    version,
  });
  const keepAll = async (days: readonly ReturnType<typeof toDay>[]): Promise<void> => {
    const told = days.map((day) => ({ ...day, found: FOUND }));
    for (const day of told) kept.remember(day);
    kept.write(told);
    await writing;
  };
  const keep = (...day: Parameters<typeof toDay>): Promise<void> => keepAll([toDay(...day)]);
  /** Asked for by another process than the one that told of it. */
  const isKept = async (key: string, untilMs = MINUTES_15): Promise<boolean> => {
    const other = createKeptDays(
      connection,
      () => feed.version,
      () => undefined,
    );
    const [found] = await other.read(connection, [toDay(key, untilMs)]);
    return found !== null;
  };
  const isRemembered = async (key: string, untilMs: number): Promise<boolean> => {
    const [found] = await kept.read(connection, [toDay(key, untilMs)]);
    return found !== null;
  };
  return { feed, snapshots, toDay, keepAll, keep, isKept, isRemembered };
}

it('a day is kept once, as it was told last', async () => {
  const { keep, isKept } = await keepDays();
  await keep('first', MINUTES_15);
  expect(await isKept('first')).toBe(true);
  await keep('second', MINUTES_15);
  await keep('other', 2 * MINUTES_15);
  expect([await isKept('first'), await isKept('second'), await isKept('other')]).toEqual([false, true, true]);
});

it('days that are written together are each kept, in place of what was told of the same ends', async () => {
  const { toDay, keepAll, keep, isKept } = await keepDays();
  await keep('before', 2 * MINUTES_15);
  await keepAll([toDay('first', MINUTES_15), toDay('second', 2 * MINUTES_15), toDay('unkept', 1000)]);
  const isEach = await Promise.all(['before', 'first', 'second', 'unkept'].map((key) => isKept(key)));
  expect(isEach).toEqual([false, true, true, false]);
});

it('a day that ends between quarters of an hour is only remembered, and not beyond what is known of its records', async () => {
  const { feed, snapshots, keep, isKept, isRemembered } = await keepDays();
  await keep('now', 1000);
  expect([await isRemembered('now', 1000), await isKept('now', 1000)]).toEqual([true, false]);
  const { version } = feed;
  snapshots.delete(1);
  await feed.follow();
  expect(await isRemembered('now', 1000)).toBe(false);
  await keep('late', 1000, version);
  expect(await isRemembered('late', 1000)).toBe(false);
});

it('of days that are remembered those asked for last stay', async () => {
  const { keep, isRemembered } = await keepDays();
  await keep('first', 1000);
  await keep('second', 1000);
  for (let place = 0; place < 499; place += 1) {
    await keep(`other ${place}`, 1000);
    await isRemembered('first', 1000);
  }
  expect([await isRemembered('first', 1000), await isRemembered('second', 1000)]).toEqual([true, false]);
});

it('nothing stays of days whose records are gone', async () => {
  const { feed, snapshots, keep, isKept } = await keepDays();
  await keep('day', MINUTES_15);
  const { version } = feed;
  snapshots.delete(1);
  await feed.follow();
  expect(await isKept('day')).toBe(false);
  // A day that was looked at before is no longer true.
  await keep('late', MINUTES_15, version);
  expect(await isKept('late')).toBe(false);
});

it('nothing stays of days whose records failed by other rules', async () => {
  const { feed, keep, isKept } = await keepDays();
  feed.setOutcomes({});
  await feed.follow();
  await keep('day', MINUTES_15);
  await feed.follow();
  expect(await isKept('day')).toBe(true);
  const rules: OutcomeRules = [{ outcome: 'expected', codes: [404] }, ...DEFAULT_RULES];
  feed.setOutcomes({ one: { inbound: rules, outbound: rules } });
  await feed.follow();
  expect(await isKept('day')).toBe(false);
});
