import { flushPromises, mount } from '@vue/test-utils';
import { expect, test } from 'vitest';
import { ref } from 'vue';
import { useBeside } from '../../../../src-renderer/screens/detail/detail-address.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

async function open(path: string, inspectorOpen: boolean) {
  const hasRecord = ref(false);
  let settings = makeSettings({ inspectorOpen });
  const backend = new ScriptedBackend({
    'app/get-info': () => ({}) as never,
    'settings/get': () => settings,
    'settings/update': (change) => (settings = { ...settings, ...change }),
  });
  const { global, router } = await provideApplication(backend, path);
  await useAppStore().load();
  let beside!: ReturnType<typeof useBeside>;
  mount({ setup: () => void (beside = useBeside(() => hasRecord.value)), template: '<i />' }, { global });
  return { beside, router, hasRecord, readSettings: () => settings };
}

test('seen: while a selection was explained, a press on a record showed nothing', async () => {
  const { beside, router } = await open('/inbound/detail?q=code:504&explain=1', false);
  expect([beside.isExplaining.value, beside.isInspectorOpen.value]).toEqual([true, false]);
  beside.pressRow();
  await flushPromises();
  expect([beside.isExplaining.value, beside.isInspectorOpen.value]).toEqual([false, true]);
  expect(router.currentRoute.value.query).toEqual({ q: 'code:504' });
});

test('beside the records the inspector stays closed that a person closed', async () => {
  const { beside } = await open('/inbound/detail', false);
  beside.pressRow();
  await flushPromises();
  expect(beside.isInspectorOpen.value).toBe(false);
});

test('the inspector gives its space to the table until a record is chosen, or it is asked for', async () => {
  const { beside, hasRecord, readSettings } = await open('/inbound/detail', true);
  expect(beside.isInspectorOpen.value).toBe(false);
  hasRecord.value = true;
  expect(beside.isInspectorOpen.value).toBe(true);
  beside.setInspector(false);
  await flushPromises();
  expect([beside.isInspectorOpen.value, readSettings().inspectorOpen]).toEqual([false, false]);
  hasRecord.value = false;
  beside.setInspector(true);
  await flushPromises();
  expect([beside.isInspectorOpen.value, readSettings().inspectorOpen]).toEqual([true, true]);
});
