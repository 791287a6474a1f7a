import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isGroup } from '../../../src-main/common/query/filter-tree.ts';
import {
  type FieldValues,
  type ListedField,
  MAX_LISTED,
} from '../../../src-main/common/model/records/record.ts';
import type {
  FieldCondition,
  FilterPart,
  RecordFilter,
} from '../../../src-main/common/model/records/record-filter.ts';
import { toErrorPattern } from '../../../src-main/core/analysis/families/learn-families.ts';
import { readDistribution } from '../../../src-main/core/analysis/engine/measures/read-series.ts';
import { readFields } from '../../../src-main/core/analysis/engine/measures/measure-operations.ts';
import { filterArbitrary, meets, recordArbitrary, type PlainRecord } from './random-records.ts';
import { judgePlainly } from './measured-plainly.ts';
import { useFedEngine } from './use-fed-engine.ts';

const engine = useFedEngine();
const INBOUND = ['outcome', 'responseCode', 'errorFamily', 'channel', 'origin', 'service', 'client'] as const;

function readValue(record: PlainRecord, field: ListedField): string | number | null {
  if (field === 'actionId') return null;
  if (field === 'outcome') return judgePlainly(record);
  const value = field === 'errorFamily' ? toErrorPattern(record.error) : record[field];
  return value === '' ? null : value;
}

function tally(records: readonly PlainRecord[], field: ListedField): Map<string | number | null, number> {
  const groups = Map.groupBy(records, (record) => readValue(record, field));
  return new Map([...groups].map(([value, { length }]) => [value, length]));
}

function listPlainly(records: readonly PlainRecord[], field: ListedField): Omit<FieldValues, 'excluded'> {
  const counts = tally(records, field);
  const values = [...counts].flatMap(([value, count]) => (value === null ? [] : [{ value, count }]));
  return {
    field,
    distinctCount: values.length,
    blankCount: counts.get(null) ?? 0,
    values: values.sort((a, b) => b.count - a.count || compare(a.value, b.value)).slice(0, MAX_LISTED),
  };
}

/** Each value that is listed with the sessions or clients of its records, found by a plain walk. */
function hitPlainly(
  records: readonly PlainRecord[],
  own: Omit<FieldValues, 'excluded'>,
  unit: 'sessionId' | 'client',
): Omit<FieldValues, 'excluded'> {
  const count = (value: string | number | null): number =>
    new Set(records.flatMap((record) => (readValue(record, own.field) === value ? record[unit] || [] : [])))
      .size;
  return {
    ...own,
    values: own.values.map((one) => ({ ...one, affected: count(one.value) })),
    blankAffected: count(null),
  };
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b);
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** What each value adds that the filter leaves out by name, found by taking it out of the filter. */
function addPlainly(
  records: readonly PlainRecord[],
  { conditions }: RecordFilter,
  field: ListedField,
): FieldValues['excluded'] {
  const isOwn = (one: FilterPart): one is FieldCondition =>
    !isGroup(one) && one.field === field && one.exclude === true;
  const named = conditions.flatMap((one) => (isOwn(one) ? (one.values ?? []) : []));
  const excluded = [...new Set(named.map((value) => (value === '' ? null : value)))];
  return excluded.map((value) => {
    const without = conditions.flatMap((one): FilterPart[] => {
      if (!isOwn(one)) return [one];
      const values = one.values?.filter((other) => (other === '' ? null : other) !== value);
      return [{ ...one, values: values ?? [] }];
    });
    const added = records.filter((record) => meets(record, { conditions: without }));
    return { value, count: added.filter((record) => readValue(record, field) === value).length };
  });
}

it(
  'what records have in their fields equals what a plain walk finds, for any records and filters',
  { tags: 'long', timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(recordArbitrary, { maxLength: 80 }),
        fc.array(filterArbitrary, { minLength: 4, maxLength: 6 }),
        async (list, filters) => {
          const [fed] = await engine.feed([list]);
          if (fed === undefined) throw new Error('Nothing was fed.');
          const { scope, records } = fed;
          for (const filter of filters) {
            const found = records.filter((record) => meets(record, filter));
            const { recordCount, values, times } = await readFields(engine.connection, { scope, filter });
            expect(recordCount).toBe(found.length);
            const byField = new Map(values.map((one) => [one.field, one]));
            expect([...byField.keys()].sort()).toEqual(INBOUND.toSorted());
            for (const field of INBOUND) {
              const { excluded = [], ...own } = byField.get(field) ?? {};
              expect(own).toEqual(listPlainly(found, field));
              const most = addPlainly(records, filter, field).sort((a, b) => b.count - a.count);
              expect(excluded.map(({ count }) => count)).toEqual(most.map(({ count }) => count));
              expect(most).toEqual(expect.arrayContaining(excluded));
            }
            const affected = found.length % 2 === 0 ? 'sessions' : 'clients';
            const unit = affected === 'sessions' ? 'sessionId' : 'client';
            const hit = await readFields(engine.connection, { scope, filter }, affected);
            expect(hit.affected).toBe(new Set(found.flatMap((record) => record[unit] || [])).size);
            for (const { excluded, ...own } of hit.values) {
              expect(own).toEqual(hitPlainly(found, listPlainly(found, own.field), unit));
              expect(excluded).toEqual(byField.get(own.field)?.excluded);
            }
            for (const { field, distribution } of times) {
              expect(distribution).toEqual(
                await readDistribution(engine.connection, { scope, filter }, field),
              );
            }
            expect(times.map(({ field }) => field)).toEqual(['responseTimeMs', 'botLatencyMs']);
          }
        },
      ),
      { numRuns: Number(process.env['ANSWER_RUNS'] ?? 4) },
    );
  },
);

it('of no records there are no values, and a value that is left out by name stays with its count', async () => {
  const [fed] = await engine.feed([
    fc.sample(recordArbitrary, 20).map((record, place) => ({ ...record, channel: place < 5 ? 3 : 4 })),
  ]);
  if (fed === undefined) throw new Error('Nothing was fed.');
  const { scope } = fed;
  const filter: RecordFilter = {
    conditions: [{ field: 'channel', exclude: true, values: [3, 4, 9] }],
  };
  const { recordCount, values } = await readFields(engine.connection, { scope, filter });
  expect(recordCount).toBe(0);
  expect(values.find(({ field }) => field === 'channel')).toEqual({
    field: 'channel',
    distinctCount: 0,
    values: [],
    blankCount: 0,
    excluded: [
      { value: 4, count: 15 },
      { value: 3, count: 5 },
      { value: 9, count: 0 },
    ],
  });
  const outbound = await readFields(engine.connection, {
    scope: { direction: 'outbound', parts: [] },
    filter: { conditions: [] },
  });
  expect(outbound.values.map(({ field }) => field)).toContain('actionId');
  expect(outbound.times.map(({ field }) => field)).toEqual(['responseTimeMs']);
});
