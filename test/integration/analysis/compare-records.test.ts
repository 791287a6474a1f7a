import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ComparedMeasure } from '../../../src-main/common/model/analysis/comparison.ts';
import { GROUP_FIELDS, type GroupField } from '../../../src-main/common/model/analysis/grouping.ts';
import type { RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import { toQuantileRanks } from '../../../src-main/common/statistics.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import { compareRecords } from '../../../src-main/core/analysis/engine/measures/compare-records.ts';
import type { ResolvedScope } from '../../../src-main/core/analysis/engine/resolved-scope.ts';
import { createCompareHandlers } from '../../../src-main/core/compare/compare-handlers.ts';
import { measurePlainly, toGroupValue } from './measured-plainly.ts';
import { filterArbitrary, meets, recordArbitrary, type PlainRecord } from './random-records.ts';
import { useFedEngine, type FedSnapshot, type UnfedRecord } from './use-fed-engine.ts';

const fedEngine = useFedEngine();

const ALL: RecordFilter = { conditions: [] };

interface Side {
  readonly scope: ResolvedScope;
  readonly filter: RecordFilter;
}

type Pair = readonly [readonly UnfedRecord[], readonly UnfedRecord[]];

const feed = async (lists: Pair) => (await fedEngine.feed(lists)) as [FedSnapshot, FedSnapshot];

/** Asks the handlers, over an engine that reads what was fed. */
function ask(before: FedSnapshot, after: FedSnapshot, by: GroupField[], measure: ComparedMeasure) {
  const engine = {
    compareRecords: ({ quantile, isVolume }: { quantile: number | null; isVolume: boolean }) =>
      compareRecords(
        fedEngine.connection,
        [
          { scope: before.scope, filter: ALL },
          { scope: after.scope, filter: ALL },
        ],
        { by, quantile, isVolume },
      ),
  } as unknown as Engine;
  const side = { scope: { snapshotId: 1 }, filter: ALL, lengthMs: 1000 };
  const input = {
    before: side,
    after: { ...side, lengthMs: 2000 },
    by,
    measure,
    quantile: 'median' as const,
  };
  return createCompareHandlers({ engine })['compare/compare-groups'](input);
}

function countHit(records: readonly PlainRecord[], field: 'sessionId' | 'client'): number {
  const failed = records.filter((record) => measurePlainly([record], []).failures > 0);
  return new Set(failed.flatMap((record) => record[field] || [])).size;
}

const listArbitrary = fc.array(recordArbitrary, { maxLength: 60 });
const byArbitrary = fc.subarray([...GROUP_FIELDS], { minLength: 1, maxLength: 2 });

describe('two periods side by side', () => {
  it(
    'count what a plain walk counts, for any records, filters and fields',
    { tags: 'long', timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.tuple(listArbitrary, listArbitrary),
          fc.tuple(filterArbitrary, filterArbitrary),
          byArbitrary,
          fc.constantFrom(undefined, 0),
          async (lists, filters, by, maxListed) => {
            const fed = await feed(lists);
            const found = fed.map(({ records }, side) => records.filter((one) => meets(one, filters[side]!)));
            const { groups } = await compareRecords(
              fedEngine.connection,
              [
                { scope: fed[0].scope, filter: filters[0] },
                { scope: fed[1].scope, filter: filters[1] },
              ],
              { by, quantile: 0.5, isVolume: true },
              maxListed,
            );
            const keysOf = (depth: number): string[] => [
              ...new Set(
                found
                  .flat()
                  .map((one) => JSON.stringify(by.slice(0, depth).map((field) => toGroupValue(one, field)))),
              ),
            ];
            const expected = ['[]', ...by.flatMap((_, depth) => keysOf(depth + 1))];
            expect(groups.map(({ key }) => JSON.stringify(key)).sort()).toEqual(expected.sort());
            for (const { key, before, after } of groups) {
              for (const [side, own] of [before, after].entries()) {
                const records = found[side]!.filter((one) =>
                  key.every((value, place) => toGroupValue(one, by[place]!) === value),
                );
                const plain = measurePlainly(records, []);
                expect(own).toMatchObject({
                  count: plain.count,
                  failures: plain.failures,
                  timed: plain.response.count,
                  failedSessions: countHit(records, 'sessionId'),
                  failedClients: countHit(records, 'client'),
                });
                for (const name of ['averageMs', 'medianMs', 'p95Ms'] as const) {
                  if (plain.response[name] === null) expect(own[name]).toBeNull();
                  else expect(own[name]).toBeCloseTo(plain.response[name], 3);
                }
              }
            }
          },
        ),
        { numRuns: Number(process.env['ANSWER_RUNS'] ?? 10) },
      );
    },
  );

  it('have contributions that add up to the change of all, by both fields, and turn when swapped', async () => {
    await fc.assert(
      fc.asyncProperty(listArbitrary, listArbitrary, byArbitrary, async (one, other, by) => {
        const [before, after] = await feed([one, other]);
        for (const measure of ['error-share', 'volume'] as const) {
          const forth = await ask(before, after, by, measure);
          const { total } = forth;
          if (total.contribution === null) {
            expect([total.before.count, total.after.count]).toContain(0);
            continue;
          }
          for (const list of by.length === 2 ? [forth.groups, forth.parts] : [forth.groups]) {
            const sum = list.reduce((all, group) => all + (group.contribution ?? NaN), 0);
            expect(sum).toBeCloseTo(total.difference ?? 0, 8);
          }
          if (measure !== 'error-share') continue;
          expect(total.rate).toBeCloseTo(
            forth.groups.reduce((all, group) => all + (group.rate ?? NaN), 0),
            8,
          );
          expect((total.rate ?? NaN) + (total.mix ?? NaN)).toBeCloseTo(total.contribution, 8);
          const back = await ask(after, before, by, measure);
          expect(back.total.difference).toBeCloseTo(-(total.difference ?? NaN), 10);
          expect(back.total.interval?.low).toBeCloseTo(-(total.interval?.high ?? NaN), 10);
          expect(back.total.certainty).toBe(total.certainty);
        }
      }),
      { numRuns: Number(process.env['ANSWER_RUNS'] ?? 5) },
    );
  }, 300_000);

  it('say between which times a median lies, as the values in their order do', async () => {
    const [sample] = fc.sample(recordArbitrary, 1);
    const make = (times: readonly number[]) =>
      times.map((responseTimeMs) => ({ ...sample!, channel: 7, responseTimeMs }));
    const slow = Array.from({ length: 301 }, (_, place) => 2 * place);
    const fast = Array.from({ length: 41 }, (_, place) => place);
    const compare = async (lists: Pair, maxListed?: number) => {
      const [before, after] = (await feed(lists)).map(({ scope }) => ({ scope, filter: ALL })) as [
        Side,
        Side,
      ];
      return (
        await compareRecords(
          fedEngine.connection,
          [before, after],
          { by: ['channel'], quantile: 0.5, isVolume: false },
          maxListed,
        )
      ).groups;
    };
    // Ranked here, and sorted by the engine.
    const groups = [
      ...(await compare([make(fast), make(slow)])),
      ...(await compare([make(fast), make(slow)], 0)),
    ];
    expect(groups).toHaveLength(4);
    const intervalOf = (values: readonly number[]) => {
      const ranks = toQuantileRanks(values.length, 0.5)!;
      return { low: values[ranks.low - 1], high: values[ranks.high - 1] };
    };
    for (const { intervals } of groups) {
      for (const [found, values] of [
        [intervals.before, fast],
        [intervals.after, slow],
      ] as const) {
        expect(found).toEqual(intervalOf(values));
      }
    }
    const [few] = await compare([make([1, 2, 3]), []]);
    expect(few?.intervals).toEqual({ before: null, after: null });
  });

  it('take the requests of a session together in a volume, however long one of them took', async () => {
    const [sample] = fc.sample(recordArbitrary, 1);
    const make = (sessions: number, longestMs: number) =>
      Array.from({ length: sessions * 10 }, (_, place) => ({
        ...sample!,
        channel: 7,
        sessionId: `session ${Math.floor(place / 10)}`,
        responseTimeMs: place === 0 ? longestMs : 100,
      }));
    const readInterval = async (longestMs: number) => {
      const [before, after] = await feed([make(20, longestMs), make(40, longestMs)]);
      return (await ask(before, after, ['channel'], 'volume')).total.interval;
    };
    const usual = await readInterval(100);
    expect(await readInterval(1e300)).toEqual(usual);
    // Forty sessions in twice the time of twenty: as wide as for a tenth of the requests, each ten times.
    expect(usual!.high - usual!.low).toBeGreaterThan(2 * 1.96 * Math.sqrt(10 * (400 + 4 * 200)) * 0.9);
  });

  it('are nothing where nothing is cached', async () => {
    const [before, after] = await feed([[], []]);
    const found = await ask(before, after, ['channel', 'service'], 'error-share');
    expect(found).toMatchObject({ groups: [], parts: [], unlistedCount: 0 });
    expect(found.total).toMatchObject({
      key: [],
      difference: null,
      contribution: null,
      certainty: 'too-few',
    });
  });
});
