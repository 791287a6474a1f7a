import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Session } from '../../../../src-main/common/model/records/conversation.ts';
import CommandPalette from '../../../../src-renderer/shell/palette/CommandPalette.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function type(text: string) {
  const backend = new ScriptedBackend({
    'settings/update': () => makeSettings(),
    'connections/list': () => [makeConnection({ id: 'one' })],
    'records/read-session': () =>
      ({ inbound: { requests: 1, failures: 0 }, outbound: { requests: 0, failures: 0 } }) as Session,
  });
  const { global } = await provideApplication(backend);
  await useConnectionsStore().load();
  const palette = mount(CommandPalette, {
    props: { open: true, isMac: false },
    global,
    attachTo: document.body,
  });
  await flushPromises();
  const input = document.querySelector<HTMLInputElement>('[role=combobox]');
  if (input === null) throw new Error('The palette has no input.');
  input.value = text;
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await vi.advanceTimersByTimeAsync(300);
  await flushPromises();
  return { palette, input };
}

for (const sessionId of ['29CDB989-6221-4742-96CA-1A878545B5A3', 'chat-4711']) {
  test(`Enter opens the session ${sessionId} that was pasted`, async () => {
    const { palette, input } = await type(sessionId);
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    await flushPromises();
    expect(palette.emitted('run')).toEqual([[{ kind: 'session', sessionId, connectionId: null }]]);
  });
}

test('Enter does nothing where nothing is found', async () => {
  const { palette, input } = await type('qqqq zzzz');
  input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  expect(palette.emitted('run')).toBeUndefined();
});

test('what is listed keeps its words while the palette is open', async () => {
  let name = 'Before';
  const backend = new ScriptedBackend({
    'settings/update': () => makeSettings(),
    'connections/list': () => [makeConnection({ id: 'one' }), makeConnection({ id: 'two', name })],
  });
  const { global } = await provideApplication(backend);
  await useConnectionsStore().load();
  const palette = mount(CommandPalette, {
    props: { open: true, isMac: false },
    global,
    attachTo: document.body,
  });
  const read = (): string => document.querySelector('[role=listbox]')?.textContent ?? '';
  await vi.waitFor(() => expect(read()).toContain('Before'));
  name = 'After';
  await useConnectionsStore().load();
  await flushPromises();
  expect(read()).toContain('Before');
  await palette.setProps({ open: false });
  await palette.setProps({ open: true });
  await vi.waitFor(() => expect(read()).toContain('After'));
  palette.unmount();
});
