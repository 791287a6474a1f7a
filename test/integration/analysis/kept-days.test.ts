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
  const keep = async (key: string, untilMs: number, version = feed.version): Promise<void> => {
    kept.keep({ connectionId: 'one', untilMs, key, found: FOUND, version });
    await writing;
  };
  const isKept = async (key: string): Promise<boolean> => (await kept.read(connection, key)) !== null;
  return { feed, snapshots, keep, isKept };
}

it('a day is kept once, as it was told last', async () => {
  const { keep, isKept } = await keepDays();
  await keep('first', 1000);
  expect(await isKept('first')).toBe(true);
  await keep('second', 1000);
  await keep('other', 2000);
  expect([await isKept('first'), await isKept('second'), await isKept('other')]).toEqual([false, true, true]);
});

it('nothing stays of days whose records are gone', async () => {
  const { feed, snapshots, keep, isKept } = await keepDays();
  await keep('day', 1000);
  const { version } = feed;
  snapshots.delete(1);
  await feed.follow();
  expect(await isKept('day')).toBe(false);
  // A day that was looked at before is no longer true.
  await keep('late', 1000, version);
  expect(await isKept('late')).toBe(false);
});

it('nothing stays of days whose records failed by other rules', async () => {
  const { feed, keep, isKept } = await keepDays();
  feed.setOutcomes({});
  await feed.follow();
  await keep('day', 1000);
  await feed.follow();
  expect(await isKept('day')).toBe(true);
  const rules: OutcomeRules = [{ outcome: 'expected', codes: [404] }, ...DEFAULT_RULES];
  feed.setOutcomes({ one: { inbound: rules, outbound: rules } });
  await feed.follow();
  expect(await isKept('day')).toBe(false);
});
