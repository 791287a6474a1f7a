import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { describe, expect, test } from 'vitest';
import {
  completeSql,
  completeValue,
  type ColumnValues,
} from '../../../../src-renderer/screens/sql/editor/complete-sql.ts';
import { makeFacets } from '../../../support/samples/make-record.ts';

/** What is offered where the bar stands. */
function offer(marked: string, explicit = false, others: readonly string[] = []): readonly string[] | null {
  const pos = marked.indexOf('|');
  const state = EditorState.create({ doc: marked.replace('|', '') });
  const found = completeSql(new CompletionContext(state, pos, explicit), others);
  return found?.options.map(({ label }) => label) ?? null;
}

test('a word is completed with tables, columns, functions and keywords', () => {
  const offered = offer('SELECT c|');
  expect(offered).toEqual(expect.arrayContaining(['inbound', 'channel', 'action_id', 'count(*)', 'SELECT']));
});

test('columns are those of the tables that the statement names', () => {
  expect(offer('SELECT a| FROM inbound')).not.toContain('action_id');
  expect(offer('SELECT a| FROM inbound')).toContain('bot_latency_ms');
  expect(offer('SELECT a| FROM inbound JOIN outbound USING (session_id)')).toContain('action_id');
});

test('behind a table or its alias stand its columns alone', () => {
  expect(offer('SELECT o.| FROM outbound AS o')).toContain('action_id');
  expect(offer('SELECT o.| FROM outbound AS o')).not.toContain('inbound');
  expect(offer('SELECT status.p| FROM status WHERE 1 = 1')).toContain('platform');
  expect(offer('SELECT nothing.| FROM status')).toBeNull();
});

test('nothing is offered within a text, in a comment, or where no word begins', () => {
  expect(offer("SELECT 'chan|")).toBeNull();
  expect(offer('SELECT 1 -- chan|')).toBeNull();
  expect(offer('SELECT |')).toBeNull();
  expect(offer('SELECT |', true)).toContain('channel');
  expect(offer("SELECT 'a', chan|")).toContain('channel');
});

test('words of this statement and of others come last', () => {
  expect(offer('SELECT count(*) AS asked FROM inbound ORDER BY as|')).toContain('asked');
  expect(offer('SELECT fail|', false, ["SELECT 'faint' AS failed_share -- fails"])).toContain('failed_share');
  expect(offer('SELECT fai|', false, ["SELECT 'faint' AS failed_share -- fails"])).not.toContain('faint');
});

describe('values', () => {
  const count = (values: Readonly<Record<string, number>>) =>
    Object.entries(values).map(([value, records]) => ({ value, count: records }));
  const numbers = (values: Readonly<Record<number, number>>) =>
    count(values).map(({ value, count: records }) => ({ value: Number(value), count: records }));
  const FACETS = makeFacets({
    responseCodes: numbers({ 200: 90, 504: 10 }),
    channels: numbers({ 1: 5, 3: 60, 31: 35 }),
    origins: count({ web: 70, "it's": 30, none: 0 }),
  });
  const read: string[] = [];
  const values: ColumnValues = {
    read: (direction) => {
      read.push(direction);
      return Promise.resolve(direction === 'inbound' ? FACETS : null);
    },
    toName: (column, value) => (column === 'channel' && value === 31 ? 'WhatsApp' : ''),
    toHeading: (column) => column,
  };
  async function offerValues(marked: string) {
    const pos = marked.indexOf('|');
    const state = EditorState.create({ doc: marked.replace('|', '') });
    const found = await completeValue(new CompletionContext(state, pos, false), values);
    return found === null
      ? null
      : { from: found.from, to: found.to, labels: found.options.map(({ label }) => label) };
  }
  const labels = async (marked: string) => (await offerValues(marked))?.labels ?? null;

  test('are those of the column, most records first, texts in quotes', async () => {
    expect(await labels('FROM inbound WHERE channel = |')).toEqual(['3', '31', '1']);
    expect(await labels('FROM inbound WHERE response_code IN (200, |')).toEqual(['200', '504']);
    expect(await labels("FROM inbound WHERE Origin <> '|")).toEqual(["'web'", "'it''s'"]);
    expect(await labels('FROM inbound WHERE origin = |')).toEqual(["'web'", "'it''s'"]);
  });

  test('take the place of what was typed, with its quotes', async () => {
    expect(await offerValues("FROM inbound WHERE origin = 'w|'")).toEqual({
      from: 28,
      to: 31,
      labels: ["'web'"],
    });
    expect(await offerValues('FROM inbound WHERE channel = what|')).toEqual({
      from: 29,
      to: 33,
      labels: ['31'],
    });
  });

  test('are not offered behind a whole one, for other columns, in texts and in comments', async () => {
    for (const marked of [
      'FROM inbound WHERE channel = 3|',
      "FROM inbound WHERE client = '|",
      "SELECT 'channel = |'",
      '-- channel = |',
      "FROM inbound WHERE origin = 'x' AND cl|",
      'FROM inbound WHERE channel = 9|',
    ])
      expect(await labels(marked)).toBeNull();
  });

  test('are counted in the tables that the column is of', async () => {
    const readFor = async (marked: string) => {
      read.length = 0;
      await labels(marked);
      return read.join();
    };
    expect(await readFor('FROM inbound WHERE channel = |')).toBe('inbound');
    expect(await readFor('FROM inbound i JOIN outbound o ON o.channel = |')).toBe('outbound');
    expect(await readFor('FROM summaries WHERE channel = |')).toBe('inbound,outbound');
  });
});
