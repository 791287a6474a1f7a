import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GROUP_FIELDS, MAX_GROUPS } from '../../../src-main/common/model/analysis/grouping.ts';
import { countHitMinutes } from '../../../src-main/core/analysis/engine/count-over-time.ts';
import { groupRecords } from '../../../src-main/core/analysis/engine/measures/group-records.ts';
import {
  readDistribution,
  readHeatMap,
  readSeries,
} from '../../../src-main/core/analysis/engine/measures/read-series.ts';
import type { ResolvedScope, ScopePart } from '../../../src-main/core/analysis/engine/resolved-scope.ts';
import {
  judgePlainly,
  measurePlainly,
  measureTimes,
  near,
  toGroupValue,
  toWeekHour,
} from './measured-plainly.ts';
import { filterArbitrary, listScope, meets, recordArbitrary, type PlainRecord } from './random-records.ts';
import { useFedEngine, type UnfedRecord } from './use-fed-engine.ts';

const engine = useFedEngine();

const ALL = { conditions: [] };
const RUNS = { numRuns: Number(process.env['ANSWER_RUNS'] ?? 8) };

/** Feeds lists of records as snapshots, and says which records parts of them are. */
async function feed(
  lists: readonly (readonly UnfedRecord[])[],
  cut: (place: number) => Partial<ScopePart> = () => ({}),
): Promise<{ scope: ResolvedScope; records: PlainRecord[] }> {
  const fed = await engine.feed(lists);
  const parts = fed.map(({ part }, place): ScopePart => ({ ...part, ...cut(place) }));
  const snapshots = new Map(fed.map(({ part, records }) => [part.snapshotId, records]));
  return { scope: { direction: 'inbound', parts }, records: listScope(snapshots, parts) };
}

const listsArbitrary = fc.tuple(
  fc.array(recordArbitrary, { maxLength: 60 }),
  fc.array(recordArbitrary, { maxLength: 30 }),
);
const cutPeriod = (place: number): Partial<ScopePart> => ({
  spans: [{ fromMs: place * 30_000, toMs: (place + 1) * 30_000 }],
  withUndated: place === 0,
});
const byArbitrary = fc.subarray([...GROUP_FIELDS], { minLength: 0, maxLength: 2 });
const maxHeldArbitrary = fc.constantFrom(undefined, 70, 0);
/** Ways to measure times, each on its own, and what decides between them in the midst of the records. */
const limitsArbitrary = fc.constantFrom(
  ...[undefined, { fewRecords: 0, listedValues: 1e6 }, { fewRecords: 0, listedValues: 0 }],
  { fewRecords: 20, listedValues: 30 },
);

describe('groups of records', () => {
  it(
    'equal those of a plain walk, percentiles those of a sort, for any records, parts, filters and fields',
    { tags: 'long', timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          listsArbitrary,
          fc.boolean(),
          fc.array(fc.tuple(filterArbitrary, byArbitrary, limitsArbitrary), { minLength: 3, maxLength: 5 }),
          async (lists, isCut, questions) => {
            const { scope, records } = await feed(lists, isCut ? cutPeriod : undefined);
            for (const [filter, by, limits] of questions) {
              const found = records.filter((record) => meets(record, filter));
              const { groups, total, groupCount, unlistedCount } = await groupRecords(
                engine.connection,
                { scope, filter },
                by,
                { limits },
              );
              expect(total).toEqual(near(measurePlainly(found, [])));
              const keyOf = (record: PlainRecord) => by.map((field) => toGroupValue(record, field));
              const plain = [...Map.groupBy(found, (record) => JSON.stringify(keyOf(record)))].map(
                ([key, own]) => measurePlainly(own, JSON.parse(key) as (string | number | null)[]),
              );
              const expected = by.length === 0 ? [] : plain;
              expect(sortByKey(groups)).toEqual(near(sortByKey(expected)));
              expect(groups.map(({ count }) => count)).toEqual(
                expected.map(({ count }) => count).sort((a, b) => b - a),
              );
              expect([groupCount, unlistedCount]).toEqual([expected.length, 0]);
            }
          },
        ),
        RUNS,
      );
    },
  );

  it('of an empty scope are none, and all records together are none', async () => {
    const empty = { direction: 'inbound' as const, parts: [] };
    const wayArbitrary = fc.tuple(fc.constantFrom([], ['channel' as const]), limitsArbitrary);
    for (const [by, limits] of fc.sample(wayArbitrary, 12)) {
      const found = await groupRecords(engine.connection, { scope: empty, filter: ALL }, by, { limits });
      const { groups, total, groupCount, unlistedCount } = found;
      expect(total).toEqual(measurePlainly([], []));
      expect({ groups, groupCount, unlistedCount }).toEqual({ groups: [], groupCount: 0, unlistedCount: 0 });
    }
  });

  it('beyond the most that are listed are counted', async () => {
    const [record] = fc.sample(recordArbitrary, 1);
    const many = Array.from({ length: MAX_GROUPS + 7 }, (_, channel) => ({ ...record!, channel }));
    const { scope } = await feed([[...many, ...many.slice(0, 10)]]);
    for (const listedValues of [1e6, 0]) {
      const limits = { fewRecords: 0, listedValues };
      const found = await groupRecords(engine.connection, { scope, filter: ALL }, ['channel'], { limits });
      expect(found.groups).toHaveLength(MAX_GROUPS);
      expect(found.groups[0]).toMatchObject({ key: [0], count: 2 });
      expect(found).toMatchObject({ groupCount: MAX_GROUPS + 7, unlistedCount: 7 });
      expect(found.total.count).toBe(MAX_GROUPS + 17);
    }
  });
});

