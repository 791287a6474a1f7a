import { Server } from '@lucide/vue';
import { expect, test } from 'vitest';
import { findPaletteEntries, type PaletteEntry } from '../../../../src-renderer/shell/palette-entries.ts';

const words: Record<string, string> = {
  'shell.views.inbound-summary': 'Inbound summary',
  'shell.views.outbound-summary': 'Outbound summary',
};
const find = (typed: string) =>
  findPaletteEntries(typed, (key) => words[key] ?? key).map((entry) => entry.id);

test('nothing typed offers every view and action', () => {
  expect(find('')).toHaveLength(16);
});

test('each typed word must begin a word of the label', () => {
  expect(find('sum inb')).toEqual(['inbound-summary']);
  expect(find('summary')).toEqual(['inbound-summary', 'outbound-summary']);
  expect(find('bound')).toEqual([]);
});

test('a pasted GUID opens its session', () => {
  const id = '29CDB989-6221-4742-96CA-1A878545B5A3';
  const entries = findPaletteEntries(` ${id} `, (key) => key);
  expect(entries.map((entry) => entry.action)).toEqual([{ kind: 'session', sessionId: id }]);
});

test('places follow views and actions, and are found by their words', () => {
  const place = (id: string, label: string): PaletteEntry => ({
    ...{ id, label, group: 'connections', icon: Server, keys: [] },
    action: { kind: 'connection', connectionId: id },
  });
  const places = [place('a', 'Switch to Summary service'), place('b', 'Switch to Staging')];
  const entries = findPaletteEntries('sum', (key) => words[key] ?? key, places);
  expect(entries.map(({ id }) => id)).toEqual(['inbound-summary', 'outbound-summary', 'a']);
});
