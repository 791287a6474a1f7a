import { flushPromises, mount } from '@vue/test-utils';
import { describe, expect, it, vi } from 'vitest';
import type {
  DataFolderPlace,
  TargetCheck,
} from '../../../../src-main/common/contract/operations/data-folder.ts';
import type { UpdateState } from '../../../../src-main/common/contract/operations/app.ts';
import {
  type SetAsideSettings,
  SETTING_ENTRIES,
  type Settings,
} from '../../../../src-main/common/model/settings/settings.ts';
import { isFound } from '../../../../src-renderer/screens/settings/layout.ts';
import SettingsScreen from '../../../../src-renderer/screens/settings/SettingsScreen.vue';
import { useUpdatesStore, useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings, makeSharedWork } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const NO_UPDATES: UpdateState = {
  obstacle: null,
  phase: 'unknown',
  found: null,
  doneBytes: 0,
  totalBytes: null,
  checkedAtMs: null,
};

const STANDARD_PLACE: DataFolderPlace = {
  folder: '/home/person/channelscope',
  defaultFolder: '/home/person/channelscope',
  chosenBy: 'default',
  missingFolder: null,
  previous: null,
  unfinishedFolder: null,
  move: null,
};
const FIT_TARGET: TargetCheck = {
  folder: '',
  faults: [],
  risks: [],
  neededBytes: 2_000_000_000,
  freeBytes: 60_000_000_000,
};

async function show(
  options: {
    settings?: Partial<Settings>;
    info?: object;
    setAside?: Partial<SetAsideSettings>;
    path?: string;
    updates?: Partial<UpdateState>;
    place?: Partial<DataFolderPlace>;
    target?: Partial<TargetCheck>;
  } = {},
) {
  let settings = makeSettings(options.settings);
  const backend = new ScriptedBackend({
    'app/get-info': () =>
      ({
        host: 'web',
        platform: 'linux',
        dataFolder: '/home/person/channelscope',
        mayBeReadByOthers: false,
        isSafe: false,
        keychain: { kind: 'keychain', failure: null, isWaiting: false, file: 'none' },
        ...options.info,
      }) as never,
    'settings/get': () => settings,
    'settings/update': (change) => (settings = { ...settings, ...change }),
    'settings/list-set-aside': () => ({
      names: [],
      fileName: 'settings.json',
      keptFile: null,
      ...options.setAside,
    }),
    'settings/read-certificates': () => [],
    'data-folder/read-place': () => ({ ...STANDARD_PLACE, ...options.place }),
    'data-folder/check-target': ({ folder }) => ({ ...FIT_TARGET, folder, ...options.target }),
    'data-folder/choose-target': () => ({ folder: '/chosen/in a dialog' }),
    'data-folder/start-move': () => null,
    'data-folder/remove-previous': () => STANDARD_PLACE,
    'updates/get-state': () => ({ ...NO_UPDATES, ...options.updates }),
    'updates/check': () => ({ ...NO_UPDATES, ...options.updates }),
    'updates/download': () => ({ ...NO_UPDATES, ...options.updates }),
    'updates/install': () => null,
    'shared-work/read': () => makeSharedWork(),
    'snapshots/read-storage': () => ({ totalBytes: 193_000_000, freeBytes: 60_000_000_000 }) as never,
  });
  const { global, router } = await provideApplication(backend, options.path ?? '/settings');
  await useAppStore().load();
  await useUpdatesStore().load();
  const screen = mount(SettingsScreen, { global, attachTo: document.body });
  await flushPromises();
  return { backend, screen, router };
}
type Screen = Awaited<ReturnType<typeof show>>['screen'];

const row = (screen: Screen, name: string) => screen.get(`#setting-${name}`);
const listLabels = (screen: Screen): string[] =>
  screen.findAll('[role="group"]').map((found) => found.get('p').text());
const lastUpdate = (backend: ScriptedBackend) =>
  backend.calls.filter(({ name }) => name === 'settings/update').at(-1)?.input;

