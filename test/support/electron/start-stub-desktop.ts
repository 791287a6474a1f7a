import type { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { locateDataFolder } from '../../../src-main/core/data-folder/locate-data-folder.ts';
import type { Host } from '../../../src-main/core/host.ts';
import { runDesktop, type DesktopOptions } from '../../../src-main/electron/run-desktop.ts';
import { makeReady } from './fake-electron.ts';
import type { StubCore } from '../fakes/stub-core.ts';

/** Starts the desktop host over the stand-in for Electron. `folder` holds its window; its data comes below it. */
export async function startStubDesktop(options: {
  readonly folder: string;
  readonly creation: Promise<StubCore>;
  readonly errors: EventEmitter;
  readonly platform?: DesktopOptions['platform'];
  readonly words?: readonly string[];
  /** The folder that it is started in. */
  readonly startedIn?: string;
  /** Gets the host that the core is given. */
  readonly onHost?: (host: Host) => void;
  readonly tell?: (said: string) => void;
}): Promise<void> {
  const {
    folder,
    creation,
    errors,
    platform = 'linux',
    words = ['channelscope'],
    startedIn = folder,
    onHost = () => undefined,
    tell = () => undefined,
  } = options;
  const thread = new URL('file:///thread.js');
  const running = runDesktop({
    platform,
    location: locateDataFolder(join(folder, 'data'), null),
    windowFolder: folder,
    developmentServer: null,
    preload: '/app/preload.cjs',
    workers: { cache: thread, service: thread, engine: thread, imports: thread, rows: thread },
    resourcesFolder: '/nowhere',
    createCore: (host) => {
      onHost(host);
      return creation;
    },
    start: { words, folder: startedIn },
    errors: errors as never,
    report: { tell },
    hasTray: () => Promise.resolve(true),
    selfTestFile: null,
  });
  makeReady();
  await running;
}
