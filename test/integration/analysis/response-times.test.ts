import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import type { ResponseTimes } from '../../../src-main/common/model/records/histogram.ts';
import { DAY_MS, HOUR_MS } from '../../../src-main/common/time/durations.ts';
import { listBucketEdges, pickBucketWidth } from '../../../src-main/common/time/civil-time.ts';
import {
  MAX_TIMES_ROWS,
  readResponseTimes,
} from '../../../src-main/core/analysis/engine/measures/read-series.ts';
import { readArea } from '../../../src-renderer/charts/heat/times-grid.ts';
import { toTimeCondition } from '../../../src-renderer/charts/chart-marks.ts';
import { judgePlainly } from './measured-plainly.ts';
import { filterArbitrary, meets, recordArbitrary, type PlainRecord } from './random-records.ts';
import { useFedEngine } from './use-fed-engine.ts';

const engine = useFedEngine();
const RUNS = { numRuns: Number(process.env['ANSWER_RUNS'] ?? 12) };
/** Clocks go back in the night of 25 October 2026 in Berlin and New York's week after; Lord Howe changes by half an hour. */
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
const OCTOBER_MS = Date.UTC(2026, 9, 24);

const timeArbitrary = fc.option(
  fc.oneof(
    // Edges, and what is just below or far beyond them.
    fc.constantFrom(1, 1.5, 2, 8, 10, 100, 150, 200, 300, 1000, 60_000, 10_000_000),
    fc.constantFrom(-5, 0, 0.5, 9.999, 999.5, 1e12),
    fc.double({ min: 0, max: 20_000, noNaN: true }),
    fc.integer({ min: 0, max: 200 }),
  ),
);
const timedArbitrary = fc
  .tuple(recordArbitrary, timeArbitrary, fc.option(fc.integer({ min: 0, max: 16 * DAY_MS }), { freq: 8 }))
  .map(([record, responseTimeMs, atMs]) => ({
    ...record,
    responseTimeMs,
    dateMs: atMs === null ? null : OCTOBER_MS + atMs,
  }));

/** Every cell is counted by walking over all records: it holds those between its own edges. */
function countPlainly(
  { buckets, rows }: ResponseTimes,
  records: readonly PlainRecord[],
): ResponseTimes['cells'] {
  const isIn = (value: number, { fromMs, toMs }: { fromMs: number | null; toMs: number | null }): boolean =>
    value >= (fromMs ?? -Infinity) && value < (toMs ?? Infinity);
  return buckets.flatMap((span, bucket) =>
    rows.flatMap((times, row) => {
      const own = records.filter(
        ({ dateMs, responseTimeMs }) =>
          dateMs !== null && responseTimeMs !== null && isIn(dateMs, span) && isIn(responseTimeMs, times),
      );
      const failures = own.filter((record) => judgePlainly(record) === 'failed').length;
      return own.length === 0 ? [] : [{ bucket, row, count: own.length, failures }];
    }),
  );
}

