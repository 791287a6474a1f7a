import { describe, expect, it } from 'vitest';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { parseQuery } from '../../../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../../../src-main/common/query/query-values.ts';
import { listQueryFields } from '../../../../src-main/common/query/query-fields.ts';
import {
  completeQuery,
  listClasses,
  listModes,
  listValues,
  readCondition,
  toQuerySegments,
} from '../../../../src-renderer/screens/detail/filters/conditions.ts';
import { makeFacets } from '../../../support/samples/make-record.ts';

const clock = createQueryClock('UTC');
const read = (query: string): RecordFilter => {
  const { filter, error } = parseQuery(query, clock);
  expect(error).toBeNull();
  return filter;
};

const facets = makeFacets({
  codeClasses: [
    { value: '2xx', count: 75 },
    { value: '5xx', count: 25 },
  ],
  responseCodes: [
    { value: 200, count: 75 },
    { value: 504, count: 25 },
  ],
  channels: [
    { value: 3, count: 60 },
    { value: 31, count: 30 },
    { value: 1, count: 10 },
  ],
  origins: [
    { value: 'web chat', count: 5 },
    { value: '', count: 5 },
  ],
  errorFamilies: [
    { value: 'Bot <id> did not answer within <number> ms', count: 20 },
    { value: 'Refused', count: 5 },
  ],
});

describe('values to choose from', () => {
  it('have their count, their share of the field, and whether they are chosen', () => {
    expect(listClasses('responseCode', facets, read('-code:5xx')).filter(({ count }) => count !== 0)).toEqual(
      [
        { choice: { field: 'responseCode', codeClass: '2xx' }, count: 75, share: 0.75, state: null },
        { choice: { field: 'responseCode', codeClass: '5xx' }, count: 25, share: 0.25, state: 'excluded' },
      ],
    );
    expect(listClasses('channel', facets, read(''))).toEqual([]);
  });

  it('include what the filter names although no record has it', () => {
    const values = listValues('channel', facets, read('channel:9'));
    expect(values.at(-1)).toEqual({
      choice: { field: 'channel', value: 9 },
      count: 0,
      share: 0,
      state: 'included',
    });
    expect(values).toHaveLength(4);
  });

  it('are of the fields that the direction has', () => {
    const names = (direction: 'inbound' | 'outbound') =>
      listQueryFields(direction).map(({ keyword }) => keyword);
    expect(names('inbound')).toEqual(expect.arrayContaining(['botlatency', 'date']));
    expect(names('inbound')).not.toContain('action');
    expect(names('outbound')).toEqual(expect.arrayContaining(['action', 'response']));
    expect(names('outbound')).not.toContain('botlatency');
  });
});

describe('families of errors', () => {
  it('are counted, and named by the query in both directions', () => {
    expect(listValues('errorFamily', facets, read('')).map(({ count, share }) => [count, share])).toEqual([
      [20, 0.8],
      [5, 0.2],
    ]);
    for (const direction of ['inbound', 'outbound'] as const) {
      expect(listQueryFields(direction).map(({ keyword }) => keyword)).toContain('family');
    }
  });

  it('completes the keys in bodies once a body is named', () => {
    const paths = ['payload.error', 'payload.error.code', 'response.ok'].map((path) => ({
      path,
      recordCount: 1,
      types: [],
    }));
    const complete = (query: string): string[] =>
      completeQuery(query, query.length, { direction: 'outbound', facets: null, paths }).options.map(
        ({ text }) => text,
      );
    expect(complete('code:500 -Payload.err')).toEqual(['payload.error:', 'payload.error.code:']);
    expect(complete('(response.')).toEqual(['response.ok:']);
    expect(complete('pay')).toEqual(['payload:']);
  });

  it('are completed by any part of their pattern', () => {
    const { options } = completeQuery('family:answer', 13, { direction: 'inbound', facets });
    expect(options).toEqual([
      { text: '"Bot <id> did not answer within <number> ms"', count: 20, kind: 'value' },
    ]);
    const quoted = completeQuery('family:"not ans', 15, { direction: 'inbound', facets });
    expect(read(`family:${quoted.options[0]?.text}`).conditions).toEqual([
      { field: 'errorFamily', anyCase: ['Bot <id> did not answer within <number> ms'] },
    ]);
  });
});

