import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vitest/config';
import { compileGuide } from '../../src-main/packaging/guide/compile-guide.ts';
import { createSkipReporter } from '../support/skips/vitest-skip-reporter.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
// A test must never fetch Electron's runtime: the fake module stands in wherever electron is imported.
const electron = fileURLToPath(new URL('../support/electron/fake-electron.ts', import.meta.url));

// Hundreds of processes and threads load the same sources. Compiled once, each starts in less time.
process.env['NODE_COMPILE_CACHE'] ??= `${root}.tmp/compiled-for-tests`;

// Within the checkout, so that they find the packages that aren't bundled with them, and no other checkout runs them.
process.env['BUNDLED_SCRIPTS'] = `${root}.tmp/bundled-for-tests`;

// Most tests wait for processes that they start: four workers keep two cores busy, where one is the default.
const maxWorkers = Math.max(4, availableParallelism());

// The tests must also pass while other programs keep every core busy; opening a cache then takes seconds.
const patience = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 10_000 } },
  // Where every part is required, one of thousands that a busy machine lets down is tried once more, and listed.
  retry: process.env['CHANNELSCOPE_REQUIRE_ALL'] === '1' ? 1 : 0,
};
// To start a process and load the sources for each file took a tenth of the time: files share a few, and leave nothing
// behind there.
const shared = { ...patience, maxWorkers, isolate: false };

const globalSetup = [
  'test/support/programs/bundle-scripts.ts',
  'test/support/service/share-postgres-data.ts',
];
// These replace or reload what all modules of a process share.
const alone = [
  'test/architecture/skips.test.ts',
  'test/contract/carriers.test.ts',
  'test/electron/*.test.ts',
  'test/faults/{c10-redirect-inwards,c14-tls,fifty-thousand}.test.ts',
  'test/faults/held/*.test.ts',
  'test/integration/cache/snapshots-handlers.test.ts',
  'test/integration/cli/alerts.test.ts',
  'test/integration/destinations/mail.test.ts',
  'test/integration/web/event-streams.test.ts',
];

export default defineConfig({
  root,
  test: {
    root,
    reporters: ['default', createSkipReporter()],
    tags: [{ name: 'long', description: 'Kills, draws or asks so often that it has a run of its own.' }],
    projects: [
      {
        resolve: { alias: { electron } },
        test: {
          name: 'node',
          environment: 'node',
          globalSetup,
          include: ['test/{contract,integration,faults,electron}/**/*.test.ts'],
          exclude: alone,
          ...shared,
        },
      },
      {
        resolve: { alias: { electron } },
        test: {
          name: 'alone',
          environment: 'node',
          globalSetup,
          include: alone,
          ...patience,
          maxWorkers,
        },
      },
      {
        resolve: { alias: { electron } },
        test: {
          name: 'service',
          environment: 'node',
          // Its modules import JSON in a way that Node refuses.
          server: { deps: { inline: ['@actions/workflow-parser'] } },
          globalSetup,
          include: ['test/{service,packaging,architecture}/**/*.test.ts'],
          exclude: alone,
          ...shared,
        },
      },
      {
        // The faults of a service once more, over the desktop's own network code.
        resolve: { alias: { electron } },
        test: {
          name: 'desktop-network',
          environment: 'node',
          include: [
            'test/faults/c[01]*.test.ts',
            'test/faults/client/*.test.ts',
            'test/faults/behaviours/hundred-behaviours.test.ts',
            'test/faults/fifty-thousand.test.ts',
          ],
          env: { CHANNELSCOPE_TEST_NETWORK: 'desktop' },
          setupFiles: ['test/support/electron/expect-nothing-uncaught.ts'],
          ...shared,
        },
      },
      {
        resolve: { alias: { electron } },
        test: {
          name: 'unit',
          environment: 'node',
          include: ['test/unit/**/*.test.ts'],
          exclude: ['test/unit/renderer/**'],
          ...shared,
        },
      },
      {
        plugins: [vue(), compileGuide()],
        test: {
          name: 'renderer',
          environment: 'happy-dom',
          include: ['test/unit/renderer/**/*.test.ts'],
          setupFiles: ['test/unit/renderer/support/leave-nothing-mounted.ts'],
          ...shared,
        },
      },
    ],
  },
});
