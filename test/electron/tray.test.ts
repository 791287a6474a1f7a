import { beforeEach, expect, it } from 'vitest';
import type { HostPlatform } from '../../src-main/core/data-folder/standard-folder.ts';
import { keepInTray } from '../../src-main/electron/tray.ts';
import {
  makeReady,
  namesOfCalls,
  resetFakeElectron,
  Tray,
  trays,
} from '../support/electron/fake-electron.ts';
import { makeSettings } from '../unit/renderer/support/samples.ts';
import { createStubCore } from '../support/fakes/stub-core.ts';

let opened: number;
beforeEach(() => {
  resetFakeElectron();
  opened = 0;
  makeReady();
});

async function start(isWanted: boolean, platform: HostPlatform = 'linux') {
  const core = createStubCore({ 'settings/get': () => makeSettings({ keepInTray: isWanted }) });
  const tray = await keepInTray(core, platform, () => (opened += 1));
  return { core, tray };
}

it('has an icon that opens the window and ends the application, while the person wants it', async () => {
  const { core, tray } = await start(true);
  expect(tray.isThere()).toBe(true);
  trays[0]?.emit('click');
  trays[0]?.choose('Open Channelscope');
  expect(opened).toBe(2);
  trays[0]?.choose('Quit');
  expect(namesOfCalls()).toContain('app.quit');
  core.send('settings/changed', { keepInTray: false });
  expect(tray.isThere()).toBe(false);
  expect(trays[0]?.isDestroyed()).toBe(true);
  core.send('settings/changed', { keepInTray: true });
  core.send('settings/changed', { keepInTray: true });
  expect(trays).toHaveLength(2);
});

it('has none unless it is wanted, on macOS, or where the system has no tray', async () => {
  expect((await start(false)).tray.isThere()).toBe(false);
  expect((await start(true, 'macos')).tray.isThere()).toBe(false);
  Tray.fails = true;
  expect((await start(true)).tray.isThere()).toBe(false);
  expect(trays).toHaveLength(0);
});
