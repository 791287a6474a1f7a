import { flushPromises, mount } from '@vue/test-utils';
import { TooltipProvider } from 'reka-ui';
import { defineComponent, h } from 'vue';
import { afterEach, expect, it } from 'vitest';
import type { Settings } from '../../../../src-main/common/model/settings/settings.ts';
import RecordInspector from '../../../../src-renderer/inspector/RecordInspector.vue';
import {
  createColumns,
  listDefaultLayout,
} from '../../../../src-renderer/screens/detail/grid/grid-columns.ts';
import StatusBar from '../../../../src-renderer/shell/StatusBar.vue';
import { useTheme } from '../../../../src-renderer/shell/use-theme.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { makeRecord } from '../support/make-record.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

afterEach(() => document.documentElement.removeAttribute('data-blur-texts'));

it('blurs texts while the setting is on, and the status bar shows them again', async () => {
  const changes: Partial<Settings>[] = [];
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'linux', nowMs: 0, keychain: {}, host: 'web' }) as never,
    'app/read-proxy-challenge': () => null,
    'settings/get': () => makeSettings({ blurTexts: true }),
    'settings/update': (change) => {
      changes.push(change);
      return makeSettings(change);
    },
  });
  const { global } = await provideApplication(backend);
  await useAppStore().load();
  const Shell = defineComponent(() => {
    useTheme();
    return () => h(TooltipProvider, () => h(StatusBar));
  });
  const page = mount(Shell, { global });
  expect(document.documentElement.hasAttribute('data-blur-texts')).toBe(true);
  await page
    .findAll('button')
    .find((button) => button.text() === 'Texts blurred')
    ?.trigger('click');
  await flushPromises();
  expect(changes).toEqual([{ blurTexts: false }]);
  expect(document.documentElement.hasAttribute('data-blur-texts')).toBe(false);
  expect(page.text()).not.toContain('Texts blurred');
  page.unmount();
});

it('counts among them all that a record says of a person or by one, and nothing else of it', async () => {
  const backend = new ScriptedBackend({ 'records/read-raw': () => ({ text: null }) });
  const { global } = await provideApplication(backend);
  const record = makeRecord({
    client: 'Anna',
    error: 'No such person',
    response: 'Hello Anna',
    payload: 'This is Anna',
    origin: 'web',
    extra: { Phone: JSON.stringify('555') },
  });
  const view = mount(RecordInspector, {
    props: { record, target: record, direction: 'inbound', session: null, loading: false, error: null },
    global,
  });
  const isBlurred = (text: string): boolean =>
    view
      .findAll('*')
      .filter((each) => each.text() === text)
      .at(-1)
      ?.element.closest('.record-text') instanceof HTMLElement;
  for (const text of ['Anna', 'No such person', 'Hello Anna', 'This is Anna', '555']) {
    expect(isBlurred(text), text).toBe(true);
  }
  for (const text of ['web', record.sessionId]) expect(isBlurred(text), text).toBe(false);
  view.unmount();

  const columns = createColumns('inbound', {
    layout: listDefaultLayout('inbound'),
    order: [],
    t: String,
    readZone: () => 'UTC',
  });
  const blurred = columns.filter(({ cellClass }) => [cellClass].flat().includes('record-text'));
  expect(blurred.map(({ colId }) => colId)).toEqual(['error', 'client', 'payload']);
});
