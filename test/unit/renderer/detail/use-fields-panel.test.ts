import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { defineComponent, h, ref } from 'vue';
import type { Settings, SettingsChange } from '../../../../src-main/common/model/settings/settings.ts';
import { useFieldsPanel } from '../../../../src-renderer/screens/detail/fields/fields.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const usualWidth = window.innerWidth;
afterEach(() => resize(usualWidth));

function resize(widthPx: number): void {
  Object.defineProperty(window, 'innerWidth', { value: widthPx, configurable: true });
  window.dispatchEvent(new Event('resize'));
}

/** Uses the panel in a window, beside a sidebar of 220 pixels. */
async function use(
  widthPx: number,
  { inspector = false, open }: { inspector?: boolean; open?: boolean } = {},
) {
  let settings: Settings = makeSettings({
    fieldsPanel: { folded: [], ...(open === undefined ? {} : { open }) },
  });
  const backend = new ScriptedBackend({
    'settings/update': (change: SettingsChange) => (settings = { ...settings, ...change }),
  });
  const { global } = await provideApplication(backend);
  const room = document.createElement('div');
  Object.defineProperty(room, 'clientWidth', { get: () => window.innerWidth - 220 });
  const box = room.appendChild(document.createElement('div'));
  useAppStore();
  backend.emit('settings/changed', settings);
  resize(widthPx);
  let found: ReturnType<typeof useFieldsPanel> | undefined;
  const isInspectorOpen = ref(inspector);
  const Host = defineComponent(() => {
    found = useFieldsPanel(ref(box), () => isInspectorOpen.value);
    return () => h('i');
  });
  mount(Host, { global });
  await flushPromises();
  if (found === undefined) throw new Error('The panel was not used.');
  const showConnection = async (id: string): Promise<void> => {
    backend.emit('connections/changed', [makeConnection({ id: 'one' }), makeConnection({ id: 'two' })]);
    useConnectionsStore().show(id);
    await flushPromises();
  };
  return { panel: found, isInspectorOpen, readSettings: () => settings, showConnection };
}

it('shows the keys that were chosen for the connection', async () => {
  const { panel, showConnection } = await use(1440);
  await showConnection('one');
  panel.setPaths(['payload.error.code']);
  await flushPromises();
  expect(panel.paths.value).toEqual(['payload.error.code']);
  await showConnection('two');
  expect(panel.paths.value).toEqual([]);
  await showConnection('one');
  expect(panel.paths.value).toEqual(['payload.error.code']);
});

it('is open by itself where the table keeps room for its first columns', async () => {
  expect((await use(1440)).panel.isOpen.value).toBe(true);
  expect((await use(1279)).panel.isOpen.value).toBe(false);
  expect((await use(1440, { inspector: true })).panel.isOpen.value).toBe(false);
  expect((await use(1600, { inspector: true })).panel.isOpen.value).toBe(true);
});

it('stays while the inspector is opened beside it, and follows the window', async () => {
  const { panel, isInspectorOpen } = await use(1440);
  isInspectorOpen.value = true;
  await flushPromises();
  expect(panel.isOpen.value).toBe(true);
  resize(1100);
  await flushPromises();
  expect(panel.isOpen.value).toBe(false);
});

it('stays as the person left it, and what was folded too', async () => {
  const { panel, readSettings } = await use(1440);
  panel.toggle();
  await flushPromises();
  panel.fold('client', true);
  await flushPromises();
  expect(panel.isOpen.value).toBe(false);
  expect([...panel.folded.value]).toEqual(['client']);
  panel.fold('client', false);
  await flushPromises();
  expect(readSettings().fieldsPanel).toEqual({ open: false, folded: [] });
  expect((await use(1024, { open: true })).panel.isOpen.value).toBe(true);
});