describe('the settings', () => {
  it('show every setting of the schema once, with a control', async () => {
    const { screen } = await show({
      settings: { proxyMode: 'manual' },
      info: { host: 'desktop', platform: 'windows' },
    });
    for (const { name } of SETTING_ENTRIES) {
      expect(screen.findAll(`#setting-${name}`), name).toHaveLength(1);
      expect(row(screen, name).find('button, input').exists(), name).toBe(true);
    }
    expect(screen.text()).not.toContain('settings.');
  });

  it('show only what does something here', async () => {
    expect((await show()).screen.find('#setting-keepInTray').exists()).toBe(false);
    const mac = await show({ info: { host: 'desktop', platform: 'macos' } });
    expect(mac.screen.find('#setting-keepInTray').exists()).toBe(false);
    expect(mac.screen.find('#setting-proxyAddress').exists()).toBe(false);
  });

  it('apply a change at once', async () => {
    const { backend, screen } = await show();
    await row(screen, 'alertNotes').get('[role="switch"]').trigger('click');
    await flushPromises();
    expect(lastUpdate(backend)).toEqual({ alertNotes: false });
    expect(row(screen, 'alertNotes').get('[role="switch"]').attributes('aria-checked')).toBe('false');
    await row(screen, 'density').findAll('[role="radio"]')[0]?.trigger('click');
    await flushPromises();
    expect(lastUpdate(backend)).toEqual({ density: 'compact' });
  });

  it('say beside a field what is wrong with it, and save nothing of it', async () => {
    const { backend, screen } = await show({ settings: { proxyMode: 'manual' } });
    const memory = row(screen, 'engineMemoryMb').get('input');
    await memory.setValue('64');
    await memory.trigger('change');
    expect(row(screen, 'engineMemoryMb').text()).toContain('Enter at least 128.');
    expect(memory.attributes('aria-invalid')).toBe('true');
    const address = row(screen, 'proxyAddress').get('input');
    await address.setValue('socks5://proxy:1080');
    await address.trigger('change');
    expect(row(screen, 'proxyAddress').text()).toContain('Only http and https proxies can be used.');
    expect(backend.countCalls('settings/update')).toBe(0);
    await memory.setValue('1024');
    await memory.trigger('change');
    await flushPromises();
    expect(lastUpdate(backend)).toEqual({ engineMemoryMb: 1024 });
  });

  it('take over what another window changes', async () => {
    const { backend, screen } = await show();
    backend.emit('settings/changed', makeSettings({ alertBadge: false, engineMemoryMb: 512 }));
    await flushPromises();
    expect(row(screen, 'alertBadge').get('[role="switch"]').attributes('aria-checked')).toBe('false');
    expect(row(screen, 'engineMemoryMb').get('input').element.value).toBe('512');
  });

  it('are found by the words of their names, help and values', async () => {
    const { screen } = await show();
    const search = screen.get('input[type="search"]');
    await search.setValue('memory');
    expect(listLabels(screen)).toEqual(['Memory in MB']);
    await search.setValue('saturday');
    expect(listLabels(screen)).toEqual(['First day of the week']);
    await search.setValue('nothing like this');
    expect(screen.text()).toContain('No setting matches');
    await search.setValue('');
    expect(listLabels(screen).length).toBeGreaterThan(20);
  });

  it.each([
    'Sind Zahlen „ungefähr“ genug?',
    'Zeigt «ungefähr» an',
    'La opción “ungefähr”, por ejemplo',
    "'ungefähr'",
  ])('are found within the quotation marks of every language: %s', (text) => {
    expect(isFound(text, 'UNGEF')).toBe(true);
    expect(isFound(text, 'gefähr')).toBe(false);
    expect(isFound(`${text} isn't known`, "isn't")).toBe(true);
  });

  it('of a section go back to how they were at first, and return', async () => {
    const { backend, screen } = await show({ settings: { theme: 'dark', retentionDays: 30 } });
    const section = screen.get('#settings-storage');
    expect(screen.get('#settings-network').text()).not.toContain('Reset Network');
    await section
      .findAll('button')
      .find((button) => button.text() === 'Reset Storage')
      ?.trigger('click');
    await flushPromises();
    expect(lastUpdate(backend)).toEqual({ retentionDays: 0, retentionBytes: 0, engineMemoryMb: 256 });
    await section
      .findAll('button')
      .find((button) => button.text() === 'Undo')
      ?.trigger('click');
    await flushPromises();
    expect(lastUpdate(backend)).toMatchObject({ retentionDays: 30 });
    expect(useAppStore().settings?.theme).toBe('dark');
  });

  it('that can not be used are named, and their section asks for a look', async () => {
    const { screen } = await show({ setAside: { names: ['theme', 'later'] } });
    expect(screen.get('#settings-advanced').text()).toContain("theme, later can't be used by this version");
    expect(screen.get('nav').text()).toMatch(/Advanced\s*, needs attention/);
    expect((await show()).screen.get('nav').text()).not.toContain('needs attention');
  });

  it('of an address is scrolled to, with the focus in its control', async () => {
    await show({ path: '/settings/storage/engineMemoryMb' });
    await flushPromises();
    expect(document.activeElement?.closest('#setting-engineMemoryMb')).not.toBeNull();
  });
});

