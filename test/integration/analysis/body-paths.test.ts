import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldCase } from '../../../src-main/common/fold-case.ts';
import {
  parseBodyPath,
  writeBodyPath,
  type BodyPath,
} from '../../../src-main/common/model/records/body-path.ts';
import type { FilterField, RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import { mapLeaves } from '../../../src-main/common/query/filter-tree.ts';
import { parseQuery } from '../../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../../src-main/common/query/query-values.ts';
import { quoteText } from '../../../src-main/common/query/query-fields.ts';
import { writeQuery } from '../../../src-main/common/query/write-query.ts';
import { toConditionsSql } from '../../../src-main/common/sql/filter-statement.ts';
import { readRows } from '../../../src-main/core/analysis/engine/engine-database.ts';
import {
  type KeptCondition,
  toFilterSql,
  toKeptList,
  toPathValues,
} from '../../../src-main/core/analysis/engine/filter-sql.ts';
import { toSourceSql, type ResolvedScope } from '../../../src-main/core/analysis/engine/resolved-scope.ts';
import { recordArbitrary, type PlainRecord } from './random-records.ts';
import { useFedEngine } from './use-fed-engine.ts';

/** `BODY_RUNS` tries more of them. */
const RUNS = Number(process.env['BODY_RUNS'] ?? 150);
const KEYS = ['a', 'b', 'error', 'first name', 'x.y', 'q"\\', 'é', '0', 'a/b~', '', '[]', 'items'];
const LEAVES = ['', 'x', 'X', 'rate_limited', '5', '5.5', 'null', 'é', 5, 5.5, -3, 0, 250, true, false, null];

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: fc.constantFrom<unknown>(...LEAVES) },
    { weight: 3, arbitrary: fc.dictionary(fc.constantFrom(...KEYS), tie('json'), { maxKeys: 3 }) },
    { weight: 2, arbitrary: fc.array(tie('json'), { maxLength: 3 }) },
  ),
}));
const bodies = fc.oneof(
  { weight: 8, arbitrary: json.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.constantFrom('', 'plain', '{"a":', '{"a":"\\ud800"}', 'nul\0', '{"a":1}}') },
);
const path: fc.Arbitrary<BodyPath> = fc
  .array(fc.option(fc.constantFrom(...KEYS), { freq: 3 }), { minLength: 1, maxLength: 3 })
  .map((steps) => ({ root: 'payload', steps }));

/** The values at a path, walked step by step. */
function walk(value: unknown, steps: BodyPath['steps']): unknown[] {
  const [step, ...rest] = steps;
  if (step === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    if (step === null) return value.flatMap((part) => walk(part, rest));
    return /^(0|[1-9]\d*)$/.test(step) && Number(step) < value.length ? walk(value[Number(step)], rest) : [];
  }
  return step !== null && Object.hasOwn(value, step)
    ? walk((value as Record<string, unknown>)[step], rest)
    : [];
}

