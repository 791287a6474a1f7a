import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { startUtilityProcess } from '../../src-main/electron/utility-process.ts';
import { makeReady, resetFakeElectron } from '../support/electron/fake-electron.ts';

beforeEach(() => {
  resetFakeElectron();
  makeReady();
});

it('a utility process has the small nursery that its flags ask for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-utility-'));
  const script = join(folder, 'says-flags.mjs');
  await writeFile(script, 'process.parentPort.postMessage(process.execArgv);');
  const child = startUtilityProcess(pathToFileURL(script), '{}');
  onTestFinished(async () => {
    child.kill();
    await rm(folder, { recursive: true, maxRetries: 5 });
  });
  const flags = await new Promise((resolve) => child.onMessage(resolve));
  expect(flags).toContain('--max-semi-space-size=8');
});
