import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldCase } from '../../../src-main/common/fold-case.ts';
import { MAX_CONDITIONS } from '../../../src-main/common/model/records/record-filter.ts';
import { listLeaves } from '../../../src-main/common/query/filter-tree.ts';
import { parseQuery } from '../../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../../src-main/common/query/query-values.ts';
import { writeQuery } from '../../../src-main/common/query/write-query.ts';
import { readRows } from '../../../src-main/core/analysis/engine/engine-database.ts';
import { toFilterSql } from '../../../src-main/core/analysis/engine/filter-sql.ts';
import { toSourceSql } from '../../../src-main/core/analysis/engine/resolved-scope.ts';
import { recordArbitrary, type PlainRecord } from './random-records.ts';
import { useFedEngine } from './use-fed-engine.ts';

/** CI asks some; `QUERY_RUNS` more. */
const RUNS = Number(process.env['QUERY_RUNS'] ?? 80);

/** A query as a person types it, and what it means of a record: two things that know nothing of each other. */
interface Typed {
  readonly text: string;
  /** How tightly it is joined: what binds less needs brackets. */
  readonly kind: 'term' | 'and' | 'or';
  meets(record: PlainRecord): boolean;
}

type Meets = Typed['meets'];
const term = (text: string, meets: Meets): Typed => ({ text, kind: 'term', meets });

const TEXTS = ['client', 'error', 'origin', 'payload'] as const;
const has = (own: string, part: string): boolean => foldCase(own).includes(foldCase(part));
const anywhere = (
  { client, error, sessionId, origin, payload }: PlainRecord,
  test: (own: string) => boolean,
) => [client, error, sessionId, origin, payload].some(test);

const WORDS = ['a', 'TIMED', 'é', 'Out', 'ss', 'web', 'after', '12'];
const PHRASES = ['Timed out', 't 1', '%_\\', "it's", 'a)', 'OR'];
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\')}"`;
/** What is between the strokes, and the same in JavaScript. */
const REGEXES = ['^t.*\\d$', '(a|b)$', 'out [0-9]+', '^.$', '[[:alpha:]]{3,}'] as const;
const toJs = (regex: string): RegExp => new RegExp(regex.replace('[[:alpha:]]', '[a-zA-Z]'), 'is');

const terms: fc.Arbitrary<Typed> = fc.oneof(
  fc.constantFrom(...WORDS).map((word) => term(word, (record) => anywhere(record, (own) => has(own, word)))),
  fc
    .constantFrom(...PHRASES)
    .map((text) => term(quoted(text), (record) => anywhere(record, (own) => has(own, text)))),
  fc
    .tuple(fc.constantFrom(...TEXTS), fc.constantFrom(...WORDS))
    .map(([field, word]) => term(`${field.toUpperCase()}:${word}`, (record) => has(record[field], word))),
  // A name in quotes is all of it, a longer text a part.
  fc
    .tuple(fc.constantFrom(...TEXTS), fc.constantFrom('Timed out', 'a', 'WEB'))
    .map(([field, text]) =>
      term(`${field}:"${text}"`, (record) =>
        field === 'client' || field === 'origin'
          ? foldCase(record[field]) === foldCase(text)
          : has(record[field], text),
      ),
    ),
  fc
    .tuple(fc.constantFrom(...TEXTS), fc.constantFrom('A', 'web', 'Zoe'))
    .map(([field, text]) => term(`${field}:=${text}`, (record) => record[field] === text)),
  fc
    .tuple(fc.constantFrom(...TEXTS), fc.subarray(['a', 'web', 'out'], { minLength: 2 }))
    .map(([field, words]) =>
      term(`${field}:${words.join(',')}`, (record) => words.some((word) => has(record[field], word))),
    ),
  fc
    .tuple(
      fc.constantFrom('code', 'responsecode', 'channel'),
      fc.subarray([0, 1, 200, 404, 500], { minLength: 1 }),
    )
    .map(([name, list]) =>
      term(`${name}:${list.join(',')}`, ({ channel, responseCode }) =>
        list.some((value) => value === (name === 'channel' ? channel : responseCode)),
      ),
    ),
  fc
    .subarray([200, 404, 500], { minLength: 1 })
    .map((list) =>
      term(`code:(${list.join(' OR ')})`, ({ responseCode }) => list.some((value) => value === responseCode)),
    ),
  fc
    .constantFrom('>', '>=', '<', '<=')
    .chain((sign) =>
      fc.constantFrom('responsetime', 'response', 'Response_Time').map((name) => [sign, name] as const),
    )
    .map(([sign, name]) =>
      term(`${name}:${sign}1`, ({ responseTimeMs: ms }) => {
        if (ms === null) return false;
        if (ms === 1) return sign.length === 2;
        return sign.startsWith('>') ? ms > 1 : ms < 1;
      }),
    ),
  fc
    .constantFrom('4', '2', '50')
    .map((start) =>
      term(`code:${start}*`, ({ responseCode }) => String(responseCode ?? '').startsWith(start)),
    ),
  fc
    .tuple(fc.constantFrom(...TEXTS), fc.constantFrom('T*', '*out*1*', '*é', '"%"*', 'a*b'))
    .map(([field, pattern]) =>
      term(`${field}:${pattern}`, (record) => {
        const own = foldCase(record[field]);
        const pieces = pattern.replaceAll('"', '').split('*').map(foldCase);
        const regex = pieces.map((piece) => piece.replace(/[%]/g, '\\$&').replace(/\\%/, '%')).join('.*');
        return own !== '' && new RegExp(`^${regex}$`, 's').test(own);
      }),
    ),
  fc
    .tuple(fc.constantFrom(...TEXTS), fc.constantFrom(...REGEXES))
    .map(([field, regex]) =>
      term(`${field}:/${regex}/`, (record) => record[field] !== '' && toJs(regex).test(record[field])),
    ),
  fc
    .constantFrom(...REGEXES)
    .map((regex) =>
      term(`/${regex}/`, (record) => anywhere(record, (own) => own !== '' && toJs(regex).test(own))),
    ),
  fc.constantFrom(...TEXTS).map((field) => term(`${field}:*`, (record) => record[field] !== '')),
  fc
    .constantFrom('code', 'date')
    .map((name) =>
      term(`${name}:*`, (record) => (name === 'code' ? record.responseCode : record.dateMs) !== null),
    ),
  fc.constant(term('code:5xx', ({ responseCode: code }) => code !== null && code >= 500 && code < 600)),
);

