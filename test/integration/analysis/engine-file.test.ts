import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openEngineDatabase,
  readRows,
  type EngineDatabase,
} from '../../../src-main/core/analysis/engine/engine-database.ts';
import { createEngineOperations } from '../../../src-main/core/analysis/engine/engine-operations.ts';
import { createEngineFeed } from '../../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import type { openEngineSource } from '../../../src-main/core/cache/read/engine-source.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { createNumberedSource } from './plain-cache.ts';
import { createPlainSource, makePlain, SPAN, type PlainRecord } from './random-records.ts';

/** CI kills a few times; `ENGINE_KILLS` tries more. */
const KILLS = Number(process.env['ENGINE_KILLS'] ?? 4);
const SIZES = [6_000, 2_500] as const;
/** So many that a kill meets the feed under way. */
const MANY = [40_000, 15_000] as const;

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engine-'));
  file = join(folder, 'analysis.duckdb');
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const open = (cacheIdentity = 'cache'): Promise<EngineDatabase> =>
  openEngineDatabase({ file, cacheIdentity, memoryLimitMb: 256, threads: 1 });

async function feedAll(database: EngineDatabase, source = createNumberedSource(SIZES)): Promise<void> {
  const connection = await database.connect();
  await (await createEngineFeed(connection, source)).follow();
  connection.closeSync();
}

/** Rows of each snapshot, the sum of their places, and how many differ from any other. */
async function measure(database: EngineDatabase): Promise<number[][]> {
  const connection = await database.connect();
  const rows = await readRows<number[]>(
    connection,
    `SELECT record_id // ${SPAN} AS snapshot, count(*), sum(record_id % ${SPAN}), count(DISTINCT record_id),
       sum(response_time_ms), sum(length(payload))
     FROM inbound GROUP BY snapshot ORDER BY snapshot`,
  );
  connection.closeSync();
  return rows.map((row) => row.map(Number));
}

