import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldCondition, FilterPart } from '../../../../src-main/common/model/records/record-filter.ts';
import { listPlain } from '../../../../src-main/common/query/filter-tree.ts';
import { findNamed, type ValueName } from '../../../../src-main/common/model/records/body-path.ts';
import { parseQuery } from '../../../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../../../src-main/common/query/query-values.ts';
import { toPastedQuery, writeQuery } from '../../../../src-main/common/query/write-query.ts';

const clock = createQueryClock('UTC');
const parse = (query: string) => parseQuery(query, clock);
const conditionsOf = (query: string) => {
  const { filter, error } = parse(query);
  expect(error).toBeNull();
  return filter.conditions;
};

describe('a query', () => {
  it('names fields with exact values, several of them, and ranges', () => {
    expect(conditionsOf('service:7,9 code:>=500 -channel:3')).toEqual([
      { field: 'service', values: [7, 9] },
      { field: 'responseCode', min: 500 },
      { field: 'channel', values: [3], exclude: true },
    ]);
    expect(conditionsOf('code:5xx,none responsetime:100..2500.5')).toEqual([
      { field: 'responseCode', classes: ['5xx', 'none'] },
      { field: 'responseTimeMs', min: 100, max: 2500.5 },
    ]);
    expect(conditionsOf('code:>500 code:<500')).toEqual([
      { field: 'responseCode', min: 501 },
      { field: 'responseCode', max: 499 },
    ]);
  });

  it('takes the names of numbers, in any case, where a number can stand', () => {
    const names: ValueName[] = [
      { field: 'channel', value: '3', name: 'Web chat, new' },
      { field: 'channel', value: '4', name: 'Twin' },
      { field: 'channel', value: '5', name: 'twin' },
      { field: 'actionId', value: '-1', name: 'Message' },
    ];
    const read = (query: string) => parseQuery(query, clock, (field, text) => findNamed(names, field, text));
    expect(read('-channel:"web CHAT, new",9 action:message').filter.conditions).toEqual([
      { field: 'channel', values: [3, 9], exclude: true },
      { field: 'actionId', values: ['-1'] },
    ]);
    expect(read('action:=message action:~mess').filter.conditions).toEqual([
      { field: 'actionId', values: ['message'] },
      { field: 'actionId', text: 'mess' },
    ]);
    expect(read('channel:Twin').error).toMatchObject({
      fault: 'name-ambiguous',
      text: 'Twin',
      from: 8,
      to: 12,
    });
    expect(read('service:Twin').error).toMatchObject({ fault: 'name-unknown' });
    expect(read('channel:12x').error).toMatchObject({ fault: 'not-a-number' });
    // Names mean nothing to fields that have none.
    expect(read('responsetime:Twin').error).toMatchObject({ fault: 'not-a-number' });
  });

  it('looks for bare and quoted text anywhere, and a minus excludes it', () => {
    expect(conditionsOf('timeout "timed out" -"it\\"s" -x')).toEqual([
      { field: 'anywhere', text: 'timeout' },
      { field: 'anywhere', text: 'timed out' },
      { field: 'anywhere', text: 'it"s', exclude: true },
      { field: 'anywhere', text: 'x', exclude: true },
    ]);
    // A backslash is itself wherever it stands before nothing that needs one.
    expect(conditionsOf(String.raw`"C:\data\\queue\7.msg" payload:"a\nb"`)).toEqual([
      { field: 'anywhere', text: String.raw`C:\data\queue\7.msg` },
      { field: 'payload', text: String.raw`a\nb` },
    ]);
    expect(conditionsOf('-')).toEqual([{ field: 'anywhere', text: '-' }]);
  });

  it('finds parts of texts and names, all of a name in quotes, and the whole of identifiers', () => {
    expect(
      conditionsOf(
        'error:timeout error:="Timed out" client:Ann client:"Ann","bob" client:=Ann client:123 client:"123" session:Ab,12 session:~a origin:""',
      ),
    ).toEqual([
      { field: 'error', text: 'timeout' },
      { field: 'error', values: ['Timed out'] },
      { field: 'client', text: 'Ann' },
      { field: 'client', anyCase: ['Ann', 'bob'] },
      { field: 'client', values: ['Ann'] },
      { field: 'client', text: '123' },
      { field: 'client', values: ['123'] },
      { field: 'sessionId', values: ['12'], anyCase: ['Ab'] },
      { field: 'sessionId', text: 'a' },
      { field: 'origin', values: [''] },
    ]);
    // Parts of a list are alternatives.
    expect(conditionsOf('client:=Ann,bob')).toEqual([
      {
        any: [
          { conditions: [{ field: 'client', values: ['Ann'] }] },
          { conditions: [{ field: 'client', text: 'bob' }] },
        ],
      },
    ]);
  });

  it('reads dates in the clock that is shown; each names all of its day, minute or second', () => {
    const dayMs = Date.UTC(2026, 10, 20);
    const atMs = dayMs + 10.25 * 3_600_000;
    const times = (query: string) =>
      listPlain({ conditions: conditionsOf(query) }).map(({ min = -Infinity, max = Infinity }) => [min, max]);
    expect(times('date:"2026-11-20 10:15".."2026-11-20 10:16"')).toEqual([[atMs, atMs + 60_000]]);
    expect(times('date:2026-11-20T10:15')).toEqual([[atMs, atMs + 60_000]]);
    expect(times('date:2026-11-20T10:15:00')).toEqual([[atMs, atMs + 1000]]);
    expect(times('date:2026-11-20T10:15:00.000')).toEqual([[atMs, atMs + 1]]);
    expect(times('date:2026-11-20')).toEqual([[dayMs, dayMs + 86_400_000]]);
    expect(times('date:2026-11-19..2026-11-20')).toEqual([[dayMs - 86_400_000, dayMs + 86_400_000]]);
    expect(times('date:<=2026-11-20 date:>2026-11-20')).toEqual([
      [-Infinity, dayMs + 86_400_000],
      [dayMs + 86_400_000, Infinity],
    ]);
    // The day on which Berlin sets its clocks back has 25 hours.
    const berlin = createQueryClock('Europe/Berlin');
    const [longDay] = listPlain(parseQuery('date:2026-10-25', berlin).filter);
    expect((longDay?.max ?? 0) - (longDay?.min ?? 0)).toBe(25 * 3_600_000);
    // Whole days are written with the time at which they end.
    expect(writeQuery(parse('date:2026-11-20').filter, clock)).toBe(
      'date:2026-11-20T00:00..2026-11-21T00:00',
    );
  });

  it.each([
    ['sevice:7', 'unknown-field', 'sevice', 0, 6],
    ['code:5xx -sevice:7', 'unknown-field', 'sevice', 10, 16],
    ['service:', 'value-missing', 'service', 0, 8],
    ['service:7,', 'value-missing', 'service', 0, 10],
    ['code:abc', 'not-a-number', 'abc', 5, 8],
    ['channel:1.5', 'not-a-number', '1.5', 8, 11],
    ['date:soon', 'not-a-date', 'soon', 5, 9],
    ['date:1899-12-31', 'date-out-of-range', '1899-12-31', 5, 15],
    ['date:2026-11-20..9999-12-31', 'date-out-of-range', '2026-11-20..9999-12-31', 5, 27],
    ['date:>0001-01-01', 'date-out-of-range', '>0001-01-01', 5, 16],
    ['responsetime:>1.7976931348623157e308', 'not-a-number', '>1.7976931348623157e308', 13, 36],
    ['responsetime:9..1', 'range-reversed', '9..1', 13, 17],
    ['code:>=500,<400', 'range-reversed', '<400', 11, 15],
    ['date:2026-11-20,2026-11-22', 'several-ranges', '2026-11-22', 16, 26],
    ['responsetime:1..5,9..12', 'several-ranges', '9..12', 18, 23],
    ['client:>5', 'range-of-text', '>5', 7, 9],
    ['code:200 OR', 'operand-missing', 'OR', 9, 11],
    ['AND code:200', 'operand-missing', 'AND', 0, 3],
    ['a NOT', 'operand-missing', 'NOT', 2, 5],
    ['a OR OR b', 'operand-missing', 'OR', 2, 4],
    ['code:(500 OR)', 'operand-missing', 'OR', 10, 12],
    ['a (b OR c', 'bracket-unclosed', '(b OR c', 2, 9],
    ['a OR b) c', 'bracket-unopened', ')', 6, 7],
    ['a ()', 'value-missing', '', 2, 4],
    ['*', 'value-missing', '', 0, 1],
    ['responsetime:5*', 'pattern-of-number', '5*', 13, 15],
    ['date:/2026/', 'pattern-of-number', '/2026/', 5, 11],
    ['error:/a(b/', 'regex-invalid', 'a(b', 8, 11],
    ['/a(?=b)/', 'regex-unsupported', 'a(?=b)', 2, 8],
    ['/(a)\\1/', 'regex-unsupported', '(a)\\1', 4, 7],
    ['/(a{30}){30}/', 'regex-too-large', '(a{30}){30}', 8, 13],
    [`${'(a OR b '.repeat(9)}${')'.repeat(9)}`, 'too-deep', '', 0, 81],
    [`${'('.repeat(60)}a${')'.repeat(60)}`, 'too-deep', '', 50, 51],
    [`"${'x'.repeat(100_000)}"`, 'query-too-long', '', 100_000, 100_002],
    [`"${'x'.repeat(501)}"`, 'too-long', '', 0, 503],
    ['code:200 "open', 'quote-unclosed', '"open', 9, 14],
  ] as const)('%s says what is wrong, and where', (query, fault, text, from, to) => {
    expect(parse(query).error).toMatchObject({ fault, text, from, to });
  });

  it('keeps the terms that it understands beside one that it does not', () => {
    expect(parse('service:7 sevice:8').filter).toEqual({ conditions: [{ field: 'service', values: [7] }] });
  });

  it.each([
    'botlatency:>500',
    'responsetime:<0.5',
    'botlatency:>0',
    'botlatency:<0',
    'responsetime:>0.1,<1000',
    'responsetime:>=250,<1000',
    'responsetime:>-3.25e-7',
    'responsetime:250..1000',
  ])('writes %s as it was typed, without the number next to it', (query) => {
    expect(writeQuery(parse(query).filter, clock)).toBe(query);
  });

  it('takes no more conditions than a filter may have', () => {
    const { filter, error } = parse('a '.repeat(51));
    expect(filter.conditions).toHaveLength(50);
    expect(error).toMatchObject({ fault: 'too-many', from: 100, to: 101 });
  });
});

