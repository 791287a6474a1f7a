import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listLeaves } from '../../../src-main/common/query/filter-tree.ts';
import type { Explanation } from '../../../src-main/common/model/analysis/comparison.ts';
import type { FieldCondition, RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import {
  explainSelection,
  EXPLAIN_LIMITS,
  type ExplainLimits,
} from '../../../src-main/core/analysis/engine/measures/explain/explain-selection.ts';
import type { KeptCondition } from '../../../src-main/core/analysis/engine/filter-sql.ts';
import type { OwnColumn } from '../../../src-main/core/analysis/engine/own-values.ts';
import type { ResolvedScope } from '../../../src-main/core/analysis/engine/resolved-scope.ts';
import { measureTimes, near, toGroupValue } from './measured-plainly.ts';
import { filterArbitrary, meets, recordArbitrary, type PlainRecord } from './random-records.ts';
import { useFedEngine, type FedSnapshot, type UnfedRecord } from './use-fed-engine.ts';

const engine = useFedEngine();

const ALL: RecordFilter = { conditions: [] };

const feed = async (records: readonly UnfedRecord[]) => (await engine.feed([records]))[0] as FedSnapshot;

/** Numbers that look drawn by chance, the same in each run. */
function createChance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** A day of requests, one a second for so long, without anything that stands out. */
function createQuiet(count: number, draw: (below: number) => number): UnfedRecord[] {
  return Array.from({ length: count }, (_, second) => ({
    dateMs: second * 1000,
    sessionId: `session ${second}`,
    channel: draw(3),
    service: draw(8),
    client: `client ${draw(40)}`,
    responseTimeMs: 100 + draw(200),
    responseCode: draw(20) === 0 ? 404 : 200,
    error: '',
    origin: draw(2) === 0 ? 'web' : 'app',
    botLatencyMs: draw(50),
    payload: '',
  }));
}

const during = (fromS: number, toS: number): RecordFilter => ({
  conditions: [{ field: 'dateMs', min: fromS * 1000, max: toS * 1000 }],
});
const explain = (
  scope: ResolvedScope,
  selection: RecordFilter,
  filter = ALL,
  limits?: ExplainLimits,
): Promise<Explanation> => explainSelection(engine.connection, scope, { filter, selection }, { limits });

describe('what sets a selection apart', () => {
  it(
    'is counted as a plain walk counts it, for any records, filter and selection',
    { tags: 'long', timeout: 300_000 },
    async () => {
      const many = fc.array(recordArbitrary, { minLength: 60, maxLength: 120 });
      await fc.assert(
        fc.asyncProperty(
          many,
          filterArbitrary,
          filterArbitrary,
          fc.constantFrom(
            undefined,
            { records: 0, values: 1e6, sessionRecords: 1e6, held: 1e6 },
            { records: 0, values: 0, sessionRecords: 10, held: 0 },
          ),
          async (plain, filter, selection, limits) => {
            const { scope, records } = await feed(plain);
            const whole = records.filter((record) => meets(record, filter));
            const sides = {
              inside: whole.filter((record) => meets(record, selection)),
              outside: whole.filter((record) => !meets(record, selection)),
            };
            const found = await explain(scope, selection, filter, limits);
            expect([found.insideCount, found.outsideCount]).toEqual([
              sides.inside.length,
              sides.outside.length,
            ]);
            const hit = (field: 'sessionId' | 'client') =>
              new Set(sides.inside.flatMap((record) => record[field] || [])).size;
            expect([found.sessionCount, found.clientCount]).toEqual([hit('sessionId'), hit('client')]);
            const isEnough = Math.min(sides.inside.length, sides.outside.length) >= 20;
            expect(found.values.length > 0).toBe(isEnough && found.values.length > 0);
            for (const { terms, inside, outside, difference, ...own } of found.values) {
              const count = (own: readonly PlainRecord[]) =>
                own.filter((record) =>
                  terms.every(({ field, value }) => toGroupValue(record, field) === value),
                ).length;
              expect([inside, outside]).toEqual([count(sides.inside), count(sides.outside)]);
              const ofValue = sides.inside.filter((record) =>
                terms.every(({ field, value }) => toGroupValue(record, field) === value),
              );
              const affected = (field: 'sessionId' | 'client') =>
                new Set(ofValue.flatMap((record) => record[field] || [])).size;
              expect([own.sessionCount, own.clientCount]).toEqual([
                affected('sessionId'),
                affected('client'),
              ]);
              const share = inside / found.insideCount - outside / found.outsideCount;
              expect(difference.low <= share && share <= difference.high).toBe(true);
              expect(listLeaves(selection).some(({ field }) => field === terms[0]?.field)).toBe(false);
            }
            for (const [field, times] of [
              ['responseTimeMs', found.response],
              ['botLatencyMs', found.botLatency],
            ] as const) {
              for (const side of ['inside', 'outside'] as const) {
                const { count, medianMs, p95Ms } = measureTimes(sides[side].map((record) => record[field]));
                expect(times[side]).toEqual(near({ count, medianMs, p95Ms }));
              }
            }
          },
        ),
        { numRuns: Number(process.env['ANSWER_RUNS'] ?? 8) },
      );
    },
  );

  it('begins with the two values that together tell it best, each surely, and says that it took longer', async () => {
    const draw = createChance(7);
    const quiet = createQuiet(4000, draw);
    const records = quiet.map((record, second) =>
      // Ten minutes in which service 7 mostly times out, and gets more requests than usual.
      second >= 2000 && second < 2600 && draw(10) < 6
        ? {
            ...record,
            service: 7,
            channel: 2,
            responseCode: 504,
            error: `No answer in ${second} ms`,
            responseTimeMs: 10_000,
          }
        : draw(300) === 0
          ? { ...record, responseCode: 504, error: 'No answer in 9 ms' }
          : record,
    );
    const { scope } = await feed(records);
    const found = await explain(scope, during(2000, 2600));
    const [first] = found.values;
    expect(first?.terms).toHaveLength(2);
    expect(first?.certainty).toBe('certain');
    const told = found.values.filter(({ certainty }) => certainty === 'certain').map(({ terms }) => terms);
    const find = (field: string, value: unknown) =>
      told.findIndex(([term, ...rest]) => rest.length === 0 && term?.field === field && term.value === value);
    expect(find('responseCode', 504)).toBeGreaterThan(0);
    expect(find('service', 7)).toBeGreaterThan(0);
    expect(find('errorFamily', 'No answer in <number>')).toBeGreaterThan(0);
    // What is rarer stands after what is more frequent.
    expect(find('responseCode', 200)).toBeGreaterThan(find('service', 7));
    expect(found.response).toMatchObject({ inside: { medianMs: 10_000 }, certainty: 'certain' });
    expect(found.botLatency.certainty).toBe('chance');
    // Sorted by the engine, as of very many different times, they say the same.
    const sorted = await explain(scope, during(2000, 2600), ALL, {
      ...EXPLAIN_LIMITS,
      records: 0,
      values: 0,
    });
    expect(sorted).toEqual(found);
  });

  it('is nothing sure where the selection is like the rest, however many values are looked at', async () => {
    const draw = createChance(11);
    const { scope } = await feed(createQuiet(6000, draw));
    let sureCount = 0;
    for (let from = 0; from < 6000; from += 300) {
      const { values, lookedAt } = await explain(scope, during(from, from + 300));
      expect(lookedAt).toBeGreaterThanOrEqual(55);
      if (values.some(({ certainty }) => certainty !== 'chance')) sureCount += 1;
    }
    // Of twenty selections one may well have something that is probable.
    expect(sureCount).toBeLessThanOrEqual(2);
  }, 120_000);

  it('is left out of fields that the selection is chosen by', async () => {
    const draw = createChance(3);
    const { scope } = await feed(createQuiet(1000, draw));
    const only: FieldCondition[] = [
      { field: 'service', values: [7] },
      {
        field: 'client',
        values: ['client 1', 'client 2', 'client 3', 'client 4', 'client 5'],
        exclude: true,
      },
    ];
    const { values } = await explain(scope, { conditions: only });
    const fields = new Set(values.flatMap(({ terms }) => terms.map(({ field }) => field)));
    expect(fields).toEqual(new Set(['channel', 'origin', 'responseCode']));
  });

  it('is what a table of one’s own says of values, where that tells it better than each of them', async () => {
    const draw = createChance(23);
    const records = createQuiet(6000, draw).map((record) =>
      // Four of the eight services belong to one team, whose requests fail now and then.
      (record.service ?? 0) % 2 === 0 && draw(4) === 0 ? { ...record, error: 'Card declined' } : record,
    );
    const { scope } = await feed(records);
    const team: OwnColumn = {
      field: 'own.Owners.team',
      by: 'service',
      valueCount: 2,
      sqlName: 'own_owners_team',
      sql: "CASE WHEN service % 2 = 0 THEN 'Payments' WHEN service < 7 THEN 'Front desk' END",
    };
    const wordy: OwnColumn = { ...team, field: 'own.Owners.note', valueCount: 101 };
    const ask = (conditions: FieldCondition[]) =>
      explainSelection(engine.connection, scope, {
        filter: ALL,
        selection: { conditions },
        own: [team, wordy],
      });
    const { values } = await ask([{ field: 'error', text: 'declined' }]);
    const own = values.filter(({ terms: [term] }) => term?.field !== 'errorFamily');
    expect(own[0]).toMatchObject({
      terms: [{ field: 'own.Owners.team', value: 'Payments' }],
      outside: expect.any(Number) as number,
      certainty: 'certain',
    });
    expect(own[0]?.inside).toBe(records.filter(({ error }) => error === 'Card declined').length);
    expect(own[0]?.clientCount).toBeGreaterThan(0);
    const list = async (conditions: FieldCondition[]): Promise<string[]> =>
      (await ask(conditions)).values.flatMap(({ terms }) => terms.map(({ field }) => field));
    expect(values.flatMap(({ terms }) => terms.map(({ field }) => field))).not.toContain('own.Owners.note');
    // Neither tells anything about the other.
    expect(await list([{ field: 'service', values: [2] }])).not.toContain('own.Owners.team');
    const kept = { column: team.sql };
    const chosen = { field: team.field, values: ['Payments'], kept } satisfies KeptCondition;
    expect(await list([chosen])).not.toContain('service');
  });

  it.each(["O'Hara", 'nul\0after'])('is a value that is written like %j as well', async (client) => {
    const records = createQuiet(2000, createChance(29)).map((record, second) =>
      second < 200 && second % 2 === 0 ? { ...record, client } : record,
    );
    const { scope } = await feed(records);
    for (const limits of [EXPLAIN_LIMITS, { ...EXPLAIN_LIMITS, sessionRecords: 10, held: 0 }]) {
      const { values } = await explain(scope, during(0, 199), ALL, limits);
      expect(values[0]).toMatchObject({
        terms: [{ field: 'client', value: client }],
        inside: 100,
        outside: 0,
        sessionCount: 100,
        clientCount: 1,
        certainty: 'certain',
      });
    }
  });

  it('is not told from too few records, which are counted', async () => {
    const { scope } = await feed(createQuiet(300, createChance(5)));
    expect(await explain(scope, during(0, 12))).toMatchObject({
      insideCount: 12,
      outsideCount: 288,
      values: [],
    });
    expect(await explain(scope, ALL)).toMatchObject({ insideCount: 300, outsideCount: 0, values: [] });
    const empty: ResolvedScope = { direction: 'inbound', parts: [] };
    expect(await explain(empty, ALL)).toMatchObject({
      insideCount: 0,
      outsideCount: 0,
      values: [],
      lookedAt: 0,
    });
  });
});
