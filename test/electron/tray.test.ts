import { beforeEach, describe, expect, it } from 'vitest';
import type { HostPlatform } from '../../src-main/core/data-folder/standard-folder.ts';
import { createWords } from '../../src-main/common/words/words.ts';
import { keepInTray } from '../../src-main/electron/tray/keep-in-tray.ts';
import {
  calls,
  makeReady,
  namesOfCalls,
  resetFakeElectron,
  Tray,
  trays,
} from '../support/electron/fake-electron.ts';
import { makeConnection, makeSample, makeSettings } from '../unit/renderer/support/samples.ts';
import { createStubCore } from '../support/fakes/stub-core.ts';

let opened: (string | null)[];
beforeEach(() => {
  resetFakeElectron();
  opened = [];
  makeReady();
});

const connections = [
  makeConnection({ id: 'one', name: 'Production' }),
  makeConnection({ id: 'two', name: 'Local service', kind: 'local' }),
];
const board = (...firing: boolean[]) => ({
  rules: firing.map((isFiring) => ({ state: { firingSinceMs: isFiring ? 1 : null } })),
});

async function start(change: object, platform: HostPlatform = 'linux') {
  const settings = makeSettings({ lastConnectionId: 'one', ...change });
  const core = createStubCore({
    'settings/get': () => settings,
    'settings/update': (asked: object) => ({ ...settings, ...asked }),
    'connections/list': () => connections,
    'status/refresh': () => makeSample(),
  });
  const tray = await keepInTray(core, platform, (place) => void opened.push(place));
  return { core, tray, settings };
}

const labels = () =>
  trays
    .at(-1)
    ?.items.map(({ label }) => label)
    .filter((label) => label !== undefined);
const lastCall = (name: string) => calls.filter((call) => call.name === name).at(-1)?.args[0];

it('has an icon that opens the window and ends the application, while the person wants it', async () => {
  const { core, tray } = await start({ keepInTray: true });
  expect(tray.isThere()).toBe(true);
  trays[0]?.emit('click');
  trays[0]?.choose('Open Channelscope');
  expect(opened).toEqual([null, null]);
  trays[0]?.choose('Quit');
  expect(namesOfCalls()).toContain('app.quit');
  core.send('settings/changed', makeSettings({ keepInTray: false }));
  expect(tray.isThere()).toBe(false);
  expect(trays[0]?.isDestroyed()).toBe(true);
  core.send('settings/changed', makeSettings({ keepInTray: true }));
  core.send('settings/changed', makeSettings({ keepInTray: true }));
  expect(trays).toHaveLength(2);
});

it('has none unless it is wanted, on macOS, or where the system has no tray', async () => {
  expect((await start({ keepInTray: false })).tray.isThere()).toBe(false);
  expect((await start({ keepInTray: true }, 'macos')).tray.isThere()).toBe(false);
  Tray.fails = true;
  expect((await start({ keepInTray: true })).tray.isThere()).toBe(false);
  expect(trays).toHaveLength(0);
});

describe('its menu', () => {
  it('says how the connection is that was shown last, and in whose language', async () => {
    const { core, settings } = await start({ keepInTray: true });
    expect(labels()?.[0]).toBe('Open Channelscope');
    core.send('status/checked', makeSample({ connectionId: 'one', platform: 'up', connector: 'down' }));
    core.send('status/checked', makeSample({ connectionId: 'two', platform: 'down' }));
    expect(labels()?.[0]).toMatch(/^Production: platform up, connector down, at \d\d:\d\d$/u);
    expect(lastCall('tray.setToolTip')).toBe(`Channelscope\n${labels()?.[0] ?? ''}`);
    core.send('status/checked', makeSample({ connectionId: 'one', platform: 'unreachable' }));
    expect(labels()?.[0]).toMatch(/^Production: unreachable from here, at/u);
    core.readWords = () => createWords('de', []);
    core.send('settings/changed', { ...settings, lastConnectionId: 'two' });
    expect(labels()?.[0]).toMatch(/^Lokaler Dienst: Plattform ausgefallen, Konnektor verfügbar, um/u);
  });

  it('leads to a connection and to the alerts, checks the status and stops notifications', async () => {
    const { core } = await start({ keepInTray: true }, 'windows');
    core.send('alerts/changed', board(true, false, true));
    expect(labels()).toEqual([
      '2 alerts are firing',
      'Open Channelscope',
      'Show the Alerts',
      'Production',
      'Local service',
      'Check the Status Now',
      'Notify of Alerts',
      'Quit',
    ]);
    trays[0]?.choose('Show the Alerts');
    trays[0]?.choose('Local service');
    expect(opened).toEqual(['/alerts', '/overview?connection=two']);
    trays[0]?.choose('Check the Status Now');
    trays[0]?.choose('Notify of Alerts');
    const asked = core.asked.slice(3);
    expect(asked).toEqual([
      { name: 'status/refresh', input: { connectionId: 'one' } },
      { name: 'settings/update', input: { alertNotes: false } },
    ]);
  });

  it('is replaced only when it says something else', async () => {
    const { core, settings } = await start({ keepInTray: true });
    const items = trays[0]?.items;
    core.send('settings/changed', { ...settings, theme: 'dark' });
    core.send('alerts/changed', board(false));
    expect(trays[0]?.items).toBe(items);
  });
});

it('the icon has a mark while an alert fires, where the person wants the number of them', async () => {
  const { core, settings } = await start({ keepInTray: true });
  core.send('alerts/changed', board(true));
  const hasMark = () => (lastCall('tray.setImage') as { pixels?: Buffer }).pixels !== undefined;
  expect(hasMark()).toBe(true);
  core.send('settings/changed', { ...settings, alertBadge: false });
  expect(hasMark()).toBe(false);
  core.send('settings/changed', settings);
  core.send('alerts/changed', board(false));
  expect(hasMark()).toBe(false);
});