describe('what joins conditions', () => {
  const any = (...alternatives: FieldCondition[]): FilterPart => ({
    any: alternatives.map((condition) => ({ conditions: [condition] })),
  });
  const text = (word: string): FieldCondition => ({ field: 'anywhere', text: word });

  it('finds what a person guesses', () => {
    expect(conditionsOf('code:500 OR code:504')).toEqual([{ field: 'responseCode', values: [500, 504] }]);
    expect(conditionsOf('code:(500 OR 504)')).toEqual([{ field: 'responseCode', values: [500, 504] }]);
    for (const query of ['NOT code:200', '-code:200', '!code:200', 'NOT (code:200)', 'NOT NOT NOT CODE:200'])
      expect(conditionsOf(query)).toEqual([{ field: 'responseCode', values: [200], exclude: true }]);
    expect(conditionsOf('client:Rosa')).toEqual([{ field: 'client', text: 'Rosa' }]);
    expect(conditionsOf('client:Ros* code:50*')).toEqual([
      { field: 'client', wildcard: 'Ros*' },
      { field: 'responseCode', wildcard: '50*' },
    ]);
    expect(conditionsOf('error:/timed? ?out/ /a\\/b c/')).toEqual([
      { field: 'error', regex: 'timed? ?out' },
      { field: 'anywhere', regex: 'a/b c' },
    ]);
    expect(conditionsOf('error:* NOT code:*')).toEqual([
      { field: 'error', values: [''], exclude: true },
      { field: 'responseCode', values: [null] },
    ]);
    for (const name of ['responsetime', 'ResponseTime', 'response', 'Response_Time', 'reponseTime'])
      expect(writeQuery(parse(`${name}:>5000`).filter, clock)).toBe('responsetime:>5000');
    expect(conditionsOf('response:500')).toEqual([{ field: 'response', text: '500' }]);
  });

  it('binds AND closer than OR, and NOT closer than both', () => {
    expect(conditionsOf('a b OR NOT c AND d')).toEqual([
      {
        any: [
          { conditions: [text('a'), text('b')] },
          { conditions: [{ ...text('c'), exclude: true }, text('d')] },
        ],
      },
    ]);
    expect(conditionsOf('a (b OR c) -(d e)')).toEqual([
      text('a'),
      any(text('b'), text('c')),
      { any: [{ conditions: [text('d'), text('e')] }], exclude: true },
    ]);
    // Needless brackets say nothing.
    expect(conditionsOf('((a)) AND (b c) AND NOT (NOT (d))')).toEqual(['a', 'b', 'c', 'd'].map(text));
  });

  it('takes for text what is in quotes, or has brackets of its own', () => {
    expect(conditionsOf('"OR" f(x) client:"a*" "(b" error:="c*"')).toEqual([
      text('OR'),
      text('f(x)'),
      { field: 'client', anyCase: ['a*'] },
      text('(b'),
      { field: 'error', values: ['c*'] },
    ]);
    for (const part of [text('OR'), text('a*b'), text('!x'), text('/a/'), text('(x)'), text('a:b')]) {
      const again = parse(writeQuery({ conditions: [part, text('y')] }, clock));
      expect(again.filter.conditions).toEqual([part, text('y')]);
    }
  });

  const takeOffer = (query: string): (string | undefined)[] => {
    const { error, hint } = parse(query);
    return ((error ?? hint)?.offers ?? []).map(
      ({ from, to, text: own }) => `${query.slice(0, from)}${own}${query.slice(to)}`,
    );
  };

  it.each([
    ['code:500 or code:504', ['code:500 OR code:504']],
    ['timeout oder lost', ['timeout OR lost']],
    ['code:500 || error:lost', ['code:500 OR error:lost']],
    ['code:500 y channel:3', ['code:500 AND channel:3']],
    ['code:500 && channel:3', ['code:500 AND channel:3']],
    ['nicht code:200', ['NOT code:200']],
    ['usuario no existe', []],
    ['"or" a', []],
    ['or', []],
    ['code>=500', ['code:>=500']],
    ['status!=200 x', ['-code:200 x']],
    ['sevice:7', ['service:7', '"sevice:7"']],
    ['TypeError: x', ['"TypeError: x"']],
    ['code:5xx https://a.test/b', ['code:5xx "https://a.test/b"']],
    ['error: timed out', ['error:timed out', '"error: timed out"']],
    ['client:>5', ['client:">5"']],
    ['(a OR b', ['"(a OR b"']],
    ['a)', ['a")"']],
    ['/a(/', ['"/a(/"']],
  ])('offers what was perhaps meant by %s', (query, offered) => {
    expect(takeOffer(query)).toEqual(offered);
  });
});

