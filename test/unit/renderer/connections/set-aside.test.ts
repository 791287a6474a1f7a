import { mount } from '@vue/test-utils';
import { expect, test } from 'vitest';
import type { SetAsideConnections as SetAside } from '../../../../src-main/common/model/connections/connection.ts';
import SetAsideConnections from '../../../../src-renderer/components/connections/SetAsideConnections.vue';
import { createMessages } from '../../../../src-renderer/messages/index.ts';

function read(found: SetAside): string {
  return mount(SetAsideConnections, { props: { found }, global: { plugins: [createMessages()] } }).text();
}

test('saved connections that do not fit are named, with where they are kept', () => {
  const text = read({ names: ['Old platform', ''], fileName: 'connections.json', keptFile: null });
  expect(text).toContain("2 saved connections can't be read");
  expect(text).toContain('Old platform, A connection without a name');
  expect(text).toContain('they stay in connections.json');
});

test('a whole list that is damaged is named by its file', () => {
  const text = read({
    names: [],
    fileName: 'connections.json',
    keptFile: 'connections.json.damaged-7',
  });
  expect(text).toContain('kept in the data folder as connections.json.damaged-7');
});

test('nothing is said where everything could be read', () => {
  expect(read({ names: [], fileName: 'connections.json', keptFile: null })).toBe('');
});
