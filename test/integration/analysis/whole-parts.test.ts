import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { readRows } from '../../../src-main/core/analysis/engine/engine-database.ts';
import { createEngineFeed } from '../../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import { toSourceSql, type ScopePart } from '../../../src-main/core/analysis/engine/resolved-scope.ts';
import { createWholeParts } from '../../../src-main/core/analysis/engine/resolve-scope.ts';
import { openEngineFile } from './open-engine-file.ts';
import { createPlainSource, recordArbitrary, SPAN, type PlainRecord } from './random-records.ts';

let connection: DuckDBConnection;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ connection, close } = await openEngineFile());
});
afterAll(() => close());

let lastSnapshot = 0;
type Unfed = Omit<PlainRecord, 'recordId'>;

async function feed(lists: readonly (readonly Unfed[])[], reading = 0): Promise<number[]> {
  const snapshots = new Map(
    lists.map((records) => {
      lastSnapshot += 1;
      const id = lastSnapshot;
      return [id, records.map((record, seq) => ({ ...record, recordId: id * SPAN + seq }))];
    }),
  );
  const readings = new Map([...snapshots.keys()].map((id) => [id, reading]));
  const source = createPlainSource(snapshots, 'cache', readings);
  await (await createEngineFeed(connection, source)).follow();
  return [...snapshots.keys()];
}

const toSnapshot = (id: number, recordCount: number, reading = 0): Snapshot =>
  ({ id, recordCount, reading, startedAtMs: 0 }) as Snapshot;

async function readIds(parts: readonly ScopePart[]): Promise<number[]> {
  const source = toSourceSql({ direction: 'inbound', parts }, ['record_id'], { sql: 'true', values: [] });
  return (await readRows<[number]>(connection, `SELECT record_id FROM ${source} ORDER BY 1`)).map(
    ([id]) => id,
  );
}

describe('parts that are all of their snapshot', () => {
  it('lose their spans, and only they: the records of a scope stay the same', async () => {
    const spanArbitrary = fc
      .tuple(fc.integer({ min: -5000, max: 40_000 }), fc.integer({ min: 1, max: 70_000 }))
      .map(([fromMs, lengthMs]) => ({ fromMs, toMs: fromMs + lengthMs }));
    const lists = fc.array(fc.array(recordArbitrary, { maxLength: 8 }), { minLength: 1, maxLength: 3 });
    let [wholes, others] = [0, 0];
    await fc.assert(
      fc.asyncProperty(lists, fc.array(spanArbitrary, { minLength: 2 }), async (records, spans) => {
        const ids = await feed(records);
        const snapshots = ids.map((id, place) => toSnapshot(id, records[place]!.length));
        const findWholeParts = createWholeParts();
        // What was learned with the first span is used with the others.
        for (const [at, span] of spans.entries()) {
          const parts = ids.map((snapshotId, place): ScopePart => ({
            snapshotId,
            spans: (at + place) % 4 === 0 ? [span, { fromMs: 90_000, toMs: 99_000 }] : [span],
            recordCount: records[place]!.length,
            withUndated: (at + place) % 3 < 2,
          }));
          const found = await findWholeParts(connection, 'inbound', parts, snapshots);
          expect(await readIds(found)).toEqual(await readIds(parts));
          wholes += found.filter((part) => part.spans === null).length;
          others += found.filter((part) => part.spans !== null).length;
        }
      }),
      { numRuns: Number(process.env['PERIOD_RUNS'] ?? 6) },
    );
    expect(Math.min(wholes, others)).toBeGreaterThan(0);
  }, 120_000);

  it('are looked at again once a page was read again and its records have other dates', async () => {
    const [sample] = fc.sample(recordArbitrary, 1);
    const at = (dateMs: number): Unfed => ({ ...sample!, dateMs });
    const [id = 0] = await feed([[at(10), at(20)]]);
    const part: ScopePart = {
      snapshotId: id,
      recordCount: 2,
      spans: [{ fromMs: 0, toMs: 50 }],
      withUndated: true,
    };
    const findWholeParts = createWholeParts();
    const find = (reading: number) =>
      findWholeParts(connection, 'inbound', [part], [toSnapshot(id, 2, reading)]);
    expect(await find(0)).toEqual([{ ...part, spans: null, dates: { firstMs: 10, lastMs: 20 } }]);
    lastSnapshot -= 1;
    await feed([[at(10), at(50)]], 1);
    expect(await find(1)).toEqual([part]);
  });
});
