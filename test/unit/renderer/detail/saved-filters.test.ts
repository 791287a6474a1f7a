import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import type { Router } from 'vue-router';
import type { SavedFilter } from '../../../../src-main/common/model/records/saved-filter.ts';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Settings } from '../../../../src-main/common/model/settings/settings.ts';
import SavedFilters from '../../../../src-renderer/screens/detail/saved/SavedFilters.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useSavedFiltersStore } from '../../../../src-renderer/stores/records/saved-filters.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const timeouts: SavedFilter = { name: 'Timeouts', direction: 'inbound', query: 'code:504' };
const slow: SavedFilter = { name: 'Slow bot', direction: 'inbound', query: 'botlatency:>=500' };
const answers: SavedFilter = { name: 'Answers', direction: 'outbound', query: 'response:no' };

let settings: Settings;
let router: Router;
let page: VueWrapper;
let failure: Error | null;

async function show(savedFilters: SavedFilter[], query = '', direction: 'inbound' | 'outbound' = 'inbound') {
  settings = makeSettings({ savedFilters });
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
  page = mount(SavedFilters, {
    props: { direction },
    global: application.global,
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

describe('saved filters', () => {
  it('are saved under a name, with the direction', async () => {
    await show([], 'code:504');
    await typeInto('Name for this filter', '  Timeouts ');
    expect(settings.savedFilters).toEqual([timeouts]);
    expect(listNames()).toEqual(['Timeouts']);
  });

  it('are not saved without a filter, nor under a name that is missing, too long or taken', async () => {
    await show([timeouts]);
    expect(document.querySelector('.cs-popover form')).toBeNull();
    page.unmount();
    await show([timeouts], 'channel:3');
    for (const [name, words] of [
      [' ', 'Type a name'],
      ['x'.repeat(61), 'At most 60 characters'],
      ['TIMEOUTS', 'Another saved filter has this name'],
    ] as const) {
      await typeInto('Name for this filter', name);
      expect(inMenu('[role=alert]').textContent).toContain(words);
    }
    expect(settings.savedFilters).toEqual([timeouts]);
  });

  it('are limited in number and length', async () => {
    const many = Array.from({ length: 100 }, (_, place) => ({ ...timeouts, name: `Filter ${place}` }));
    await show(many, 'channel:3');
    await typeInto('Name for this filter', 'One more');
    expect(inMenu('[role=alert]').textContent).toContain('already 100 saved filters');
    const store = useSavedFiltersStore();
    await store.remove(many[0]!.name);
    const query = 'x'.repeat(10_001);
    expect(await store.save({ name: 'Long', direction: 'inbound', query })).toBe('query-long');
    expect(await store.replace({ ...many[1]!, query })).toBe('query-long');
  });

  it('are opened by one click, and the rest of the address stays', async () => {
    await show([timeouts, slow], 'channel:3');
    document.querySelectorAll<HTMLElement>('.cs-popover li .cs-menu-item')[1]?.click();
    await flushPromises();
    expect(router.currentRoute.value.query).toEqual({ period: 'yesterday', q: 'botlatency:>=500' });
    expect(document.querySelector('.cs-popover')).toBeNull();
  });

  it('are offered where the records have their fields', async () => {
    await show([timeouts, slow, answers], 'channel:3', 'outbound');
    expect(listNames()).toEqual(['TimeoutsInbound', 'Answers']);
    expect(inMenu('.note').textContent).toContain('1 saved filter names a field');
  });

  it('are replaced and renamed in their place', async () => {
    await show([timeouts, slow], 'channel:3');
    await press('Replace Timeouts with the filter shown');
    expect(settings.savedFilters).toEqual([{ ...timeouts, query: 'channel:3' }, slow]);
    await press('Rename Slow bot');
    await typeInto('New name for Slow bot', 'timeouts');
    expect(inMenu('[role=alert]').textContent).toContain('Another saved filter has this name');
    await typeInto('New name for Slow bot', 'slow BOT');
    expect(settings.savedFilters.map(({ name }) => name)).toEqual(['Timeouts', 'slow BOT']);
    expect(document.activeElement?.textContent).toBe('slow BOT');
  });

  it('come back by undo to where they were, under their name', async () => {
    await show([timeouts, slow]);
    await press('Delete Timeouts');
    expect(listNames()).toEqual(['Slow bot']);
    expect(inMenu('[role=status]').textContent).toContain('“Timeouts” deleted.');
    inMenu('[role=status] button').click();
    await flushPromises();
    expect(settings.savedFilters).toEqual([timeouts, slow]);
    expect(document.querySelector('.cs-popover [role=status]')).toBeNull();
  });

  it('offer no undo once another filter has the name', async () => {
    await show([timeouts, slow], 'channel:3');
    await press('Delete Timeouts');
    await typeInto('Name for this filter', 'timeouts');
    expect(settings.savedFilters.map(({ name }) => name)).toEqual(['Slow bot', 'timeouts']);
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
