import { beforeEach, describe, expect, it } from 'vitest';
import type { HostPlatform } from '../../src-main/core/data-folder/locate-data-folder.ts';
import { createWords } from '../../src-main/common/words/words.ts';
import { hasBusName } from '../../src-main/node/session-bus.ts';
import { keepInTray } from '../../src-main/electron/tray/keep-in-tray.ts';
import {
  calls,
  makeReady,
  namesOfCalls,
  resetFakeElectron,
  trays,
} from '../support/electron/fake-electron.ts';
import { makeConnection, makeSample, makeSettings } from '../unit/renderer/support/samples.ts';
import { createStubCore } from '../support/fakes/stub-core.ts';

// A bus of its own, with a keyring and no tray.
const inSession = process.env.CHANNELSCOPE_TEST_KEYCHAIN === '1';

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

async function start(
  change: object,
  platform: HostPlatform = 'linux',
  askForTray = () => Promise.resolve(true),
) {
  const settings = makeSettings({ lastConnectionId: 'one', ...change });
  const core = createStubCore({
    'settings/get': () => settings,
    'settings/update': (asked: object) => ({ ...settings, ...asked }),
    'connections/list': () => connections,
    'status/refresh': () => makeSample(),
  });
  const tray = await keepInTray(core, platform, (place) => void opened.push(place), askForTray);
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

it('has none unless it is wanted, on macOS, or where the desktop shows none', async () => {
  expect((await start({ keepInTray: false })).tray.isThere()).toBe(false);
  expect((await start({ keepInTray: true }, 'macos')).tray.isThere()).toBe(false);
  const { tray } = await start({ keepInTray: true }, 'linux', () => Promise.resolve(false));
  expect(tray.isThere()).toBe(false);
  expect(await tray.leadsBack()).toBe(false);
  expect(trays).toHaveLength(0);
});

it('comes once the desktop shows icons, and counts for nothing once it shows them no longer', async () => {
  let isHosted = false;
  const { core, tray, settings } = await start({ keepInTray: true }, 'linux', () =>
    Promise.resolve(isHosted),
  );
  isHosted = true;
  core.send('settings/changed', settings);
  await expect.poll(() => tray.isThere()).toBe(true);
  expect(await tray.leadsBack()).toBe(true);
  isHosted = false;
  expect(await tray.leadsBack()).toBe(false);
  expect(trays).toHaveLength(1);
  expect(trays[0]?.isDestroyed()).toBe(true);
});

describe.skipIf(!inSession)('the session bus', () => {
  it('says whether a program of a name is there', async () => {
    expect(await hasBusName('org.freedesktop.secrets')).toBe(true);
    expect(await hasBusName('org.kde.StatusNotifierWatcher')).toBe(false);
  });
});

it('a bus that is not there, or no bus at all, has nobody', async () => {
  expect(await hasBusName('org.freedesktop.DBus', {})).toBe(false);
  const nowhere = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus,guid=0' };
  expect(await hasBusName('org.freedesktop.DBus', nowhere)).toBe(false);
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
