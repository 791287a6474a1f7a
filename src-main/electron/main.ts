import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { createSharedCore } from '../core/control/create-shared-core.ts';
import { findDataFolder, toHostPlatform } from '../core/profile/data-folder.ts';
import { findBuiltWorkers } from '../node/worker-scripts.ts';
import { reportStart } from './report-start.ts';
import { reportStartFailure, runDesktop } from './run-desktop.ts';

const platform = toHostPlatform(process.platform);
const built = import.meta.dirname;

// Without a callback, a command that has ended meanwhile would be an error that nobody caught.
const report = reportStart((message) => process.send?.(message, undefined, {}, () => undefined));
const ownFolder = process.env['CHANNELSCOPE_DATA'] ?? '';
const developmentServer = process.env['ELECTRON_RENDERER_URL'] ?? '';

runDesktop({
  platform,
  dataFolder: ownFolder === '' ? findDataFolder(platform, homedir(), process.env) : resolve(ownFolder),
  windowFolder: join(built, '..', 'renderer'),
  developmentServer: developmentServer === '' ? null : developmentServer,
  preload: join(built, '..', 'preload', 'index.cjs'),
  workers: findBuiltWorkers(built, 'engine-utility'),
  createCore: (host) => createSharedCore(host, { isSafe: process.argv.includes('--safe') }),
  resourcesFolder: process.resourcesPath,
  start: { words: process.argv, folder: process.cwd() },
  errors: process,
  report,
}).catch((error: unknown) => reportStartFailure(error, report));
