import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import { findBrowser } from '../../src-main/node/print-with-browser.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

// Each application loads hundreds of sources. Compiled once, it starts in less time.
process.env['NODE_COMPILE_CACHE'] ??= `${root}.tmp/compiled-for-tests`;

const browser = findBrowser();

export default defineConfig<{ browserPath: string | undefined }>({
  testDir: `${root}test`,
  outputDir: `${root}test-results`,
  testMatch: '{e2e,electron}/**/*.spec.ts',
  globalSetup: `${root}test/support/application/build-once.ts`,
  fullyParallel: false,
  // Each file starts applications of its own. The longest has a name that comes first, and runs beside the others.
  workers: 2,
  // One that a busy machine lets down is tried once more where every part is required, and listed as flaky.
  retries: process.env['CHANNELSCOPE_REQUIRE_ALL'] === '1' ? 1 : 0,
  timeout: 240_000,
  expect: { timeout: 30_000 },
  reporter: [['list'], [`${root}test/support/skips/playwright-skip-reporter.ts`]],
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    actionTimeout: 30_000,
    // Recording slows every step down: `npm run test:e2e -- --trace retain-on-failure` does it.
    trace: 'off',
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