describe('response times over time', () => {
  it('equal a plain walk for any records, filters, buckets and zones', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(timedArbitrary, { minLength: 40, maxLength: 120 }),
        fc.oneof(fc.constant<RecordFilter>({ conditions: [] }), filterArbitrary),
        fc.constantFrom(...ZONES),
        fc.integer({ min: 0, max: 8 * 24 }),
        fc.integer({ min: 1, max: 8 * 24 }),
        fc.constantFrom(5, 30, 96, 300),
        async (list, filter, zone, startHours, hours, maxBuckets) => {
          const [fed] = await engine.feed([list]);
          const fromMs = OCTOBER_MS + startHours * HOUR_MS;
          const toMs = fromMs + hours * HOUR_MS;
          const edges = listBucketEdges(fromMs, toMs, pickBucketWidth(toMs - fromMs, maxBuckets), zone);
          const found = fed!.records.filter((record) => meets(record, filter));
          const answer = await readResponseTimes(
            engine.connection,
            { scope: fed!.scope, filter },
            { edges, field: 'responseTimeMs' },
          );
          expect(answer.cells).toEqual(countPlainly(answer, found));
          const inside = found.filter(
            ({ dateMs }) => dateMs !== null && dateMs >= edges[0]! && dateMs < edges.at(-1)!,
          );
          // The rows leave no record out: one after the other, without a hole.
          expect(answer.cells.reduce((sum, { count }) => sum + count, 0) + answer.missingCount).toBe(
            inside.length,
          );
          expect(answer.missingCount).toBe(
            inside.filter(({ responseTimeMs }) => responseTimeMs === null).length,
          );
          expect(answer.rows.slice(1).map(({ fromMs: from }) => from)).toEqual(
            answer.rows.slice(0, -1).map(({ toMs: to }) => to),
          );
          expect(answer.rows.length).toBeLessThanOrEqual(MAX_TIMES_ROWS);
        },
      ),
      RUNS,
    );
  }, 300_000);

  it('of a rectangle are those of the filter that it becomes, to the last record', async () => {
    const [low, high] = [fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 })];
    await fc.assert(
      fc.asyncProperty(
        fc.array(timedArbitrary, { minLength: 40, maxLength: 120 }),
        fc.tuple(low, high, low, high),
        async (list, corners) => {
          const [fed] = await engine.feed([list]);
          const edges = listBucketEdges(OCTOBER_MS, OCTOBER_MS + 16 * DAY_MS, DAY_MS, 'Europe/Berlin');
          const ask = (filter: RecordFilter) =>
            readResponseTimes(
              engine.connection,
              { scope: fed!.scope, filter },
              { edges, field: 'responseTimeMs' },
            );
          const answer = await ask({ conditions: [] });
          const [one, other, below, above] = corners;
          const toRange = (a: number, b: number, count: number) => ({
            start: Math.min(a, b) % count,
            end: Math.max(Math.min(a, b) % count, Math.max(a, b) % count) + 1,
          });
          fc.pre(answer.rows.length > 0);
          const area = readArea(answer, {
            columns: toRange(one, other, answer.buckets.length),
            rows: toRange(below, above, answer.rows.length),
          });
          const { span, times, count, failures } = area!;
          const time = { field: 'dateMs' as const, min: span.fromMs, max: span.toMs };
          const conditions = [time, toTimeCondition(times)];
          const found = fed!.records.filter((record) => meets(record, { conditions }));
          expect(found).toHaveLength(count);
          const { cells, missingCount } = await ask({ conditions });
          const sum = (name: 'count' | 'failures') => cells.reduce((all, cell) => all + cell[name], 0);
          expect([sum('count'), sum('failures'), missingCount]).toEqual([count, failures, 0]);
        },
      ),
      RUNS,
    );
  }, 300_000);

  it('begin and end with rows that hold a record, in round numbers however far apart', async () => {
    const [record] = fc.sample(timedArbitrary, 1);
    const at = (responseTimeMs: number) => ({ ...record!, dateMs: OCTOBER_MS, responseTimeMs });
    const read = async (times: readonly number[]) => {
      const [fed] = await engine.feed([times.map(at)]);
      const question = { scope: fed!.scope, filter: { conditions: [] } };
      const shape = { edges: [OCTOBER_MS, OCTOBER_MS + HOUR_MS], field: 'responseTimeMs' as const };
      return (await readResponseTimes(engine.connection, question, shape)).rows;
    };
    expect(await read([120, 210])).toEqual([
      { fromMs: 100, toMs: 150 },
      { fromMs: 150, toMs: 200 },
      { fromMs: 200, toMs: 300 },
    ]);
    expect((await read([2, 9_000_000])).slice(0, 4).map(({ fromMs }) => fromMs)).toEqual([2, 4, 6, 10]);
    expect((await read([0, 1e12])).at(-1)).toEqual({ fromMs: 10_000_000, toMs: null });
    expect(await read([])).toEqual([]);
  });

  it('of a direction that lacks the time are all missing', async () => {
    const empty = { direction: 'outbound' as const, parts: [] };
    const shape = { edges: [0, 1000], field: 'botLatencyMs' as const };
    const answer = await readResponseTimes(
      engine.connection,
      { scope: empty, filter: { conditions: [] } },
      shape,
    );
    expect(answer).toEqual({ buckets: [{ fromMs: 0, toMs: 1000 }], rows: [], cells: [], missingCount: 0 });
  });
});