const inBrackets = ({ text, kind }: Typed, ...loose: readonly Typed['kind'][]): string =>
  loose.includes(kind) ? `(${text})` : text;

const { tree: trees } = fc.letrec<{ tree: Typed }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 3, arbitrary: terms },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
          fc.constantFrom(' ', ' AND ', '  and '.toUpperCase()),
        )
        .map(([parts, joint]): Typed => ({
          text: parts.map((part) => inBrackets(part, 'or')).join(joint),
          kind: 'and',
          meets: (record) => parts.every((part) => part.meets(record)),
        })),
    },
    {
      weight: 2,
      arbitrary: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((parts): Typed => ({
        text: parts.map(({ text }) => text).join(' OR '),
        kind: 'or',
        meets: (record) => parts.some((part) => part.meets(record)),
      })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie('tree'), fc.constantFrom('NOT ', '-', '!', 'NOT -', 'NOT NOT '))
        .map(([part, sign]): Typed => ({
          text: `${sign}${inBrackets(part, 'and', 'or')}`,
          kind: 'term',
          meets: (record) => part.meets(record) === (sign === 'NOT -' || sign === 'NOT NOT '),
        })),
    },
  ),
}));

const clock = createQueryClock('UTC');
const engine = useFedEngine();

describe('a query', () => {
  it('finds what it means, and is the same again after it was written, for any tree', async () => {
    const [{ scope, records } = { scope: null, records: [] }] = await engine.feed([
      fc.sample(recordArbitrary, { numRuns: 150, seed: 7 }),
    ]);
    if (scope === null) throw new Error('Nothing was fed.');
    const seen = { some: 0, nested: 0 };
    await fc.assert(
      fc.asyncProperty(trees, async ({ text, meets }) => {
        const { filter, error } = parseQuery(text, clock);
        // What is too large says so.
        if (error?.fault === 'too-many' || error?.fault === 'too-deep') return;
        expect(error).toBeNull();
        expect(listLeaves(filter).length).toBeLessThanOrEqual(MAX_CONDITIONS);
        const written = writeQuery(filter, clock);
        const again = parseQuery(written, clock);
        expect([written, again.error]).toEqual([written, null]);
        expect(again.filter).toEqual(filter);
        expect(writeQuery(again.filter, clock)).toBe(written);
        const where = toFilterSql(filter, 'inbound');
        const rows = await readRows<[number]>(
          engine.connection,
          `SELECT record_id FROM ${toSourceSql(scope, ['record_id'], where)} ORDER BY record_id`,
          where.values,
        );
        const expected = records.filter((record) => meets(record)).map(({ recordId }) => recordId);
        expect(rows.map(([id]) => id)).toEqual(expected);
        if (expected.length > 0 && expected.length < records.length) seen.some += 1;
        if (filter.conditions.some((part) => 'any' in part)) seen.nested += 1;
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    // Queries that find all or nothing would prove little.
    expect(seen.some).toBeGreaterThan(RUNS / 3);
    expect(seen.nested).toBeGreaterThan(RUNS / 5);
  }, 3_600_000);
});