describe('a file of settings', () => {
  const choose = async (screen: Screen, text: string) => {
    const input = screen.get<HTMLInputElement>('.list input[type="file"]');
    const files = [new File([text], 'mine.json', { type: 'application/json' })];
    Object.defineProperty(input.element, 'files', { value: files, configurable: true });
    await input.trigger('change');
    await flushPromises();
    return document.querySelector('[role="dialog"]');
  };
  const toFile = (settings: object): string =>
    JSON.stringify({ kind: 'channelscope-settings', version: 1, settings });

  it('shows what would change before anything does', async () => {
    const { backend, screen } = await show();
    const dialog = await choose(
      screen,
      toFile({ theme: 'dark', density: 'standard', later: 1, engineMemoryMb: 1 }),
    );
    expect(dialog?.textContent).toContain('Theme');
    expect(dialog?.textContent).toContain('Same as system');
    expect(dialog?.textContent).toContain('Dark');
    expect(dialog?.textContent).toContain('1 other is the same here.');
    expect(dialog?.textContent).toContain('later');
    expect(dialog?.textContent).toContain('Enter at least 128.');
    expect(backend.countCalls('settings/update')).toBe(0);
    const buttons = [...(dialog?.querySelectorAll('button') ?? [])];
    buttons.find((button) => button.textContent.includes('Change 1 setting'))?.click();
    await flushPromises();
    expect(lastUpdate(backend)).toEqual({ theme: 'dark' });
    expect(document.querySelector('[role="dialog"]')).toBeNull();
  });

  it('that is none says so and offers nothing', async () => {
    const { screen } = await show();
    const dialog = await choose(screen, '{"theme":"dark"}');
    expect(dialog?.textContent).toContain('This file holds no settings of Channelscope.');
    expect(dialog?.textContent).not.toContain('Change');
  });
});

it('an answer takes back nothing that another window changed meanwhile', async () => {
  const { backend } = await show();
  const app = useAppStore();
  const underWay = app.update({ theme: 'dark' });
  backend.emit('settings/changed', makeSettings({ theme: 'dark', alertBadge: false }));
  await underWay;
  expect(app.settings).toMatchObject({ theme: 'dark', alertBadge: false });
});

describe('updates in the settings', () => {
  const found = { version: '2.0.0', notes: '• Faster\n• Kinder', releasedAtMs: null, sizeBytes: 90_000_000 };
  const section = (screen: Screen) => screen.get('#settings-updates');

  it('ask when told to, and show what is new before anything is downloaded', async () => {
    const { backend, screen } = await show();
    expect(section(screen).text()).not.toContain('2.0.0');
    await section(screen)
      .findAll('button')
      .find((button) => button.text() === 'Check now')!
      .trigger('click');
    expect(backend.calls.map(({ name }) => name)).toContain('updates/check');

    const other = (await show({ updates: { phase: 'found', found } })).screen;
    expect(section(other).text()).toContain('Version 2.0.0 is available: 90 MB to download.');
    expect(section(other).text()).toContain('• Faster\n• Kinder');
    expect(section(other).find('button.cs-button').text()).toBe('Download');
  });

  it('install only what is ready', async () => {
    const { backend, screen } = await show({ updates: { phase: 'ready', found } });
    await section(screen).get('button.cs-button').trigger('click');
    expect(backend.calls.map(({ name }) => name)).toContain('updates/install');
  });

  it.each([
    ['no-package', 'Only installed packages update themselves'],
    ['no-address', 'without an address'],
    ['not-installed', 'replaced by hand'],
  ] as const)('say why there are none: %s', async (obstacle, words) => {
    const { screen } = await show({ updates: { obstacle } });
    expect(section(screen).text()).toContain(words);
    expect(screen.find('#setting-checkForUpdates').exists()).toBe(false);
    expect(section(screen).find('button.cs-button').exists()).toBe(false);
  });
});

