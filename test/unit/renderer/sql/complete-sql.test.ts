import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { completeSql } from '../../../../src-renderer/screens/sql/editor/complete-sql.ts';

/** What is offered where the bar stands. */
function offer(marked: string, explicit = false): readonly string[] | null {
  const pos = marked.indexOf('|');
  const state = EditorState.create({ doc: marked.replace('|', '') });
  return completeSql(new CompletionContext(state, pos, explicit))?.options.map(({ label }) => label) ?? null;
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
