import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import type { Router } from 'vue-router';
import type { SavedView } from '../../../../src-main/common/model/records/record-filter.ts';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Settings } from '../../../../src-main/common/model/settings/settings.ts';
import SavedViews from '../../../../src-renderer/screens/detail/saved/SavedViews.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useSavedViewsStore } from '../../../../src-renderer/stores/records/kept.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { surround } from '../support/surround.ts';

const timeouts: SavedView = { name: 'Timeouts', direction: 'inbound', query: 'code:504' };
const slow: SavedView = { name: 'Slow bot', direction: 'inbound', query: 'botlatency:>=500' };
const answers: SavedView = { name: 'Answers', direction: 'outbound', query: 'response:no' };

let settings: Settings;
let router: Router;
let page: VueWrapper;
let failure: Error | null;

async function show(savedViews: SavedView[], query = '', direction: 'inbound' | 'outbound' = 'inbound') {
  settings = makeSettings({ savedViews });
  failure = null;
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'linux' }) as never,
    'settings/get': () => settings,
    'settings/update': (change) => {
      if (failure !== null) throw failure;
      return (settings = { ...settings, ...change });
    },
  });
  const path = `/${direction}/detail?period=yesterday&q=${encodeURIComponent(query)}`;
  const application = await provideApplication(backend, path);
  router = application.router;
  await useAppStore().load();
  page = mount(SavedViews, {
    global: surround(application.global, { direction }),
    attachTo: document.body,
  });
  await page.get('button').trigger('click');
  await flushPromises();
}

const inMenu = (selector: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(`.cs-popover ${selector}`);
  if (found === null) throw new Error(`There is no ${selector}.`);
  return found;
};
const listNames = (): string[] =>
  [...document.querySelectorAll('.cs-popover li .cs-menu-item')].map(({ textContent }) => textContent.trim());
const press = async (label: string): Promise<void> => {
  inMenu(`[aria-label="${label}"]`).click();
  await flushPromises();
};
const typeInto = async (label: string, text: string): Promise<void> => {
  const input =
    document.querySelector<HTMLInputElement>(`.cs-popover input[aria-label="${label}"]`) ??
    (inMenu('.form input') as HTMLInputElement);
  input.value = text;
  input.dispatchEvent(new Event('input'));
  input.form?.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }));
  await flushPromises();
};

afterEach(() => {
  page.unmount();
  document.body.replaceChildren();
});

