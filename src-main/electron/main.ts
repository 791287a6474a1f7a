import { homedir } from 'node:os';
import { join } from 'node:path';
import { createSharedCore } from '../core/control/create-shared-core.ts';
import { locateDataFolder } from '../core/data-folder/locate-data-folder.ts';
import { findDataFolder, toHostPlatform } from '../core/profile/data-folder.ts';
import { findBuiltWorkers } from '../node/worker-scripts.ts';
import { findGivenFolder } from './launch/find-given-folder.ts';
import { reportStart } from './report-start.ts';
import { reportStartFailure, runDesktop } from './run-desktop.ts';

const platform = toHostPlatform(process.platform);
const built = import.meta.dirname;

// Without a callback, a command that has ended meanwhile would be an error that nobody caught.
const report = reportStart((message) => process.send?.(message, undefined, {}, () => undefined));
const start = { words: process.argv, folder: process.cwd() };
const developmentServer = process.env['ELECTRON_RENDERER_URL'] ?? '';

const findLocation = () =>
  locateDataFolder(
    findDataFolder(platform, homedir(), process.env),
    findGivenFolder(start.words, start.folder, process.env),
  );

const run = async (): Promise<void> =>
  runDesktop({
    platform,
    location: findLocation(),
    windowFolder: join(built, '..', 'renderer'),
    developmentServer: developmentServer === '' ? null : developmentServer,
    preload: join(built, '..', 'preload', 'index.cjs'),
    workers: findBuiltWorkers(built, 'engine-utility'),
    createCore: (host) => createSharedCore(host, { isSafe: start.words.includes('--safe') }),
    resourcesFolder: process.resourcesPath,
    start,
    errors: process,
    report,
  });

run().catch((error: unknown) => reportStartFailure(error, report));
