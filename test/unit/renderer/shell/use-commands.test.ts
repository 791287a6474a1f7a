import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { defineComponent } from 'vue';
import type { Router } from 'vue-router';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useClockStore } from '../../../../src-renderer/stores/window/times.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { useSqlStore } from '../../../../src-renderer/stores/records/sql.ts';
import { useCommands } from '../../../../src-renderer/shell/use-commands.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeHistory, makeSample, makeSettings } from '../support/samples.ts';
import { VIEWS } from '../../../../src-renderer/shell/views.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const numberOf = (view: string): string => String(VIEWS.findIndex(({ name }) => name === view) + 1);
let backend: ScriptedBackend;
let router: Router;
let page: VueWrapper;
let commands: ReturnType<typeof useCommands>;

async function open(template = '<i />', path = '/overview'): Promise<void> {
  let settings = makeSettings();
  backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'linux', host: 'web' }) as never,
    'settings/get': () => settings,
    'settings/update': (change) => (settings = { ...settings, ...change }),
    'connections/list': () => [makeConnection()],
    'status/refresh': () => makeSample(),
    'status/read-history': () => makeHistory(null),
  });
  const application = await provideApplication(backend, path);
  router = application.router;
  await useAppStore().load();
  await useConnectionsStore().load();
  const Page = defineComponent({
    setup: () => {
      commands = useCommands();
      return {};
    },
    template: `<main>${template}</main>`,
  });
  page = mount(Page, { global: application.global, attachTo: document.body });
  await flushPromises();
}

async function press(key: string, modifiers: Partial<KeyboardEventInit> = { ctrlKey: true }, on?: string) {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...modifiers });
  (on === undefined ? document.body : page.get(on).element).dispatchEvent(event);
  await flushPromises();
  return event.defaultPrevented;
}

afterEach(() => {
  page.unmount();
});

describe('keys of the shell', () => {
  it('do not act under an open dialog; the palette closes by its key', async () => {
    await open();
    const scrim = document.body.appendChild(document.createElement('div'));
    scrim.className = 'cs-scrim';
    const before = router.currentRoute.value.path;
    await press('2');
    await press('k');
    expect([router.currentRoute.value.path, commands.paletteOpen.value]).toEqual([before, false]);
    scrim.remove();
    await press('k');
    document.body.append(scrim);
    await press('k');
    scrim.remove();
    expect(commands.paletteOpen.value).toBe(false);
  });

  it('opens and closes the palette', async () => {
    await open();
    expect(await press('k')).toBe(true);
    expect(commands.paletteOpen.value).toBe(true);
    await press('k');
    expect(commands.paletteOpen.value).toBe(false);
  });

  it('goes to the views by their number and to the settings', async () => {
    await open();
    await press(numberOf('inbound-detail'));
    expect(router.currentRoute.value.path).toBe('/inbound/detail');
    await press(',');
    expect(router.currentRoute.value.path).toBe('/settings');
  });

  it('leaves a key to the browser where the screen has nothing for it', async () => {
    await open('<input data-shortcut="search" />');
    expect(await press('f')).toBe(true);
    expect(await press('e')).toBe(false);
    page.unmount();
    await open();
    expect(await press('f')).toBe(false);
  });

  it('lists its keys, but not while a question mark is typed', async () => {
    await open('<input />');
    await press('?', { shiftKey: true }, 'input');
    expect(commands.shortcutsOpen.value).toBe(false);
    await press('?', { shiftKey: true });
    expect(commands.shortcutsOpen.value).toBe(true);
  });

  it('goes back and forward', async () => {
    await open();
    await press(numberOf('inbound-detail'));
    await press('[');
    await flushPromises();
    expect(router.currentRoute.value.path).toBe('/overview');
    await press(']');
    await flushPromises();
    expect(router.currentRoute.value.path).toBe('/inbound/detail');
  });

  it('keeps what is switched in the settings', async () => {
    await open();
    await press('b');
    await press('L', { ctrlKey: true, shiftKey: true });
    expect(useAppStore().settings).toMatchObject({
      sidebarCollapsed: true,
      theme: 'light',
    });
  });

  it('presses the control that a screen marks, and refreshes the status where there is none', async () => {
    await open('<button data-shortcut="refresh" @click="$emit(\'pressed\')" />');
    const before = backend.countCalls('status/refresh');
    await press('r');
    expect(page.emitted('pressed')).toHaveLength(1);
    expect(backend.countCalls('status/refresh')).toBe(before);
    page.unmount();
    await open();
    const once = backend.countCalls('status/refresh');
    await press('r');
    expect(backend.countCalls('status/refresh')).toBe(once + 1);
  });

  it('moves to the search with a slash, which stays a slash while typing', async () => {
    await open('<div data-shortcut="search"><input id="search" /></div><input id="other" />');
    expect(await press('/', {}, '#other')).toBe(false);
    expect(document.activeElement?.id).not.toBe('search');
    expect(await press('/', {})).toBe(true);
    expect(document.activeElement?.id).toBe('search');
  });

  it('leaves keys to the page where there is no shell, and after it is gone', async () => {
    await open('<i />', '/first-run');
    expect(await press('k')).toBe(false);
    page.unmount();
    await open();
    page.unmount();
    expect(await press('k')).toBe(false);
  });
});

describe('actions of the palette', () => {
  it('opens a view, a session, the switcher, and presses controls', async () => {
    await open('<button data-shortcut="export" @click="$emit(\'pressed\')" />');
    await commands.runAction({ kind: 'session', sessionId: 'abc', connectionId: null });
    expect(router.currentRoute.value.fullPath).toBe('/session/abc');
    expect(useAppStore().settings?.lastConnectionId).not.toBe('two');
    await commands.runAction({ kind: 'session', sessionId: 'abc', connectionId: 'two' });
    expect(useAppStore().settings?.lastConnectionId).toBe('two');
    await commands.runAction({ kind: 'go', path: '/overview' });
    expect(router.currentRoute.value.path).toBe('/overview');
    await commands.runAction({ kind: 'switch-connection' });
    expect(commands.switcherOpen.value).toBe(true);
    await commands.runAction({ kind: 'control', control: 'export' });
    expect(page.emitted('pressed')).toHaveLength(1);
  });

  it('switches the clock of the connection', async () => {
    await open();
    await commands.runAction({ kind: 'clock', clock: 'utc' });
    expect(useClockStore().choice).toBe('utc');
    expect(useAppStore().settings?.clocks).toEqual({ [makeConnection().id]: 'utc' });
  });

  it('opens a saved statement under its name, to be run', async () => {
    await open();
    await commands.runAction({ kind: 'statement', statement: { name: 'Codes', text: 'FROM inbound' } });
    expect(router.currentRoute.value.path).toBe('/sql');
    const sql = useSqlStore();
    expect([sql.text, sql.origin]).toEqual(['FROM inbound', { kind: 'saved', name: 'Codes' }]);
    expect(sql.wantedAtMs).not.toBeNull();
  });
});
