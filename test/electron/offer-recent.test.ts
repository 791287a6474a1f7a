import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWords } from '../../src-main/common/words/words.ts';
import { findPlace, readViewLink } from '../../src-main/common/links.ts';
import { offerRecent, openRecentConnections } from '../../src-main/electron/menus/application-menu.ts';
import { app, calls, makeReady, resetFakeElectron } from '../support/electron/fake-electron.ts';
import { createStubCore, type StubCore } from '../support/fakes/stub-core.ts';
import { makeConnection, makeSettings } from '../unit/renderer/support/samples.ts';

let folder: string;
let core: StubCore;
let opened: string[];
const connections = [
  makeConnection({ id: 'one', name: 'Production' }),
  makeConnection({ id: 'two', name: 'Staging' }),
  makeConnection({ id: 'three', name: 'Test "& co"' }),
];
beforeEach(async () => {
  resetFakeElectron();
  makeReady();
  folder = await mkdtemp(join(tmpdir(), 'channelscope-recent-'));
  opened = [];
  core = createStubCore({
    'connections/list': () => connections,
    'settings/get': () => makeSettings({ lastConnectionId: 'two' }),
  });
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const offer = (platform: 'windows' | 'macos' | 'linux'): Promise<void> =>
  offerRecent(core, {
    platform,
    dataFolder: folder,
    openAnother: () => void opened.push('another'),
    openView: (place) => void opened.push(place),
  });

interface JumpItem {
  readonly title: string;
  readonly args: string;
  readonly program: string;
}
const listJumps = (): JumpItem[][] =>
  calls
    .filter(({ name }) => name === 'app.setJumpList')
    .map(({ args }) => (args[0] as { items: JumpItem[] }[])[0]?.items ?? []);
const lastTitles = (): string[] =>
  listJumps()
    .at(-1)
    ?.map(({ title }) => title) ?? [];

describe('the jump list of Windows', () => {
  beforeEach(() => {
    app.isPackaged = true;
  });

  it('lists connections, the last used first, with links that lead into the window', async () => {
    await offer('windows');
    expect(lastTitles()).toEqual(['Staging', 'Production', 'Test "& co"']);
    for (const { args, program } of listJumps().at(-1) ?? []) {
      expect(program).toBe(process.execPath);
      const [, link] = /^"([^"]+)"$/u.exec(args) ?? [];
      expect(readViewLink(link)).toMatch(/^\/overview\?connection=(?:one|two|three)$/u);
    }
  });

  it('follows what is chosen, renamed and removed, and is set only when it changes', async () => {
    await offer('windows');
    core.send('settings/changed', makeSettings({ lastConnectionId: 'three' }));
    expect(lastTitles()).toEqual(['Test "& co"', 'Staging', 'Production']);
    core.send('settings/changed', makeSettings({ lastConnectionId: 'three', theme: 'dark' }));
    expect(listJumps()).toHaveLength(2);
    core.send('connections/changed', [makeConnection({ id: 'one', name: 'Live' })]);
    expect(lastTitles()).toEqual(['Live']);
    core.send('connections/changed', []);
    expect(lastTitles()).toEqual([]);
  });

  it('names the built-in connection in the language of the settings, until it is renamed', async () => {
    await offer('windows');
    core.readWords = () => createWords('de', []);
    const local = makeConnection({ id: 'local', kind: 'local', name: 'Local service' });
    core.send('connections/changed', [local]);
    expect(lastTitles()).toEqual(['Lokaler Dienst']);
    core.send('connections/changed', [{ ...local, name: 'Practice' }]);
    expect(lastTitles()).toEqual(['Practice']);
  });

  it('brings nothing back that the person took out of it', async () => {
    app.removedItems.push({ args: '"channelscope://open/overview?connection=two"' });
    await offer('windows');
    expect(lastTitles()).toEqual(['Production', 'Test "& co"']);
  });

  it('starts the portable program by its own file, as what that unpacks is gone by then', async () => {
    vi.stubEnv('PORTABLE_EXECUTABLE_FILE', 'C:\\Tools\\Channelscope-portable.exe');
    await offer('windows');
    vi.unstubAllEnvs();
    expect(
      new Set(
        listJumps()
          .flat()
          .map(({ program }) => program),
      ),
    ).toEqual(new Set(['C:\\Tools\\Channelscope-portable.exe']));
  });

  it('is left alone by a program that is not installed', async () => {
    app.isPackaged = false;
    await offer('windows');
    expect(listJumps()).toEqual([]);
  });
});

it('the menu in the dock opens a window, or leads to a connection', async () => {
  const menus: { template: { label?: string; click?: () => void }[] }[] = [];
  app.dock = { setMenu: (menu) => void menus.push(menu as never), hide: () => undefined };
  await offer('macos');
  const entries = menus.at(-1)?.template.filter(({ click }) => click) ?? [];
  expect(entries.map(({ label }) => label)).toEqual(['New Window', 'Staging', 'Production', 'Test "& co"']);
  entries[0]?.click?.();
  entries[1]?.click?.();
  expect(opened).toEqual(['another', '/overview?connection=two']);
  expect(findPlace(opened[1])).toBe(opened[1]);
});

it('Linux has no list that changes', async () => {
  await offer('linux');
  expect(core.asked).toEqual([]);
});

describe('what was used last', () => {
  it('is known to the next start, up to eight, and a damaged file counts as none', async () => {
    const recent = openRecentConnections(folder);
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'a']) recent.use(id);
    expect(recent.use('a')).toBe(false);
    const all = ['x', 'b', 'a', 'i'].map((id) => ({ id }));
    expect(
      openRecentConnections(folder)
        .sort(all)
        .map(({ id }) => id),
    ).toEqual(['a', 'i', 'x', 'b']);
    await writeFile(join(folder, 'recent-connections.json'), '{');
    expect(openRecentConnections(folder).sort(all)).toEqual(all);
  });
});