const exclude = fc.boolean();
const conditionArbitrary: fc.Arbitrary<FieldCondition> = fc
  .oneof(
    fc.record({ field: fc.constant('anywhere' as const), text: fc.string({ minLength: 1 }), exclude }),
    fc.record({
      field: fc.constantFrom('channel', 'service', 'responseCode'),
      values: fc.array(fc.option(fc.maxSafeInteger()), { minLength: 1, maxLength: 4 }),
      exclude,
    }),
    fc.record({
      field: fc.constantFrom('origin', 'client', 'actionId', 'sessionId', 'error'),
      values: fc.array(fc.string(), { minLength: 1, maxLength: 4 }),
      exclude,
    }),
    fc.record({
      field: fc.constantFrom('origin', 'client', 'sessionId'),
      values: fc.constant(['Ann \\n']),
      anyCase: fc.array(
        fc.string({ minLength: 1 }).map((text) => `a${text}`),
        { minLength: 1, maxLength: 4 },
      ),
      exclude,
    }),
    fc.record({
      field: fc.constantFrom('error', 'payload', 'client'),
      text: fc.string({ minLength: 1 }),
      exclude,
    }),
    fc.record({
      field: fc.constantFrom('responseTimeMs', 'botLatencyMs'),
      // Adding zero turns -0, which is written as 0, into it.
      min: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      exclude,
    }),
    fc.record({
      field: fc.constant('dateMs' as const),
      min: fc.integer({ min: 0, max: 2e12 }),
      max: fc.integer({ min: 2e12, max: 4e12 }),
      exclude,
    }),
    fc.record({
      field: fc.constant('responseCode' as const),
      classes: fc.subarray(['2xx', '4xx', 'none'] as const, { minLength: 1 }).map((list) => [...list]),
      exclude,
    }),
  )
  .map(
    ({ exclude: isExcluded, ...rest }) => (isExcluded ? { ...rest, exclude: true } : rest) as FieldCondition,
  );

