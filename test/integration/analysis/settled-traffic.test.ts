import type { DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createEngineFeed } from '../../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import { readTraffic } from '../../../src-main/core/analysis/engine/findings/read-traffic.ts';
import {
  createDayReader,
  divideByDay,
  joinDays,
} from '../../../src-main/core/analysis/engine/findings/settled-traffic.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import type { ResolvedScope, ScopePart } from '../../../src-main/core/analysis/engine/resolved-scope.ts';
import type { TrafficCells } from '../../../src-main/core/analysis/findings/traffic-cells.ts';
import { openEngineFile } from './open-engine-file.ts';
import { createPlainSource, recordArbitrary, SPAN, type PlainRecord } from './random-records.ts';

const SLOT_MS = 5000;
/** Days of ten seconds; the last of them is not over. */
const DAY_MS = 2 * SLOT_MS;
const SETTLED = { fromMs: 0, toMs: 34_000 };

let engine: Awaited<ReturnType<typeof openEngineFile>>;
let connection: DuckDBConnection;

beforeEach(async () => {
  engine = await openEngineFile();
  ({ connection } = engine);
});
afterEach(() => engine.close());

const toRows = ({ channels, services, slots, outcomes, counts }: TrafficCells): string[] =>
  Array.from(counts, (count, at) =>
    [channels[at], services[at], slots[at], outcomes[at], count].join(' '),
  ).sort();

type Unfed = Omit<PlainRecord, 'recordId'>;

/** A cache whose snapshots grow, go, and are read again, and the engine that follows it. */
async function followCache() {
  const snapshots = new Map<number, PlainRecord[]>();
  const readings = new Map<number, number>();
  // Nothing of the cache before, whose snapshots had the same numbers.
  for (const table of ['inbound', 'outbound', 'fed_snapshots']) await connection.run(`DELETE FROM ${table}`);
  const feed = await createEngineFeed(connection, createPlainSource(snapshots, 'cache', readings));
  const days = createDayReader(() => feed.version, {
    read: async (own, scope: ResolvedScope, span) =>
      divideByDay(await readTraffic(own, scope, { span, slotMs: SLOT_MS }), DAY_MS / SLOT_MS),
    measure: ({ slots }) => slots.length,
    dayMs: DAY_MS,
  });
  const toScope = (isDated: boolean): ResolvedScope => ({
    direction: 'inbound',
    parts: [...snapshots].map(([snapshotId, records]): ScopePart => {
      const dates = records.flatMap(({ dateMs }) => dateMs ?? []);
      const [firstMs, lastMs] = dates.length === 0 ? [null, null] : [Math.min(...dates), Math.max(...dates)];
      return {
        snapshotId,
        recordCount: records.length,
        spans: null,
        withUndated: true,
        ...(isDated ? { dates: { firstMs, lastMs } } : {}),
      };
    }),
  });
  return {
    snapshots,
    change(id: number, records: readonly Unfed[], isReadAgain: boolean): void {
      const before = isReadAgain ? [] : (snapshots.get(id) ?? []);
      const own = [...before, ...records].map((record, seq) => ({ ...record, recordId: id * SPAN + seq }));
      if (isReadAgain) readings.set(id, (readings.get(id) ?? 0) + 1);
      if (own.length === 0) snapshots.delete(id);
      else snapshots.set(id, own);
    },
    async readAhead(span: TimeSpan): Promise<void> {
      await feed.follow();
      await days.readAhead(connection, toScope(true), { span, version: feed.version });
    },
    async ask(isDated: boolean): Promise<{ settled: string[]; counted: string[] }> {
      await feed.follow();
      const { version } = feed;
      const scope = toScope(isDated);
      const question = { span: SETTLED, version };
      const settled = toRows(joinDays(await days.read(connection, scope, question), 0));
      return {
        settled,
        counted: toRows(await readTraffic(connection, scope, { span: SETTLED, slotMs: SLOT_MS })),
      };
    },
  };
}

it('what was counted before is what is counted now, whatever became of the records', async () => {
  const change = fc.record({
    id: fc.integer({ min: 1, max: 3 }),
    records: fc.array(recordArbitrary, { maxLength: 6 }),
    isReadAgain: fc.boolean(),
    isDated: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 12 }), async (changes) => {
      const cache = await followCache();
      for (const { id, records, isReadAgain, isDated } of changes) {
        cache.change(id, records, isReadAgain);
        if (isDated) await cache.readAhead(SETTLED);
        // Asked twice, so that the second answer is the one that was kept.
        for (let time = 0; time < 2; time += 1) {
          const { settled, counted } = await cache.ask(isDated);
          expect(settled).toEqual(counted);
        }
      }
    }),
    { numRuns: Number(process.env['ANSWER_RUNS'] ?? 8) },
  );
}, 120_000);

it('records after a span leave what was counted of it alone', async () => {
  const [sample] = fc.sample(recordArbitrary, 1);
  const at = (dateMs: number): Unfed => ({ ...sample!, dateMs });
  const cache = await followCache();
  cache.change(1, [at(1000), at(2000)], false);
  cache.change(2, [at(40_000)], false);
  const stream = vi.spyOn(connection, 'stream');
  await cache.ask(true);
  expect(stream).toHaveBeenCalledTimes(2);
  cache.change(2, [at(50_000)], false);
  const { settled, counted } = await cache.ask(true);
  expect(settled).toEqual(counted);
  // Only what it is compared with was counted again.
  expect(stream).toHaveBeenCalledTimes(3);
  cache.change(3, [at(11_000), at(21_000)], false);
  const more = await cache.ask(true);
  expect(more.settled).toEqual(more.counted);
  // The two days that have other records, side by side, are counted at once.
  expect(stream).toHaveBeenCalledTimes(5);
});

it('days that will be asked for are counted in one reading, and not again', async () => {
  const [sample] = fc.sample(recordArbitrary, 1);
  const at = (dateMs: number): Unfed => ({ ...sample!, dateMs });
  const cache = await followCache();
  cache.change(1, [at(1000), at(11_000)], false);
  cache.change(2, [at(21_000)], false);
  const stream = vi.spyOn(connection, 'stream');
  stream.mockClear();
  await cache.readAhead(SETTLED);
  expect(stream).toHaveBeenCalledTimes(1);
  await cache.readAhead(SETTLED);
  const { settled, counted } = await cache.ask(true);
  expect(settled).toEqual(counted);
  // Only what it is compared with.
  expect(stream).toHaveBeenCalledTimes(2);
  // What came meanwhile is counted when it is asked for.
  cache.change(1, [at(2000)], false);
  const more = await cache.ask(true);
  expect(more.settled).toEqual(more.counted);
  expect(stream).toHaveBeenCalledTimes(4);
});
