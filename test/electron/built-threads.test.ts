import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import { findBuiltWorkers } from '../../src-main/node/worker-scripts.ts';
import { checkThreads } from '../support/electron/check-threads.ts';
import { makeReady, namesOfCalls, resetFakeElectron, uncaught } from '../support/electron/fake-electron.ts';

const built = new URL('../../out/', import.meta.url);
const isBuilt = existsSync(fileURLToPath(new URL('main/engine-utility.mjs', built)));

beforeEach(() => {
  resetFakeElectron();
  makeReady();
});

it.skipIf(!isBuilt)(
  'the built threads start: the cache, the service, the writer of files, and the engine in a utility process',
  async () => {
    await checkThreads(findBuiltWorkers(fileURLToPath(new URL('main', built)), 'engine-utility'));
    expect(namesOfCalls()).toContain('utilityProcess.fork');
    expect(uncaught).toEqual([]);
  },
);

it.skipIf(!isBuilt)('the built preload is one file that requires nothing but electron', () => {
  const text = readFileSync(fileURLToPath(new URL('preload/index.cjs', built)), 'utf8');
  const required = [...text.matchAll(/\brequire\(["'`]([^"'`]+)["'`]\)/gu)].map(([, name]) => name);
  expect(new Set(required)).toEqual(new Set(['electron']));
});