describe('a filter', () => {
  it('is the same filter again after it was written as a query', () => {
    fc.assert(
      fc.property(fc.array(conditionArbitrary, { maxLength: 5 }), (conditions) => {
        const { filter, error } = parse(writeQuery({ conditions }, clock));
        expect(error).toBeNull();
        expect(filter.conditions).toEqual(conditions);
      }),
      {
        numRuns: 2000,
        // An address names no field, and neither must a text that begins as one goes on.
        examples: [[[{ field: 'error', text: '//host' }]], [[{ field: 'client', values: ['//a', '//B'] }]]],
      },
    );
  });
});

describe('the clock of a query', () => {
  it.each(['UTC', 'America/Bogota', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu'])(
    'reads in %s every moment that it has written',
    (zone) => {
      const { read, write } = createQueryClock(zone);
      const moments = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2040, 0) });
      fc.assert(fc.property(moments, (atMs) => read(write(atMs)) === atMs));
      const wrong: number[] = [];
      for (let atMs = Date.UTC(2026, 0); atMs < Date.UTC(2027, 0); atMs += 1_800_000) {
        if (read(write(atMs)) !== atMs) wrong.push(atMs);
      }
      expect(wrong).toEqual([]);
    },
  );

  it('reads days, minutes and fractions, in its own zone unless they say UTC', () => {
    const { read } = createQueryClock('America/Bogota');
    expect(read('2026-11-20')).toBe(Date.UTC(2026, 10, 20, 5));
    expect(read('2026-11-20 10:15:30.5')).toBe(Date.UTC(2026, 10, 20, 15, 15, 30, 500));
    expect(read('2026-11-20T10:15Z')).toBe(Date.UTC(2026, 10, 20, 10, 15));
    expect([read('2026-06-31'), read('2026-11-20T25:00'), read('soon')]).toEqual([null, null, null]);
  });
});

describe('a text that looks as if it named a field', () => {
  it('is searched as text, and said to be', () => {
    const { filter, error, hint } = parse('TypeError: x https://a.test:80/b?c=d');
    expect(error).toBeNull();
    expect(hint?.kind).toBe('like-field');
    expect(listPlain(filter).map(({ field, text }) => [field, text])).toEqual([
      ['anywhere', 'TypeError:'],
      ['anywhere', 'x'],
      ['anywhere', 'https://a.test:80/b?c=d'],
    ]);
    expect(parse('error:timeout').hint).toBeNull();
  });

  it('is quoted where it is pasted, as far as its first line', () => {
    expect(toPastedQuery('TypeError: x is "y" -z\n    at a.js:1')).toBe('"TypeError: x is \\"y\\" -z"');
    expect(toPastedQuery('Error: lost')).toBe('"Error: lost"');
    expect(toPastedQuery(' https://a.test/b ')).toBe('"https://a.test/b"');
    expect(toPastedQuery('error:lost code:>=500')).toBeNull();
    expect(toPastedQuery('timed out')).toBeNull();
  });
});
