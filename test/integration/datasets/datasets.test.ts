import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Dataset, DatasetUpdate } from '../../../src-main/common/model/exports/export-options.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  type DatasetManifest,
  type DatasetParts,
  updateDataset,
} from '../../../src-main/core/datasets/update-dataset.ts';
import { openPartialList } from '../../../src-main/core/exports/write-manifest.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { createDocument, fillSnapshot, toOutbound } from '../cache/cache-fixture.ts';
import { shareCache } from '../cache/share-cache.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 9, 20);
const DAYS = 12;
const CONNECTION = { id: 'one', name: 'Work / night', baseAddress: 'https://reports.example', tenant: 1001 };
const FOLDER = 'connection=Work_night_1001';

let folder: string;
let cache: Cache;
let engine: Engine;
let dataset: Dataset;
let parts: DatasetParts;

shareCache((shared) => ({ cache, engine } = shared));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'datasets-'));
  dataset = {
    id: 'd',
    connectionId: 'one',
    folder: join(folder, 'out'),
    reports: ['inbound-detail', 'outbound-detail'],
    isKept: false,
    last: null,
  };
  const partials = await openPartialList(folder, Date.now(), createSilentLogger());
  parts = {
    cache,
    engine,
    ledger: openLedger(cache),
    partials,
    version: '1.2.3',
    now: () => FIRST_MS + 40 * DAY_MS,
  };
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const toPeriod = (fromMs: number, toMs: number) => {
  const write = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');
  return { startDate: write(fromMs), endDate: write(toMs - 1000), fromMs, toMs: toMs - 1000, zone: 'UTC' };
};

/** A day with as many records as `count`, in a snapshot of its own that began at `startedAtMs`. */
async function fillDay(day: number, count: number, startedAtMs = FIRST_MS + 40 * DAY_MS): Promise<number> {
  const fromMs = FIRST_MS + day * DAY_MS;
  const documents = Array.from({ length: count }, (_none, index) =>
    createDocument(index, { Date: new Date(fromMs + index * 1000).toISOString() }),
  );
  return fillSnapshot(cache, documents, { startedAtMs, period: toPeriod(fromMs, fromMs + DAY_MS) });
}

function update(
  change: Partial<DatasetParts> = {},
  signal = new AbortController().signal,
): Promise<DatasetUpdate> {
  const task = { signal, progress: () => undefined };
  return updateDataset({ ...parts, ...change }, { dataset, connection: CONNECTION }, task);
}