describe('completion', () => {
  const complete = (text: string) => {
    const caret = text.indexOf('|');
    const query = text.replace('|', '');
    const { from, to, options } = completeQuery(query, caret, { direction: 'inbound', facets });
    return options.map((option) => `${query.slice(0, from)}${option.text}${query.slice(to)}`);
  };

  it('offers names of fields, also after a minus and in the middle', () => {
    expect(complete('cod|')).toEqual(['code:']);
    expect(complete('code:5xx -ser|')).toEqual(['code:5xx -service:']);
    expect(complete('C| code:5xx')).toEqual(['code: code:5xx', 'channel: code:5xx', 'client: code:5xx']);
    expect(complete('xyz|')).toEqual([]);
  });

  it('offers what joins conditions, in brackets too, and not where there is nothing to join', () => {
    expect(complete('code:5xx o|')).toEqual(['code:5xx OR ', 'code:5xx outcome:', 'code:5xx origin:']);
    expect(complete('code:5xx OR (se|')).toEqual(['code:5xx OR (service:', 'code:5xx OR (session:']);
    expect(complete('(code:5xx a|')[0]).toBe('(code:5xx AND ');
    expect(complete('(ch|')).toEqual(['(channel:']);
    expect(complete('no|')).toEqual(['NOT ', 'note:']);
    expect(complete('RESPONSECODE:5x|')).toEqual(['RESPONSECODE:5xx']);
  });

  it('offers counted values, the most frequent first', () => {
    expect(complete('channel:|')).toEqual(['channel:3', 'channel:31', 'channel:1']);
    expect(complete('channel:3|')).toEqual(['channel:31']);
    expect(complete('-channel:3,1| code:5xx')).toEqual([]);
    expect(complete('channel:3,| code:5xx')[2]).toBe('channel:3,1 code:5xx');
    expect(completeQuery('channel:', 8, { direction: 'inbound', facets }).options[0]).toEqual({
      text: '3',
      count: 60,
      kind: 'value',
    });
  });

  it('offers the marks, which nobody counts', () => {
    expect(complete('mark:|')).toEqual(['mark:star', 'mark:flag', 'mark:check', 'mark:question']);
    expect(complete('code:5xx -mark:star,f|')).toEqual(['code:5xx -mark:star,flag']);
    expect(completeQuery('mark:', 5, { direction: 'outbound', facets: null }).options[0]).toEqual({
      text: 'star',
      count: null,
      kind: 'value',
    });
  });

  it('offers classes before codes, and puts values with spaces in quotes', () => {
    expect(complete('code:|')).toEqual(['code:2xx', 'code:5xx', 'code:200', 'code:504']);
    expect(complete('origin:we|')).toEqual(['origin:"web chat"']);
    expect(complete('origin:"we|')).toEqual(['origin:"web chat"']);
    expect(complete('"cod|')).toEqual([]);
  });
});

describe('the drawn query', () => {
  it('tells keywords from values and marks what is wrong, and joined is the query', () => {
    const query = 'service:7 -sevice:8 "a:b"';
    const segments = toQuerySegments(query, parseQuery(query, clock));
    expect(segments.map(({ text }) => text).join('')).toBe(query);
    expect(segments.filter(({ kind }) => kind === 'field').map(({ text }) => text)).toEqual([
      'service:',
      'sevice',
      ':',
    ]);
    expect(segments.filter(({ isWrong }) => isWrong).map(({ text }) => text)).toEqual(['sevice']);
    expect(toQuerySegments('', { words: [], error: null })).toEqual([]);
    const joined = 'a OR NOT (b)';
    const operators = toQuerySegments(joined, parseQuery(joined, clock)).filter(
      ({ kind }) => kind === 'operator',
    );
    expect(operators.map(({ text }) => text)).toEqual(['OR', 'NOT', '(', ')']);
  });
});

describe('a typed condition', () => {
  const draft = (mode: 'contains' | 'is' | 'between', from: string, to = '') => ({
    mode,
    from,
    to,
    exclude: false,
  });

  it('is a part of a text, exact values, or a range', () => {
    expect(readCondition('client', draft('contains', 'a "b", c'), clock)).toEqual({
      field: 'client',
      text: 'a "b", c',
    });
    expect(readCondition('error', { ...draft('is', ''), exclude: true }, clock)).toEqual({
      field: 'error',
      values: [''],
      exclude: true,
    });
    expect(readCondition('responseCode', draft('is', '504, 4xx'), clock)).toEqual({
      field: 'responseCode',
      values: [504],
      classes: ['4xx'],
    });
    expect(readCondition('botLatencyMs', { ...draft('between', ' 100 '), exclude: true }, clock)).toEqual({
      field: 'botLatencyMs',
      min: 100,
      exclude: true,
    });
    expect(readCondition('dateMs', draft('between', '', '2026-11-20 10:15'), clock)).toEqual({
      field: 'dateMs',
      max: Date.UTC(2026, 10, 20, 10, 15),
    });
    expect(readCondition('anywhere', draft('contains', 'x:y'), clock)).toEqual({
      field: 'anywhere',
      text: 'x:y',
    });
  });

  it.each([
    ['channel', draft('is', ''), 'value-missing'],
    ['error', draft('contains', ''), 'value-missing'],
    ['dateMs', draft('between', '', ''), 'value-missing'],
    ['dateMs', draft('between', 'soon', ''), 'not-a-date'],
    ['responseTimeMs', draft('between', '9', '1'), 'range-reversed'],
    ['service', draft('is', '1.5'), 'not-a-number'],
  ] as const)('on %s refuses %o: %s', (field, typed, fault) => {
    expect(readCondition(field, typed, clock)).toMatchObject({ fault });
  });

  it('offers the ways that fit the field', () => {
    expect(listModes('payload')).toEqual(['contains', 'is']);
    expect(listModes('dateMs')).toEqual(['between']);
    expect(listModes('anywhere')).toEqual(['contains']);
  });
});
