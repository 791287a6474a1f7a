import type { DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRows } from '../../../src-main/core/analysis/engine/engine-database.ts';
import { createEngineFeed } from '../../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import { openEngineFile } from './open-engine-file.ts';
import { createNumberedSource } from './plain-cache.ts';
import { createPlainSource, makePlain, SPAN, type PlainRecord } from './random-records.ts';

/** More than two transactions hold. */
const MANY = 300_000;

let engine: Awaited<ReturnType<typeof openEngineFile>>;
let connection: DuckDBConnection;

beforeEach(async () => {
  engine = await openEngineFile();
  ({ connection } = engine);
});
afterEach(() => engine.close());

const measure = () =>
  readRows<readonly number[]>(
    connection,
    'SELECT count(*), count(DISTINCT record_id), min(record_id), max(record_id) FROM inbound',
  );
const whole = [[MANY, MANY, SPAN, SPAN + MANY - 1]];

describe('a feed of several transactions', () => {
  it('keeps what was whole when the cache can no longer be read, and goes on from there', async () => {
    const source = createNumberedSource([MANY]);
    let fails = true;
    const feed = await createEngineFeed(connection, {
      ...source,
      read: (snapshot, from, until) => {
        if (fails && until > MANY - 50_000) throw new Error('The cache is closed.');
        return source.read(snapshot, from, until);
      },
    });
    await expect(feed.follow()).rejects.toThrow('The cache is closed.');
    const fed = feed.countFed(1);
    expect(fed).toBeGreaterThan(0);
    expect(await measure()).toEqual([[fed, fed, SPAN, SPAN + fed - 1]]);
    fails = false;
    await feed.follow();
    expect(await measure()).toEqual(whole);
  });

  it('ends with the failure of a transaction that was being written as the next one was read', async () => {
    const source = createNumberedSource([MANY]);
    const run = connection.run.bind(connection);
    let commits = 0;
    connection.run = async (sql, ...rest) => {
      if (sql === 'COMMIT' && (commits += 1) === 2) throw new Error('The disk is full.');
      return run(sql, ...rest);
    };
    const feed = await createEngineFeed(connection, source);
    await expect(feed.follow()).rejects.toThrow('The disk is full.');
    const fed = feed.countFed(1);
    expect(await measure()).toEqual([[fed, fed, SPAN, SPAN + fed - 1]]);
    await feed.follow();
    expect(await measure()).toEqual(whole);
  });

  it('lets other calls in between, and tells how far it is', async () => {
    const feed = await createEngineFeed(connection, createNumberedSource([MANY]));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const told: number[] = [];
    await feed.follow(({ fed, total }) => {
      expect(total).toBe(MANY);
      told.push(fed);
    });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(told.length);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBe(MANY);
  });
});

it.each([
  [[0, 1, 1, 2], [0], true],
  [[2, 1, 3, 4], [0], false],
  [[null, 0, 1, 2], [0], false],
  [[0, 1, null, 2], [0], false],
  // Its most recent slice came first.
  [[7, 9, 3, 4, 0], [4, 2, 0], true],
  [[7, 9, 3, 8, 0], [4, 2, 0], false],
  [[7, 9, 3, 4, 5], [4, 2, 0], false],
])(
  'records of a snapshot that grows, dated %j, come once; in runs from %j in order: %s',
  async (dates, starts, isInOrder) => {
    const records: PlainRecord[] = [];
    const source = createPlainSource(new Map([[1, records]]), 'cache', new Map(), new Map([[1, starts]]));
    for (const dateMs of dates) {
      records.push(makePlain({ recordId: SPAN + records.length, dateMs }));
      // Each time as after a start: what was fed earlier is known from the file.
      const feed = await createEngineFeed(connection, source);
      await feed.follow();
      await feed.follow();
      expect(await measure()).toEqual([[records.length, records.length, SPAN, SPAN + records.length - 1]]);
    }
    expect((await createEngineFeed(connection, source)).isInOrder(1)).toBe(isInOrder);
  },
);

it('whole numbers of any size are what they were', async () => {
  const whole = fc.option(fc.maxSafeInteger());
  const records = fc.array(
    fc.record({ dateMs: whole, channel: whole, service: whole, responseCode: whole }),
    {
      minLength: 1,
      maxLength: 60,
    },
  );
  let reading = 0;
  const snapshots = new Map<number, PlainRecord[]>();
  const readings = new Map<number, number>();
  const feed = await createEngineFeed(connection, createPlainSource(snapshots, 'cache', readings));
  await fc.assert(
    fc.asyncProperty(records, async (own) => {
      readings.set(1, (reading += 1));
      snapshots.set(
        1,
        own.map((numbers, seq) => makePlain({ recordId: SPAN + seq, ...numbers })),
      );
      await feed.follow();
      const read = await readRows<readonly (number | null)[]>(
        connection,
        'SELECT date_ms, channel, service, response_code FROM inbound ORDER BY record_id',
      );
      expect(read).toEqual(
        own.map(({ dateMs, channel, service, responseCode }) => [dateMs, channel, service, responseCode]),
      );
    }),
    { numRuns: Number(process.env['ANSWER_RUNS'] ?? 15) },
  );
});
