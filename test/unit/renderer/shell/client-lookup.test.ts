import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ref, type Ref } from 'vue';
import type { Input, Output } from '../../../../src-main/common/contract/index.ts';
import type { PaletteEntry } from '../../../../src-renderer/shell/palette/palette-entries.ts';
import { useClientLookup } from '../../../../src-renderer/shell/palette/palette-places.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const NOW_MS = Date.UTC(2026, 10, 27, 9, 12);
const typed = ref('');
let found: Readonly<Ref<readonly PaletteEntry[]>>;
let opened: Input<'conversations/open'>[];
let closed: string[];

beforeEach(async () => {
  vi.useFakeTimers({ now: NOW_MS });
  typed.value = '';
  [opened, closed] = [[], []];
  const backend = new ScriptedBackend({
    'connections/list': () => [makeConnection({ id: 'one', serviceZone: 'UTC' })],
    'conversations/open': (question) => {
      opened.push(question);
      const [part] = question.filter.conditions;
      const isRosa = part !== undefined && 'text' in part && part.text === 'Rosa';
      return { viewId: 'list', rowCount: isRosa ? 2 : 0 } as Output<'conversations/open'>;
    },
    'conversations/read-rows': () =>
      [
        { sessionId: 'a', client: 'Rosa Lopez', firstMs: NOW_MS, outcome: 'lost', isUnanswered: true },
        { sessionId: 'b', client: 'Rosa Bell', firstMs: NOW_MS, outcome: 'recovered', isUnanswered: false },
      ] as Output<'conversations/read-rows'>,
    'conversations/close': ({ viewId }) => {
      closed.push(viewId);
      return null;
    },
  });
  const { global } = await provideApplication(backend);
  await useConnectionsStore().load();
  mount(
    {
      setup() {
        found = useClientLookup(() => typed.value);
        return () => null;
      },
    },
    { global },
  );
});
afterEach(() => vi.useRealTimers());

async function type(text: string): Promise<readonly PaletteEntry[]> {
  typed.value = text;
  await flushPromises();
  await vi.advanceTimersByTimeAsync(400);
  await flushPromises();
  return found.value;
}

test('a part of a client’s name leads to the client’s conversations, each with its outcome', async () => {
  const entries = await type(' Rosa ');
  expect(entries.map(({ label }) => label)).toEqual([
    '2 conversations of clients with “Rosa”',
    expect.stringMatching(/^Rosa Lopez, .*: last message failed, no answer$/),
    expect.stringMatching(/^Rosa Bell, .*: Recovered$/),
  ]);
  expect(entries.map(({ action }) => action)).toEqual([
    { kind: 'go', path: { path: '/conversations', query: { q: 'client:Rosa' } } },
    { kind: 'session', sessionId: 'a', connectionId: null },
    { kind: 'session', sessionId: 'b', connectionId: null },
  ]);
  expect(opened[0]).toMatchObject({ connectionId: 'one', order: { column: 'start', descending: true } });
  expect(closed).toEqual(['list']);
});

test('a name that nobody has, and a text too short to be one, are no results', async () => {
  expect(await type('Nobody')).toEqual([]);
  expect(await type('Ro')).toEqual([]);
  expect(opened).toHaveLength(1);
});
