import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ref, type Ref } from 'vue';
import type { Session } from '../../../../src-main/common/model/records/conversation.ts';
import {
  type FoundSession,
  useSessionLookup,
} from '../../../../src-renderer/shell/palette/palette-entries.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const GUID = '29CDB989-6221-4742-96CA-1A878545B5A3';
const cachedOf: Readonly<Record<string, string>> = { one: 'chat-4711', two: 'chat-4712' };
const typed = ref('');
let found: Readonly<Ref<FoundSession | null>>;
let backend: ScriptedBackend;

beforeEach(async () => {
  vi.useFakeTimers();
  typed.value = '';
  backend = new ScriptedBackend({
    'settings/update': () => makeSettings(),
    'connections/list': () => [makeConnection({ id: 'one' }), makeConnection({ id: 'two', name: 'Shop' })],
    'records/read-session': ({ sessionId, connectionId }) =>
      ({
        inbound: { requests: sessionId === cachedOf[connectionId] ? 2 : 0, failures: 0 },
        outbound: { requests: 0, failures: 0 },
      }) as Session,
  });
  const { global } = await provideApplication(backend);
  await useConnectionsStore().load();
  mount(
    {
      setup() {
        found = useSessionLookup(() => typed.value);
        return () => null;
      },
    },
    { global },
  );
});
afterEach(() => vi.useRealTimers());

async function type(text: string): Promise<FoundSession | null> {
  typed.value = text;
  await flushPromises();
  await vi.advanceTimersByTimeAsync(200);
  await flushPromises();
  return found.value;
}

test('a GUID is a session at once, and soon one that is cached or not', async () => {
  typed.value = ` ${GUID} `;
  await flushPromises();
  expect(found.value).toEqual({ sessionId: GUID, isCached: null, elsewhere: null });
  expect(await type(`${GUID}\n`)).toEqual({ sessionId: GUID, isCached: false, elsewhere: null });
});

test('another text is one where it is cached', async () => {
  expect(await type('chat-4711')).toEqual({ sessionId: 'chat-4711', isCached: true, elsewhere: null });
  expect(await type('summaries')).toBeNull();
});

test('what was pasted around a GUID is no part of it', async () => {
  for (const text of [`{${GUID}}`, `"Id": "${GUID}",`, `session ${GUID} failed`]) {
    expect(await type(text)).toMatchObject({ sessionId: GUID, isCached: false });
  }
});

test('a session of another connection is found, too', async () => {
  expect(await type('chat-4712')).toEqual({
    sessionId: 'chat-4712',
    isCached: true,
    elsewhere: { connectionId: 'two', name: 'Shop' },
  });
});

test('words are not looked up', async () => {
  for (const text of ['', 'abc', 'two words here', 'x'.repeat(300)]) expect(await type(text)).toBeNull();
  expect(backend.calls.some(({ name }) => name === 'records/read-session')).toBe(false);
});