function listTexts(body: string, steps: BodyPath['steps']): string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return [];
  }
  // A half of a pair of surrogates makes it no JSON.
  if (body.includes('\\ud800')) return [];
  return walk(parsed, steps).flatMap((value) => {
    if (value === null) return [];
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

const toNumber = (text: string): number => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN);

type Meets = (texts: readonly string[]) => boolean;
/** What stands behind the colon, and what it means of the values at the path. */
const tests: fc.Arbitrary<readonly [written: string, meets: Meets]> = fc.oneof(
  fc
    .constantFrom('x', 'rate_limited', 'é', 'null', 'true')
    .map((word): [string, Meets] => [word, (texts) => texts.some((own) => foldCase(own) === foldCase(word))]),
  fc
    .constantFrom('5', '5.5', '-3', '0')
    .map((word): [string, Meets] => [word, (texts) => texts.some((own) => toNumber(own) === Number(word))]),
  fc.constant<[string, Meets]>(['=X', (texts) => texts.includes('X')]),
  fc.constant<[string, Meets]>(['*', (texts) => texts.some((own) => own !== '')]),
  fc.constant<[string, Meets]>(['""', (texts) => texts.every((own) => own === '')]),
  fc.constant<[string, Meets]>(['>=5', (texts) => texts.some((own) => toNumber(own) >= 5)]),
  fc.constant<[string, Meets]>(['<5.5', (texts) => texts.some((own) => toNumber(own) < 5.5)]),
  fc.constant<[string, Meets]>([
    '-3..5',
    (texts) => texts.some((own) => toNumber(own) >= -3 && toNumber(own) <= 5),
  ]),
  fc.constant<[string, Meets]>(['~LIM', (texts) => texts.some((own) => foldCase(own).includes('lim'))]),
  fc.constant<[string, Meets]>(['r*d', (texts) => texts.some((own) => /^r.*d$/is.test(own))]),
  fc.constant<[string, Meets]>(['/^[xé]$/', (texts) => texts.some((own) => /^[xé]$/i.test(own))]),
  fc.constant<[string, Meets]>([
    'x,>100',
    (texts) => texts.some((own) => /^x$/i.test(own) || toNumber(own) > 100),
  ]),
);

const clock = createQueryClock('UTC');
const engine = useFedEngine();

async function findIds(scope: ResolvedScope, filter: RecordFilter): Promise<number[]> {
  const where = toFilterSql(filter, 'inbound');
  const rows = await readRows<[number]>(
    engine.connection,
    `SELECT record_id FROM ${toSourceSql(scope, ['record_id'], where)} ORDER BY record_id`,
    where.values,
  );
  return rows.map(([id]) => id);
}

/** The filter with what a column would hold in the place of the bodies. */
function withKept(filter: RecordFilter): RecordFilter {
  return mapLeaves(filter, (condition): KeptCondition => {
    const { sql, isList } = toPathValues(condition.field, 'inbound') ?? { sql: 'NULL', isList: false };
    return { ...condition, kept: { column: isList ? toKeptList(sql) : sql } };
  });
}

async function feed(payloads: readonly string[]): Promise<{ scope: ResolvedScope; records: PlainRecord[] }> {
  const [plain] = fc.sample(recordArbitrary, { numRuns: 1, seed: 3 });
  const [fed] = await engine.feed([
    payloads.map((payload) => ({ ...(plain as Omit<PlainRecord, 'recordId'>), payload })),
  ]);
  if (fed === undefined) throw new Error('Nothing was fed.');
  return fed;
}

describe('a path in a body', () => {
  it('is the same again after it was written, whatever its keys', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.string({ unit: 'binary', maxLength: 8 })), { minLength: 1, maxLength: 5 }),
        (steps) => {
          const written = writeBodyPath({ root: 'response', steps });
          expect(parseBodyPath(written ?? '')).toEqual({ root: 'response', steps });
        },
      ),
    );
  });

  it('finds what a walk through each body finds, for any body, path and value', async () => {
    const { scope, records } = await feed(fc.sample(bodies, { numRuns: 400, seed: 11 }));
    let foundSome = 0;
    await fc.assert(
      fc.asyncProperty(path, tests, fc.boolean(), async (own, [value, meets], isExcluded) => {
        const query = `${isExcluded ? '-' : ''}${writeBodyPath(own) ?? ''}:${value}`;
        const { filter, error } = parseQuery(query, clock);
        expect([query, error]).toEqual([query, null]);
        const written = writeQuery(filter, clock);
        expect([written, parseQuery(written, clock).filter]).toEqual([written, filter]);
        const expected = records
          .filter(({ payload }) => meets(listTexts(payload, own.steps)) !== isExcluded)
          .map(({ recordId }) => recordId);
        expect([query, await findIds(scope, filter)]).toEqual([query, expected]);
        expect([query, await findIds(scope, withKept(filter))]).toEqual([query, expected]);
        const [statement = 'true'] = toConditionsSql(filter, 'inbound', { zone: 'UTC', fromMs: 0, toMs: 1 });
        const rows = await readRows<[number]>(
          engine.connection,
          `SELECT record_id FROM (SELECT * FROM ${toSourceSql(scope, ['record_id', 'payload', 'other_fields'], { sql: 'true', values: [] })})
           WHERE ${statement} ORDER BY record_id`,
        );
        expect([statement, rows.map(([id]) => id)]).toEqual([statement, expected]);
        if (expected.length > 0 && expected.length < records.length) foundSome += 1;
      }),
      { numRuns: RUNS },
    );
    expect(foundSome).toBeGreaterThan(RUNS / 5);
  });

  it('takes the names that a service gives its bodies, in any letter case', () => {
    const readFields = (query: string): readonly FilterField[] =>
      parseQuery(query, clock).filter.conditions.flatMap((part) => ('field' in part ? part.field : []));
    expect(readFields('Payload.error.Code:x')).toEqual(['payload.error.Code']);
    expect(readFields('Reponse.ok:true')).toEqual(['response.ok']);
    expect(readFields('request.items[].id:3')).toEqual(['payload.items[].id']);
    expect(readFields('other_fields.Region:EU')).toEqual(['other.Region']);
    expect(readFields('client.name:x')).toEqual(['anywhere']);
  });

  it('loses no record to a hostile body', async () => {
    const deep = `${'['.repeat(10_000)}1${']'.repeat(10_000)}`;
    const deepObject = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    const longKey = 'k'.repeat(1_000_000);
    const hostile = [
      deep,
      deepObject,
      `{${JSON.stringify(longKey)}:{"a":"x"},"a":"x"}`,
      '{"a":"first","a":"second"}',
      '{"a\\u0000b":"nul","a":"x\\u0000y"}',
      '{"a":"\\ud800"}',
      '{"a":',
      '{"a":9007199254740993}',
      '{"a":1e999}',
      '{"a":"x"}',
    ];
    const { scope, records } = await feed(hostile);
    const find = async (query: string): Promise<number[]> => {
      const ids = await findIds(scope, parseQuery(query, clock).filter);
      return ids.map((id) => records.findIndex(({ recordId }) => recordId === id));
    };
    // Of keys that come twice the first counts; what isn't JSON has no paths.
    expect(await find('payload.a:x')).toEqual([2, 9]);
    expect(await find('payload.a:first')).toEqual([3]);
    expect(await find('payload.a:second')).toEqual([]);
    expect(await find(`payload.a:${quoteText('x\0y')}`)).toEqual([4]);
    expect(await find(`payload."a\0b":nul`)).toEqual([4]);
    expect(await find('-payload.a:*')).toEqual([0, 5, 6]);
    expect(await find('payload[]:*')).toEqual([0]);
    // Digits beyond what numbers hold are compared as they are written.
    expect(await find('payload.a:9007199254740993')).toEqual([7]);
    expect(await find('payload.a:9007199254740992')).toEqual([]);
    expect(await find('payload.a:>1')).toEqual([7]);
    expect(await find('payload.a.a.a:*')).toEqual([1]);
  });
});
