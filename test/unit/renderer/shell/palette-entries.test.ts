import { Server } from '@lucide/vue';
import { expect, test } from 'vitest';
import { toStatementEntries, toViewEntries } from '../../../../src-renderer/shell/palette/palette-places.ts';
import { VIEWS } from '../../../../src-renderer/shell/views.ts';
import {
  findPaletteEntries,
  type FoundSession,
  type PaletteEntry,
} from '../../../../src-renderer/shell/palette/palette-entries.ts';

const words: Record<string, string> = {
  'shell.views.inbound-summary': 'Inbound summary',
  'shell.views.outbound-summary': 'Outbound summary',
};
const find = (typed: string) =>
  findPaletteEntries(typed, (key) => words[key] ?? key).map((entry) => entry.id);

test('nothing typed offers every view and action', () => {
  expect(find('')).toHaveLength(VIEWS.length + 19);
});

test('each typed word must begin a word of the label', () => {
  expect(find('sum inb')).toEqual(['inbound-summary']);
  expect(find('summary')).toEqual(['inbound-summary', 'outbound-summary']);
  expect(find('bound')).toEqual([]);
});

test('saved views are found by their name', () => {
  const t = (key: string, values: Record<string, unknown> = {}) => [key, ...Object.values(values)].join(' ');
  const view = { name: 'Lost & found', direction: 'outbound' as const, query: 'error:"a & b" #1' };
  const [entry, ...others] = findPaletteEntries('lost', t, toViewEntries([view], t));
  expect(others).toEqual([]);
  expect(entry?.action).toEqual({ kind: 'view', view });
});

test('saved statements are found by their name', () => {
  const statement = { name: 'Slow by hour', text: 'SELECT 1' };
  const found = findPaletteEntries('slow', (key) => key, toStatementEntries([statement]));
  expect(found.map(({ action }) => action)).toEqual([{ kind: 'statement', statement }]);
});

test('a pasted GUID opens its session', () => {
  const id = '29CDB989-6221-4742-96CA-1A878545B5A3';
  const open = (isCached: boolean | null, elsewhere: FoundSession['elsewhere'] = null) =>
    findPaletteEntries(` ${id} `, (key) => key, [], { sessionId: id, isCached, elsewhere });
  expect(open(null).map((entry) => entry.action)).toEqual([
    { kind: 'session', sessionId: id, connectionId: null },
  ]);
  expect(open(true, { connectionId: 'two', name: 'Shop' })).toMatchObject([
    { label: 'palette.sessionElsewhere', action: { sessionId: id, connectionId: 'two' } },
  ]);
  expect([null, true, false].flatMap((isCached) => open(isCached)).map(({ label }) => label)).toEqual([
    'palette.session',
    'palette.session',
    'palette.sessionNotCached',
  ]);
});

test('places follow views and actions, and are found by their words', () => {
  const place = (id: string, label: string): PaletteEntry => ({
    id,
    label,
    group: 'connections',
    icon: Server,
    keys: [],
    action: { kind: 'connection', connectionId: id },
  });
  const places = [place('a', 'Switch to Summary service'), place('b', 'Switch to Staging')];
  const entries = findPaletteEntries('sum', (key) => words[key] ?? key, places);
  expect(entries.map(({ id }) => id)).toEqual(['inbound-summary', 'outbound-summary', 'a']);
});

test('names are found whatever their accents, marks of direction and punctuation, and by the name of their group', () => {
  const place = (id: string, label: string): PaletteEntry => ({
    id,
    label,
    group: 'connections',
    icon: Server,
    keys: [],
    action: { kind: 'connection', connectionId: id },
  });
  const names = ['\u2068الإنتاج\u2069', 'Produção', '"Lost" (inbound)', 'Tests'];
  const places = names.map((name) => place(name, `Switch to ${name}`));
  const t = (key: string) => (key === 'palette.groups.connections' ? 'Connections' : 'x');
  const found = (typed: string) => findPaletteEntries(typed, t, places).map(({ id }) => id);
  expect(found('الإنت')).toEqual([names[0]]);
  expect(found('producao')).toEqual(['Produção']);
  expect(found('PRODUÇ')).toEqual(['Produção']);
  expect(found('lost inb')).toEqual(['"Lost" (inbound)']);
  expect(found('connections')).toEqual(names);
  expect(found('conn tests')).toEqual(['Tests']);
  expect(found('con')).toEqual([]);
});
