import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Period } from '../../../src-main/common/model/period.ts';
import type { PeriodScope } from '../../../src-main/common/model/records/record-filter.ts';
import type { RecordOrder } from '../../../src-main/common/model/records/record.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { createRecordsHandlers } from '../../../src-main/core/records/records-handlers.ts';
import {
  createDocument,
  fillSnapshot,
  FROM_MS,
  toBody,
  toNewSnapshot,
  toPage,
} from '../cache/cache-fixture.ts';
import { shareCache } from '../cache/share-cache.ts';

const RECEIVED: RecordOrder = [{ column: 'received', descending: false }];
const ALL = { conditions: [] };
const DAY_MS = 86_400_000;

let cache: Cache;
let engine: Engine;
let records: ReturnType<typeof createRecordsHandlers>;
shareCache((shared) => {
  ({ cache, engine } = shared);
  records = createRecordsHandlers({ cache, engine, connections: { listSaved: () => [] } });
});

const toPeriod = (fromS: number, toS: number): Period => ({
  ...toNewSnapshot().period,
  fromMs: FROM_MS + fromS * 1000,
  toMs: FROM_MS + (toS - 1) * 1000,
});
const toScope = (fromS: number, toS: number, connectionId = 'one'): PeriodScope => ({
  connectionId,
  report: 'inbound-detail',
  fromMs: FROM_MS + fromS * 1000,
  toMs: FROM_MS + toS * 1000,
});

type Document = ReturnType<typeof createDocument>;

/** A record at a moment, in seconds; `name` tells one from another at the same moment. */
const at = (second: number, name = ''): Document =>
  createDocument(0, { Date: new Date(FROM_MS + second * 1000).toISOString(), Client: name });
const undated = (name: string): Document => createDocument(0, { Date: 'soon', Client: name });

/** Stores a download; an incomplete one holds these records of its period and was then cut off. */
async function fetch(
  [fromS, toS]: readonly [number, number],
  documents: readonly Document[],
  { isComplete = true, startedAtMs = FROM_MS + DAY_MS, connectionId = 'one' } = {},
): Promise<number> {
  const about = { period: toPeriod(fromS, toS), startedAtMs, connectionId };
  if (isComplete) return fillSnapshot(cache, [...documents], about);
  const { id } = await cache.createSnapshot(toNewSnapshot(about));
  const page = toPage(id, '', startedAtMs);
  await cache.storePage(page, toBody([...documents], 'more', documents.length + 10)).stored;
  await cache.finishSnapshot({ snapshotId: id, state: 'incomplete', failure: null });
  return id;
}

async function readClients(scope: PeriodScope): Promise<string[]> {
  const { viewId, rowCount } = await records['records/open-view']({ scope, filter: ALL, order: RECEIVED });
  const rows = await records['records/read-rows']({ viewId, offset: 0, limit: 500 });
  expect(rows).toHaveLength(rowCount);
  await records['records/close-view']({ viewId });
  return rows.map(({ client }) => client).sort();
}

