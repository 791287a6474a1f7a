import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createCore } from '../core/create-core.ts';
import { findDataFolder, toHostPlatform } from '../core/profile/data-folder.ts';
import { reportStartFailure, runDesktop } from './run-desktop.ts';

const platform = toHostPlatform(process.platform);
const built = import.meta.dirname;
const findThread = (name: string): URL => pathToFileURL(join(built, name));

runDesktop({
  platform,
  dataFolder: process.env['CHANNELSCOPE_DATA'] ?? findDataFolder(platform, homedir(), process.env),
  windowFolder: join(built, '..', 'renderer'),
  preload: join(built, '..', 'preload', 'index.cjs'),
  workers: {
    cache: findThread('cache-thread.js'),
    service: findThread('service-thread.js'),
    engine: findThread('engine-process.js'),
  },
  createCore,
}).catch(reportStartFailure);