describe('the data folder in the settings', () => {
  const section = (screen: Screen) => screen.get('#settings-storage');
  const press = async (label: string): Promise<void> => {
    const buttons = [...document.querySelectorAll('button')].filter(
      (button) => button.textContent.trim() === label,
    );
    expect(buttons, label).not.toEqual([]);
    buttons.at(-1)?.click();
    await flushPromises();
  };
  const type = async (folder: string): Promise<void> => {
    await press('Move…');
    await vi.dynamicImportSettled();
    await flushPromises();
    const input = document.querySelector<HTMLInputElement>('[role="dialog"] input')!;
    input.value = folder;
    input.dispatchEvent(new Event('input'));
    await vi.waitFor(() =>
      expect(
        document.querySelector('[role="dialog"] [role="status"] p, [role="dialog"] [aria-invalid]'),
      ).not.toBeNull(),
    );
  };

  it('moves to a folder that was checked', async () => {
    const { backend } = await show({ target: { risks: ['synced'] } });
    await type('/disk/data');
    expect(document.querySelector('[role="dialog"]')?.textContent).toContain(
      '2.0 GB needed, 60 GB free there.',
    );
    expect(document.querySelector('[role="dialog"]')?.textContent).toContain(
      'Another program syncs this folder',
    );
    await press('Move and restart');
    expect(backend.calls.at(-1)).toEqual({ name: 'data-folder/start-move', input: { folder: '/disk/data' } });
    expect(document.querySelector('[role="dialog"]')).toBeNull();
  });

  it('is chosen in the system’s dialog on the desktop, where no path can be typed', async () => {
    const { backend } = await show({ info: { host: 'desktop' } });
    await press('Move…');
    await vi.dynamicImportSettled();
    await flushPromises();
    const dialog = document.querySelector('[role="dialog"]');
    expect(dialog?.querySelector('input')).toBeNull();
    await press('Choose…');
    expect(dialog?.textContent).toContain('/chosen/in a dialog');
    await vi.waitFor(() => expect(dialog?.textContent).toContain('2.0 GB needed'));
    await press('Move and restart');
    expect(backend.calls.at(-1)).toEqual({
      name: 'data-folder/start-move',
      input: { folder: '/chosen/in a dialog' },
    });
  });

  it('does not move to a folder that is unfit, and says why', async () => {
    const { backend } = await show({ target: { faults: ['not-empty'] } });
    await type('/home');
    expect(document.querySelector('[role="dialog"]')?.textContent).toContain('Choose an empty one.');
    const start = [...document.querySelectorAll('button')].find((button) =>
      button.textContent.includes('Move and restart'),
    );
    expect(start?.disabled).toBe(true);
    expect(backend.countCalls('data-folder/start-move')).toBe(0);
    await press('Cancel');
  });

  it('is no choice where it was given at the start', async () => {
    const { screen } = await show({ place: { chosenBy: 'start' } });
    expect(section(screen).text()).toContain('set with the option --data');
    expect(section(screen).text()).not.toContain('Move…');
  });

  it('of before is deleted only after a question', async () => {
    const previous = { folder: '/old', leftAtMs: Date.UTC(2026, 4, 1), isThere: true, bytes: 3_000_000 };
    const { backend, screen } = await show({ place: { previous } });
    expect(section(screen).text()).toContain('/old, still holds 3.0 MB');
    await press('Delete it…');
    expect(backend.countCalls('data-folder/remove-previous')).toBe(0);
    await press('Delete');
    expect(backend.countCalls('data-folder/remove-previous')).toBe(1);
    expect(section(screen).text()).not.toContain('/old');
  });

  it('that is missing is named, with a way to stay with the standard one', async () => {
    const { screen } = await show({ place: { missingFolder: '/disk/data' } });
    expect(section(screen).text()).toContain("/disk/data wasn't there when Channelscope started.");
    expect(section(screen).text()).toContain('Keep using the standard folder');
    expect(section(screen).text()).not.toContain('Move…');
  });
});