describe('sessions and clients with failures', () => {
  it('are counted once in the minutes that end with each, however often they fail', async () => {
    await fc.assert(
      fc.asyncProperty(listsArbitrary, fc.integer({ min: 1, max: 20 }), async (lists, minutes) => {
        const spread = lists.map((list) =>
          list.map((record) => ({ ...record, dateMs: record.dateMs === null ? null : record.dateMs * 20 })),
        );
        const { scope, records } = await feed(spread);
        const span = { fromMs: 120_000, toMs: 1_320_000 };
        const failed = records.filter(
          (record) =>
            judgePlainly(record) === 'failed' &&
            record.dateMs !== null &&
            record.dateMs >= span.fromMs &&
            record.dateMs < span.toMs,
        );
        for (const [measure, field] of [
          ['failed-sessions', 'sessionId'],
          ['failed-clients', 'client'],
        ] as const) {
          const [changes = []] = await countHitMinutes(
            engine.connection,
            { scope, filter: ALL },
            { ...span, measure, minutes },
          );
          const found = Array.from({ length: 20 }, (_, place) =>
            changes.reduce((sum, [at, more]) => (at <= place ? sum + more : sum), 0),
          );
          const plain = Array.from({ length: 20 }, (_, place) => {
            const toMs = span.fromMs + (place + 1) * 60_000;
            const within = failed.filter(
              ({ dateMs }) => dateMs !== null && dateMs >= toMs - minutes * 60_000 && dateMs < toMs,
            );
            return new Set(within.map((record) => record[field]).filter((who) => who !== '')).size;
          });
          expect(found).toEqual(plain);
        }
      }),
      RUNS,
    );
  }, 300_000);
});

const HOUR_MS = 3_600_000;
/** Nights in which some clock is set forward or back by an hour or by half of one, and a time before 1970. */
const changeArbitrary = fc.constantFrom(
  Date.UTC(2026, 2, 29),
  Date.UTC(2026, 9, 25),
  Date.UTC(2026, 3, 4, 14),
  Date.UTC(2026, 10, 1, 6),
  Date.UTC(1969, 11, 30),
);
const zoneArbitrary = fc.constantFrom(
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', '-05:00'],
);
const hoursArbitrary = fc.array(fc.integer({ min: -40 * HOUR_MS, max: 40 * HOUR_MS }), { minLength: 60 });

