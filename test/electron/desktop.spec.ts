import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, expect, test } from '@playwright/test';
import { NO_ELECTRON_RUNTIME } from '../support/skips/judge-skips.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The runtime's program. The package is not imported: that alone would start a download. */
function findRuntime(): string | null {
  const folder = join(root, 'node_modules/electron');
  try {
    const program = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim());
    return existsSync(program) ? program : null;
  } catch {
    return null;
  }
}

const runtime = findRuntime();

test('the desktop opens, responds over IPC, and gives its page nothing of Node', async () => {
  test.skip(runtime === null, NO_ELECTRON_RUNTIME);
  const dataFolder = await mkdtemp(join(tmpdir(), 'channelscope-desktop-'));
  const warnings: string[] = [];
  const app = await _electron.launch({
    executablePath: runtime ?? '',
    // Left out, it is started without its sandbox, which it refuses.
    chromiumSandbox: true,
    args: [root],
    env: {
      ...(process.env as Record<string, string>),
      CHANNELSCOPE_DATA: dataFolder,
      ELECTRON_ENABLE_SECURITY_WARNINGS: '1',
    },
  });
  const page = await app.firstWindow();
  page.on('console', (message) => {
    if (message.text().includes('Security Warning')) warnings.push(message.text());
  });
  await page.waitForLoadState();
  expect(page.url()).toMatch(/^app:\/\/channelscope\/index\.html/u);
  const seen = await page.evaluate(async () => {
    const bridge = (
      window as unknown as { channelscope: { operations: Record<string, (input: null) => unknown> } }
    ).channelscope;
    const names = ['require', 'process', 'module', 'Buffer', 'global'];
    return {
      info: await bridge.operations['app/get-info']!(null),
      node: names.filter((name) => name in window),
      opened: window.open('https://example.com/') === null,
    };
  });
  expect(seen).toMatchObject({ info: { ok: true, value: { host: 'desktop' } }, node: [], opened: true });
  expect(warnings).toEqual([]);
  await app.close();
  await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
});
