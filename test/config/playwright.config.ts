import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import { findBrowser } from '../support/find-browser.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const browser = findBrowser();

export default defineConfig<{ browserPath: string | undefined }>({
  testDir: `${root}test`,
  outputDir: `${root}test-results`,
  testMatch: '{e2e,electron}/**/*.spec.ts',
  fullyParallel: false,
  workers: 1,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], [`${root}test/support/skips/playwright-skip-reporter.ts`]],
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    actionTimeout: 15_000,
    trace: 'retain-on-failure',
    browserPath: browser,
    launchOptions: {
      ...(browser === undefined ? {} : { executablePath: browser }),
      args: [
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