describe('the hours of a week', () => {
  it('are those that the clock of a zone shows, whenever it is changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        ...([fc.array(recordArbitrary, { minLength: 60, maxLength: 60 }), changeArbitrary] as const),
        ...([zoneArbitrary, hoursArbitrary, filterArbitrary, maxHeldArbitrary] as const),
        async (plain, changeMs, zone, hours, filter, maxHeld) => {
          const dated = plain.map((record, place) => ({
            ...record,
            dateMs: record.dateMs === null ? null : changeMs + (hours[place] ?? 0),
          }));
          const { scope, records } = await feed([dated]);
          const found = records.filter((record) => meets(record, filter));
          const { cells } = await readHeatMap(engine.connection, { scope, filter }, zone, maxHeld);
          const own = Map.groupBy(found, ({ dateMs }) => (dateMs === null ? null : toWeekHour(dateMs, zone)));
          const expected = Array.from({ length: 168 }, (_, hour) => measurePlainly(own.get(hour) ?? [], []));
          expect(cells).toEqual(
            near(
              expected.map(({ count, failures, response }) => ({
                count,
                failures,
                medianMs: response.medianMs,
              })),
            ),
          );
        },
      ),
      RUNS,
    );
  }, 300_000);
});

describe('a series', () => {
  it('measures the records of each bucket, however long it is', async () => {
    const edgesArbitrary = fc.uniqueArray(fc.integer({ min: -100, max: 61_000 }), {
      minLength: 2,
      maxLength: 9,
    });
    await fc.assert(
      fc.asyncProperty(
        listsArbitrary,
        edgesArbitrary,
        filterArbitrary,
        maxHeldArbitrary,
        async (lists, numbers, filter, maxHeld) => {
          const edges = numbers.sort((a, b) => a - b);
          const { scope, records } = await feed(lists, cutPeriod);
          const found = records.filter((record) => meets(record, filter));
          const expected = edges.slice(0, -1).map((fromMs, place) => {
            const toMs = edges[place + 1]!;
            const inside = found.filter(({ dateMs }) => dateMs !== null && dateMs >= fromMs && dateMs < toMs);
            const { count, failures, response } = measurePlainly(inside, []);
            return { fromMs, toMs, count, failures, medianMs: response.medianMs, p95Ms: response.p95Ms };
          });
          expect(await readSeries(engine.connection, { scope, filter }, edges, maxHeld)).toEqual(
            near(expected),
          );
        },
      ),
      RUNS,
    );
  }, 300_000);
});

describe('a distribution', () => {
  it('counts each time once, and the records without one beside them', async () => {
    const fieldArbitrary = fc.constantFrom('responseTimeMs' as const, 'botLatencyMs' as const);
    await fc.assert(
      fc.asyncProperty(listsArbitrary, fieldArbitrary, filterArbitrary, async (lists, field, filter) => {
        const { scope, records } = await feed(lists);
        const values = records.filter((record) => meets(record, filter)).map((record) => record[field]);
        const { buckets, times, missingCount } = await readDistribution(
          engine.connection,
          { scope, filter },
          field,
        );
        expect(times).toEqual(near(measureTimes(values)));
        expect(missingCount).toBe(values.filter((value) => value === null).length);
        for (const [place, { fromMs, toMs, count }] of buckets.entries()) {
          const inside = values.filter(
            (value) => value !== null && value >= fromMs && value < (toMs ?? Infinity),
          );
          expect(count).toBe(inside.length);
          expect(fromMs).toBe(buckets[place - 1]?.toMs ?? fromMs);
        }
        expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(times.count);
        if (times.count > 0) expect([buckets[0]!.count > 0, buckets.at(-1)!.count > 0]).toEqual([true, true]);
      }),
      RUNS,
    );
  }, 300_000);
});

describe('of an empty scope', () => {
  it('everything is there and empty', async () => {
    const empty = { direction: 'inbound' as const, parts: [] };
    const { cells } = await readHeatMap(engine.connection, { scope: empty, filter: ALL }, 'Europe/Berlin');
    expect(new Set(cells.map(({ count }) => count))).toEqual(new Set([0]));
    expect(await readSeries(engine.connection, { scope: empty, filter: ALL }, [0, 10])).toEqual([
      { fromMs: 0, toMs: 10, count: 0, failures: 0, medianMs: null, p95Ms: null },
    ]);
    expect(
      await readDistribution(engine.connection, { scope: empty, filter: ALL }, 'responseTimeMs'),
    ).toEqual({
      buckets: [],
      times: measureTimes([]),
      missingCount: 0,
    });
  });
});

function sortByKey<Group extends { readonly key: readonly unknown[] }>(groups: readonly Group[]): Group[] {
  return [...groups].sort((a, b) => (JSON.stringify(a.key) < JSON.stringify(b.key) ? -1 : 1));
}