async function ask<Row>(sql: string): Promise<Row[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson() as Row[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const countDays = async (): Promise<Map<string, number>> => {
  const rows = await ask<{ date: string; n: string }>(
    `SELECT date::VARCHAR AS date, count(*) AS n
     FROM read_parquet('${dataset.folder}/*/report=inbound-detail/date=*/part-*.parquet', hive_partitioning = true)
     GROUP BY ALL ORDER BY ALL`,
  );
  return new Map(rows.map(({ date, n }) => [date, Number(n)]));
};

async function readDatasetManifest(): Promise<DatasetManifest> {
  const text = await readFile(join(dataset.folder, FOLDER, '_channelscope.json'), 'utf8');
  return JSON.parse(text) as DatasetManifest;
}

async function listFiles(): Promise<string[]> {
  const found = await readdir(dataset.folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const toDate = (day: number): string => new Date(FIRST_MS + day * DAY_MS).toISOString().slice(0, 10);
const toCount = (day: number): number => 20 + day;

describe('a dataset of many days', () => {
  let first: number;
  beforeEach(async () => {
    first = await fillDay(0, toCount(0));
    for (let day = 1; day < DAYS; day += 1) await fillDay(day, toCount(day));
  });

  it('has the counts of the cache day by day, also while a day is replaced', async () => {
    const whole = await update();
    const records = Array.from({ length: DAYS }, (_none, day) => toCount(day)).reduce((a, b) => a + b);
    expect(whole).toMatchObject({ days: DAYS, records, written: DAYS, incomplete: 0 });
    const expected = new Map(Array.from({ length: DAYS }, (_none, day) => [toDate(day), toCount(day)]));
    expect(await countDays()).toEqual(expected);

    const turns = { isOver: false };
    const replacing = (async () => {
      for (let turn = 1; turn <= 5; turn += 1) {
        await fillDay(7, toCount(7) + turn, FIRST_MS + 41 * DAY_MS + turn);
        const next = await update();
        expect(next.written).toBe(1);
      }
      turns.isOver = true;
    })();
    const seen = new Set<number>();
    while (!turns.isOver) {
      const counts = await countDays();
      seen.add(counts.get(toDate(7)) ?? 0);
      counts.delete(toDate(7));
      expect(counts).toEqual(new Map([...expected].filter(([date]) => date !== toDate(7))));
    }
    await replacing;
    for (const count of seen) expect([0, 1, 2, 3, 4, 5].map((turn) => toCount(7) + turn)).toContain(count);
    expect((await countDays()).get(toDate(7))).toBe(toCount(7) + 5);
    expect((await update()).written).toBe(0);
  });

  it('says in its manifest what each file is, and leaves settled days and what the cache lost alone', async () => {
    await update();
    const { days, connection } = await readDatasetManifest();
    expect(connection).toMatchObject({ id: 'one', name: 'Work / night', tenant: 1001 });
    for (const { file, sha256, bytes } of days.filter((day) => day.file !== null)) {
      const content = await readFile(join(dataset.folder, FOLDER, file ?? ''));
      expect([hash('sha256', content), content.length]).toEqual([sha256, bytes]);
    }
    await cache.removeSnapshots({ snapshotIds: [first], nowMs: FIRST_MS });
    expect((await update()).days).toBe(DAYS);
    expect((await countDays()).get(toDate(0))).toBe(toCount(0));
    // A file that is gone or cut is written again.
    await rm(join(dataset.folder, FOLDER, 'report=inbound-detail', `date=${toDate(3)}`), { recursive: true });
    expect((await update()).written).toBe(1);
    expect((await countDays()).get(toDate(3))).toBe(toCount(3));
  });

  it('is whole, and without leftovers after the next start, whenever its writing ends', async () => {
    await update();
    for (let moment = 0; moment < 4; moment += 1) {
      await fillDay(moment, toCount(moment) + 100, FIRST_MS + 42 * DAY_MS + moment);
      const controller = new AbortController();
      let calls = 0;
      const cut: DatasetParts['engine'] = {
        writeRecords: async (question, options) => {
          const whole = await engine.writeRecords(question, options);
          calls += 1;
          if (calls === 1 && moment % 2 === 0) controller.abort(new Error('killed'));
          return whole;
        },
      };
      // Odd turns end as a full disk does, in the middle of the file that replaces a day.
      const failing: DatasetParts['engine'] = {
        writeRecords: () =>
          Promise.reject(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })),
      };
      await update({ engine: moment % 2 === 0 ? cut : failing }, controller.signal).catch(() => undefined);
      const counts = await countDays();
      expect(counts.size).toBe(DAYS);
      expect([toCount(moment), toCount(moment) + 100]).toContain(counts.get(toDate(moment)));
      expect((await listFiles()).filter((name) => name.endsWith('.part'))).toEqual([]);
      await update();
      expect((await countDays()).get(toDate(moment))).toBe(toCount(moment) + 100);
    }
  });
});

it('what a kill left in the folder of a day is gone after the next start', async () => {
  await fillDay(0, 5);
  await update();
  const target = join(dataset.folder, FOLDER, `report=inbound-detail/date=${toDate(0)}/.part-0.parquet`);
  await parts.partials.add(target);
  await writeFile(`${target}.part`, 'PAR1 cut');
  expect((await countDays()).get(toDate(0))).toBe(5);
  await openPartialList(folder, Date.now(), createSilentLogger());
  expect((await listFiles()).sort()).toEqual(['_channelscope.json', 'part-0.parquet']);
});

it('a day that can not be written fails the update, and the others stay as they are', async () => {
  await fillDay(0, 5);
  await update();
  await fillDay(1, 9);
  const day = join(dataset.folder, FOLDER, `report=inbound-detail/date=${toDate(1)}`);
  await writeFile(day, '');
  await expect(update()).rejects.toMatchObject({ code: 'exports.write-failed' });
  expect(await countDays()).toEqual(new Map([[toDate(0), 5]]));
  await rm(day);
  expect((await update()).written).toBe(1);
  expect((await countDays()).get(toDate(1))).toBe(9);
});

it('a place that is a file fails, and says so', async () => {
  await fillDay(0, 5);
  await writeFile(dataset.folder, '');
  await expect(update()).rejects.toMatchObject({ code: 'exports.write-failed' });
});

it('keeps outbound records, those without a date, and the folder of a connection whose name changed', async () => {
  const documents = Array.from({ length: 10 }, (_none, index) => {
    const Date_ = index === 4 ? 'yesterday' : new Date(FIRST_MS + index * 1000).toISOString();
    return toOutbound(createDocument(index, { Date: Date_ }), String(index));
  });
  const period = toPeriod(FIRST_MS, FIRST_MS + 2 * DAY_MS);
  await fillSnapshot(cache, documents, { report: 'outbound-detail', period });
  await update();
  const rows = await ask<{ date: string | null; n: string }>(
    `SELECT date::VARCHAR AS date, count(*) AS n FROM read_parquet('${dataset.folder}/*/report=outbound-detail/*/*.parquet',
     hive_partitioning = true) GROUP BY ALL ORDER BY date NULLS LAST`,
  );
  expect(rows.map(({ date, n }) => [date, Number(n)])).toEqual([
    [toDate(0), 9],
    [null, 1],
  ]);
  const task = { signal: new AbortController().signal, progress: () => undefined };
  await updateDataset(parts, { dataset, connection: { ...CONNECTION, name: 'Renamed' } }, task);
  const other = { ...CONNECTION, id: 'two' };
  await mkdir(dataset.folder, { recursive: true });
  await updateDataset(parts, { dataset, connection: other }, task);
  expect((await readdir(dataset.folder)).sort()).toEqual([FOLDER, `${FOLDER}-2`]);
});
