import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { test as base } from '@playwright/test';
import { startApp, stopApp } from '../support/application/run-app.ts';
import { copySampleRecords } from '../support/application/sample-records.ts';

/** The whole application on the web host, with a data folder of its own. */
export interface RunningApp {
  /** Address with the one-time token. */
  readonly url: string;
  readonly dataFolder: string;
  /** Ends the process and starts it again on the same folder; returns the new address. */
  restart(): Promise<string>;
  /** Stops the process where it is for a while, as a computer does that has too much to do. */
  freeze(ms: number): Promise<void>;
  /** Starts it a second time, which leads back to the one that runs; returns the address for another browser. */
  comeBack(): Promise<string>;
}

export const test = base.extend<{
  browserPath: string | undefined;
  /** Whether the built-in service finds its sample history, or makes it, as it does for a person's first start. */
  hasSampleRecords: boolean;
  needsBrowser: undefined;
  app: RunningApp;
}>({
  browserPath: [undefined, { option: true }],
  hasSampleRecords: [true, { option: true }],
  needsBrowser: [
    async ({ browserPath }, use) => {
      base.skip(browserPath === undefined, 'no Chromium or Chrome was found on this machine');
      await use(undefined);
    },
    { auto: true },
  ],
  app: async ({ hasSampleRecords }, use) => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'channelscope-e2e-'));
    if (hasSampleRecords) await copySampleRecords(dataFolder);
    let running = await startApp(dataFolder);
    const address = running.url;
    await use({
      url: address,
      dataFolder,
      restart: async () => {
        await stopApp(running.child);
        running = await startApp(dataFolder);
        return running.url;
      },
      freeze: async (ms) => {
        running.child.kill('SIGSTOP');
        await wait(ms);
        running.child.kill('SIGCONT');
      },
      comeBack: async () => {
        const { url, child } = await startApp(dataFolder);
        await stopApp(child);
        return url;
      },
    });
    await stopApp(running.child);
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
  },
});

export { expect } from '@playwright/test';