describe("the engine's file", () => {
  it('is kept from one opening to the next', async () => {
    const first = await open();
    expect(first.isNew).toBe(true);
    await feedAll(first);
    const whole = await measure(first);
    expect(whole.map(([snapshot, count]) => [snapshot, count])).toEqual([
      [1, SIZES[0]],
      [2, SIZES[1]],
    ]);
    first.close();
    const second = await open();
    expect(second.isNew).toBe(false);
    expect(await measure(second)).toEqual(whole);
    second.close();
  });

  it('holds all that was written once the engine has ended, and leaves no journal to the next start', async () => {
    const database = await open();
    const engine = await createEngineOperations(
      database,
      { ...createNumberedSource(SIZES), close: () => undefined } as unknown as ReturnType<
        typeof openEngineSource
      >,
      '1',
    );
    engine.setRules({ outcomes: {}, families: {}, tables: {} });
    await feedAll(database);
    await engine.close();
    expect(existsSync(`${file}.wal`)).toBe(false);
  });

  it.each<[string, () => Promise<void>]>([
    ['deleted', () => rm(file)],
    ['cut to a third', async () => truncate(file, Math.floor((await stat(file)).size / 3))],
    ['emptied', () => truncate(file, 0)],
    ['overwritten with words', () => writeFile(file, 'These are no tables.'.repeat(1000))],
    ['flipped in its header', () => flip(4100)],
  ])('that was %s is begun anew and fed again', async (_how, harm) => {
    const first = await open();
    await feedAll(first);
    const whole = await measure(first);
    first.close();
    await harm();
    const second = await open();
    expect(second.isNew).toBe(true);
    await feedAll(second);
    expect(await measure(second)).toEqual(whole);
    second.close();
  });

  it('fed from another cache is begun anew', async () => {
    const first = await open('one');
    await feedAll(first);
    first.close();
    const second = await open('two');
    expect(second.isNew).toBe(true);
    expect(await measure(second)).toEqual([]);
    second.close();
  });

  it('leaves nothing in the folder for what a query spilled', async () => {
    const database = await open();
    database.close();
    expect(existsSync(join(folder, 'analysis-spill'))).toBe(false);
  });

  it(
    `holds whole batches after ${KILLS} kills while it is fed, and everything once it was fed on`,
    { tags: 'long', timeout: 60_000 + KILLS * 15_000 },
    async () => {
      const script = fileURLToPath(bundledScript('feed-until-killed'));
      const reference = await openEngineDatabase({
        file: join(folder, 'reference.duckdb'),
        cacheIdentity: 'cache',
        memoryLimitMb: 256,
        threads: 1,
      });
      await feedAll(reference, createNumberedSource(MANY));
      const whole = await measure(reference);
      reference.close();
      for (let kill = 0; kill < KILLS; kill += 1) {
        const child = spawn(process.execPath, [script, file, ...MANY.map(String)], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        // It may be done before it is killed.
        const exited = once(child, 'exit');
        await once(child.stdout, 'data');
        await new Promise((resolve) => setTimeout(resolve, (kill * 97) % 400));
        child.kill('SIGKILL');
        await exited;
        const database = await open();
        for (const [, count = 0, , distinct] of await measure(database)) expect(distinct).toBe(count);
        if (kill % 4 === 3) {
          await feedAll(database, createNumberedSource(MANY));
          expect(await measure(database)).toEqual(whole);
          database.close();
          await rm(file);
        } else database.close();
      }
      const last = await open();
      await feedAll(last, createNumberedSource(MANY));
      expect(await measure(last)).toEqual(whole);
      last.close();
    },
  );
});

describe('following the cache', () => {
  const toRecords = (snapshotId: number, count: number): PlainRecord[] =>
    createNumberedSource([count])
      .read(
        {
          snapshotId: 1,
          connectionId: 'one',
          direction: 'inbound',
          startedAtMs: 1,
          recordCount: count,
          reading: 0,
        },
        0,
        count,
      )
      .map((_, seq) =>
        makePlain({
          recordId: snapshotId * SPAN + seq,
          ...{ dateMs: seq, sessionId: 's', channel: 1, service: 1 },
          ...{ responseTimeMs: 1, responseCode: 200, payload: 'p' },
        }),
      );

  it('adds what is new, deletes what is gone, and reads again what is no longer the same snapshot', async () => {
    const database = await open();
    const connection = await database.connect();
    const snapshots = new Map([
      [1, toRecords(1, 10)],
      [2, toRecords(2, 5)],
    ]);
    const feed = await createEngineFeed(connection, createPlainSource(snapshots));
    const counts = async () => (await measure(database)).map(([snapshot, count]) => [snapshot, count]);
    await feed.follow();
    expect(await counts()).toEqual([
      [1, 10],
      [2, 5],
    ]);
    snapshots.set(1, toRecords(1, 25));
    snapshots.delete(2);
    await feed.follow();
    expect(await counts()).toEqual([[1, 25]]);
    expect(feed.countFed(1)).toBe(25);
    expect(feed.countFed(2)).toBe(0);
    // A copy from before was put back: fewer records than had been fed.
    snapshots.set(1, toRecords(1, 7));
    await feed.follow();
    expect(await counts()).toEqual([[1, 7]]);
    connection.closeSync();
    database.close();
  });

  it('feeds again what was read again, also over a file of before, and leaves what changes under it for the next run', async () => {
    const database = await open();
    const connection = await database.connect();
    const snapshots = new Map([[1, toRecords(1, 10)]]);
    const readings = new Map([[1, 0]]);
    const source = createPlainSource(snapshots, 'cache', readings);
    await (await createEngineFeed(connection, source)).follow();
    const readAgain: number[] = [];
    const feed = await createEngineFeed(connection, source, (snapshotId) => readAgain.push(snapshotId));
    const sumDates = async () => {
      const [[sum] = [0]] = await readRows<[number]>(connection, 'SELECT sum(date_ms)::BIGINT FROM inbound');
      return sum;
    };
    expect(await sumDates()).toBe(45);
    snapshots.set(
      1,
      toRecords(1, 10).map((record) => ({ ...record, dateMs: 100 })),
    );
    readings.set(1, 1);
    expect(feed.isFed({ id: 1, recordCount: 10, reading: 0 })).toBe(true);
    expect(feed.isFed({ id: 1, recordCount: 10, reading: 1 })).toBe(false);
    await feed.follow();
    expect([await sumDates(), readAgain]).toEqual([1000, [1]]);
    expect(feed.isFed({ id: 1, recordCount: 10, reading: 1 })).toBe(true);

    // Between the list and the rows a page came to have fewer records.
    let lists = 0;
    const changing = {
      ...source,
      list: () => source.list().map((one) => ({ ...one, reading: 1 + ++lists, recordCount: 12 })),
    };
    await (await createEngineFeed(connection, changing)).follow();
    expect(await sumDates()).toBeNull();
    const torn = {
      ...source,
      list: () => source.list().map((one) => ({ ...one, reading: 9, recordCount: 12 })),
    };
    await expect((await createEngineFeed(connection, torn)).follow()).rejects.toThrow('missing');
    connection.closeSync();
    database.close();
  });
});

async function flip(at: number): Promise<void> {
  const bytes = await readFile(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  await writeFile(file, bytes);
}