describe('decision 33, client: which snapshot counts', () => {
  it('is decided for each moment: two halves hold what the whole period holds', async () => {
    // Each was cut off in another place.
    await fetch([0, 100], [at(10, 'a'), at(60, 'b'), at(70, 'c')], { isComplete: false });
    await fetch([0, 100], [at(10, 'a'), at(20, 'd')], { isComplete: false });
    expect(await readClients(toScope(0, 100))).toEqual(['a', 'b', 'c', 'd']);
    expect(await readClients(toScope(0, 50))).toEqual(['a', 'd']);
    expect(await readClients(toScope(50, 100))).toEqual(['b', 'c']);
  });

  it('equals what a plain walk over moments finds, for any snapshots and cuts', async () => {
    const moment = fc.integer({ min: 0, max: 239 }).map((place) => place / 4);
    const snapshot = fc.record({
      fromS: fc.integer({ min: 0, max: 50 }),
      lengthS: fc.integer({ min: 1, max: 30 }),
      moments: fc.array(moment, { maxLength: 20 }),
      isComplete: fc.boolean(),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(snapshot, { minLength: 1, maxLength: 5 }),
        fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 3, maxLength: 5 }),
        async (snapshots, cuts) => {
          round += 1;
          const connectionId = `round-${round}`;
          const stored = snapshots.map(({ fromS, lengthS, moments, isComplete }) => ({
            fromS,
            toS: fromS + lengthS,
            moments: moments.filter((second) => second >= fromS && second < fromS + lengthS),
            isComplete,
          }));
          for (const { fromS, toS, moments, isComplete } of stored) {
            const documents = moments.map((second) => at(second));
            await fetch([fromS, toS], documents, { isComplete, connectionId });
          }
          const countAt = (second: number): number => {
            let most = 0;
            for (const { fromS, toS, moments, isComplete } of stored.toReversed()) {
              if (second < fromS || second >= toS) continue;
              most = Math.max(most, moments.filter((own) => own === second).length);
              if (isComplete) return most;
            }
            return most;
          };
          const places = Array.from({ length: 4 * 81 }, (_none, place) => place / 4);
          const edges = [...new Set([0, ...cuts, 81])].sort((a, b) => a - b);
          for (const [place, fromS] of edges.slice(0, -1).entries()) {
            for (const toS of edges.slice(place + 1)) {
              const expected = places
                .filter((second) => second >= fromS && second < toS)
                .reduce((sum, second) => sum + countAt(second), 0);
              const found = await readClients(toScope(fromS, toS, connectionId));
              expect(found).toHaveLength(expected);
            }
          }
        },
      ),
      { numRuns: Number(process.env['PERIOD_RUNS'] ?? 8) },
    );
  }, 120_000);

  it('compares longer moments where the owner would change too often, and adds up all the same', async () => {
    const even = Array.from({ length: 1500 }, (_none, place) => at(place / 10, 'even'));
    const odd = even.map((_none, place) => at(place / 10 + 0.05, 'odd'));
    await fetch([0, 200], even, { isComplete: false });
    await fetch([0, 200], [...odd, at(160, 'last')], { isComplete: false });
    const count = async (fromS: number, toS: number): Promise<number> =>
      (await readClientCounts(toScope(fromS, toS))).reduce((sum, [, own]) => sum + own, 0);
    // Each second has ten of both; the one fetched later counts.
    expect(await count(0, 200)).toBe(1501);
    expect((await count(0, 77)) + (await count(77, 200))).toBe(1501);
  });

  it('follows the order of fetching, not a clock that was ahead', async () => {
    const ahead = Date.UTC(2100, 0);
    await fetch([0, 100], [at(1, 'old'), at(2, 'old')], { startedAtMs: ahead });
    await fetch([0, 100], [at(1, 'new'), at(2, 'new'), at(3, 'new')]);
    expect(await readClients(toScope(0, 100))).toEqual(['new', 'new', 'new']);
  });

  it('counts a record without a date once among equal ones of overlapping snapshots', async () => {
    await fetch([0, 100], [at(1), undated('x'), undated('x'), undated('only before')]);
    await fetch([50, 150], [at(60), undated('x'), undated('only after')]);
    await fetch([300, 400], [undated('x')]);
    const named = async (fromS: number, toS: number): Promise<string[]> =>
      (await readClients(toScope(fromS, toS))).filter((name) => name !== '');
    expect(await named(0, 150)).toEqual(['only after', 'only before', 'x', 'x']);
    expect(await named(0, 100)).toEqual(['only before', 'x', 'x']);
    expect(await named(50, 150)).toEqual(['only after', 'x']);
    // Too far away to be the same one.
    expect(await named(0, 400)).toEqual(['only after', 'only before', 'x', 'x', 'x']);
  });

  it('keeps a record without a date that only an incomplete snapshot holds', async () => {
    await fetch([0, 100], [at(1), undated('x')], { isComplete: false });
    await fetch([0, 100], [at(1), at(2)], { isComplete: false });
    expect((await readClients(toScope(0, 100))).filter((name) => name !== '')).toEqual(['x']);
    await fetch([0, 100], [at(1), at(2)]);
    expect((await readClients(toScope(0, 100))).filter((name) => name !== '')).toEqual([]);
  });
});

async function readClientCounts(scope: PeriodScope): Promise<(readonly [string, number])[]> {
  const { groups } = await engine.groupRecords({ scope, filter: ALL, by: ['channel'] });
  return groups.map(({ key, count }) => [String(key[0]), count]);
}
