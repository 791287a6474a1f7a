import { fileURLToPath } from 'node:url';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vitest/config';
import { createSkipReporter } from '../support/skips/vitest-skip-reporter.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
// A test must never fetch Electron's runtime: the fake module stands in wherever electron is imported.
const electron = fileURLToPath(new URL('../support/fake-electron.ts', import.meta.url));

// The tests must also pass while other programs keep every core busy; opening a cache then takes seconds.
const patience = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 10_000 } } };

export default defineConfig({
  root,
  test: {
    root,
    reporters: ['default', createSkipReporter()],
    projects: [
      {
        resolve: { alias: { electron } },
        test: {
          name: 'node',
          environment: 'node',
          include: ['test/{unit,service,contract,integration,faults,electron,architecture}/**/*.test.ts'],
          exclude: ['test/unit/renderer/**'],
          ...patience,
        },
      },
      {
        plugins: [vue()],
        test: {
          name: 'renderer',
          environment: 'happy-dom',
          include: ['test/unit/renderer/**/*.test.ts'],
          ...patience,
        },
      },
    ],
  },
});