describe('saved views', () => {
  it('are saved under a name, with the direction, the columns, and what else the address shows', async () => {
    await show([], 'code:504');
    await typeInto('Name for this view', '  Timeouts ');
    expect(settings.savedViews).toEqual([{ ...timeouts, columns: [] }]);
    expect(listNames()).toEqual(['Timeouts']);
    await router.push('/inbound/detail?period=last-7-days&tab=errors&order=-code&record=1.2&connection=a');
    for (const kept of document.querySelectorAll<HTMLElement>('.cs-popover .kept [role=switch]'))
      kept.click();
    await typeInto('Name for this view', 'Errors of the week');
    expect(settings.savedViews[1]).toEqual({
      name: 'Errors of the week',
      direction: 'inbound',
      query: '',
      shown: { tab: 'errors', order: '-code' },
      period: 'last-7-days',
    });
  });

  it('show the tab, the order, the period and the columns that they were saved with', async () => {
    const column = { id: 'client', widthPx: 90, pinned: null, hidden: false } as const;
    const whole: SavedView = {
      name: 'Errors of the week',
      direction: 'inbound',
      query: 'code:504',
      shown: { tab: 'errors' },
      period: 'last-7-days',
      columns: [column],
    };
    await show([whole], 'channel:3');
    document.querySelector<HTMLElement>('.cs-popover li .cs-menu-item')?.click();
    await flushPromises();
    expect(router.currentRoute.value.query).toEqual({ q: 'code:504', tab: 'errors', period: 'last-7-days' });
    expect(settings.tableColumns).toEqual({ 'inbound-detail': [column] });
  });

  it('are not saved under a name that is missing, too long or taken', async () => {
    await show([timeouts], 'channel:3');
    for (const [name, words] of [
      [' ', 'Type a name'],
      ['x'.repeat(61), 'At most 60 characters'],
      ['TIMEOUTS', 'Another saved view has this name'],
    ] as const) {
      await typeInto('Name for this view', name);
      expect(inMenu('[role=alert]').textContent).toContain(words);
    }
    expect(settings.savedViews).toEqual([timeouts]);
  });

  it('are limited in number and length', async () => {
    const many = Array.from({ length: 100 }, (_, place) => ({ ...timeouts, name: `Filter ${place}` }));
    await show(many, 'channel:3');
    await typeInto('Name for this view', 'One more');
    expect(inMenu('[role=alert]').textContent).toContain('already 100 saved views');
    const store = useSavedViewsStore();
    await store.remove(many[0]!.name);
    const query = 'x'.repeat(10_001);
    expect(await store.save({ name: 'Long', direction: 'inbound', query })).toBe('query-long');
    expect(await store.replace({ ...many[1]!, query })).toBe('query-long');
  });

  it('are opened by one click', async () => {
    await show([timeouts, slow], 'channel:3');
    document.querySelectorAll<HTMLElement>('.cs-popover li .cs-menu-item')[1]?.click();
    await flushPromises();
    expect(router.currentRoute.value.query).toEqual({ q: 'botlatency:>=500' });
    expect(document.querySelector('.cs-popover')).toBeNull();
  });

  it('are offered where the records have their fields', async () => {
    await show([timeouts, slow, answers], 'channel:3', 'outbound');
    expect(listNames()).toEqual(['TimeoutsInbound', 'Answers']);
    expect(inMenu('.note').textContent).toContain("1 saved view doesn't apply here");
  });

  it('are replaced and renamed in their place', async () => {
    await show([timeouts, slow], 'channel:3');
    await press('Replace Timeouts with what is shown');
    expect(settings.savedViews).toEqual([{ ...timeouts, query: 'channel:3', columns: [] }, slow]);
    await press('Rename Slow bot');
    await typeInto('New name for Slow bot', 'timeouts');
    expect(inMenu('[role=alert]').textContent).toContain('Another saved view has this name');
    await typeInto('New name for Slow bot', 'slow BOT');
    expect(settings.savedViews.map(({ name }) => name)).toEqual(['Timeouts', 'slow BOT']);
    expect(document.activeElement?.textContent).toBe('slow BOT');
  });

  it('come back by undo to where they were, under their name', async () => {
    await show([timeouts, slow]);
    await press('Delete Timeouts');
    expect(listNames()).toEqual(['Slow bot']);
    expect(inMenu('[role=status]').textContent).toContain('“Timeouts” deleted.');
    inMenu('[role=status] button').click();
    await flushPromises();
    expect(settings.savedViews).toEqual([timeouts, slow]);
    expect(document.querySelector('.cs-popover [role=status]')).toBeNull();
  });

  it('offer no undo once another view has the name', async () => {
    await show([timeouts, slow], 'channel:3');
    await press('Delete Timeouts');
    await typeInto('Name for this view', 'timeouts');
    expect(settings.savedViews.map(({ name }) => name)).toEqual(['Slow bot', 'timeouts']);
    expect(document.querySelector('.cs-popover [role=status]')).toBeNull();
  });

  it('stay as they are, and say so, when they can’t be written', async () => {
    await show([timeouts], 'channel:3');
    failure = new AppError('cache.disk-full', 'Full.');
    await press('Delete Timeouts');
    expect(listNames()).toEqual(['Timeouts']);
    expect(inMenu('[role=alert]').textContent).not.toBe('');
  });
});
