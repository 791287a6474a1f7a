import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { _electron, expect, test, type ElectronApplication, type Page } from '@playwright/test';
import { DetailPage } from '../e2e/page-models/detail-page.ts';
import { WindowPage } from '../e2e/page-models/window-page.ts';
import { NO_ELECTRON_RUNTIME } from '../support/skips/judge-skips.ts';

const PROGRAMS: Partial<Record<NodeJS.Platform, string>> = {
  win32: '*/Channelscope.exe',
  darwin: '*/Channelscope.app/Contents/MacOS/Channelscope',
  linux: '*/channelscope',
};

/** The packaged program in the folder that CHANNELSCOPE_PACKAGED names, if it names one; packed with --inspectable. */
function findProgram(): string | null {
  const folder = process.env['CHANNELSCOPE_PACKAGED'] ?? '';
  if (folder === '') return null;
  const name = globSync(PROGRAMS[process.platform] ?? 'none', { cwd: folder })[0];
  if (name === undefined) throw new Error(`There is no packaged program in ${folder}.`);
  return resolve(folder, name);
}

const program = findProgram();

function launch(dataFolder: string): Promise<ElectronApplication> {
  return _electron.launch({
    executablePath: program ?? '',
    // Left out, it is started without its sandbox, which it refuses.
    chromiumSandbox: true,
    env: { ...(process.env as Record<string, string>), CHANNELSCOPE_DATA: dataFolder },
  });
}

/** Calls an operation that takes nothing, as the page does. */
function call(page: Page, name: string): Promise<unknown> {
  return page.evaluate((operation) => {
    const { channelscope } = window as unknown as {
      channelscope: { operations: Record<string, (input: null) => Promise<unknown>> };
    };
    return channelscope.operations[operation]!(null);
  }, name);
}

test('the packaged application goes from its first run to an offline export, and quits', async () => {
  test.skip(program === null, NO_ELECTRON_RUNTIME);
  test.setTimeout(300_000);
  const dataFolder = await mkdtemp(join(tmpdir(), 'channelscope-packaged-'));
  const exported = join(dataFolder, 'exported.csv');
  const app = await launch(dataFolder);
  expect(await app.evaluate(({ app: electron }) => electron.isPackaged)).toBe(true);
  await app.evaluate(({ dialog }, path) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: path });
  }, exported);
  const page = await app.firstWindow();
  const shell = new WindowPage(page);
  const detail = new DetailPage(page);

  await shell.startBuiltInService();
  expect(await call(page, 'app/get-info')).toMatchObject({
    ok: true,
    value: { host: 'desktop', keychain: { kind: 'keychain' } },
  });
  // Writes an entry to the system's keychain, reads it, and deletes it; the same for the other parts.
  const tested = (await call(page, 'diagnostics/test-self')) as {
    value: { part: string; outcome: string }[];
  };
  expect(tested.value.map(({ part, outcome }) => `${part} ${outcome}`).toSorted()).toEqual([
    'cache passed',
    'disk passed',
    'engine passed',
    'keychain passed',
    'network passed',
  ]);

  await shell.openView('/inbound/detail');
  await detail.choosePeriod('Yesterday');
  await page.getByRole('button', { name: 'Download this period' }).click();
  await detail.rows().first().waitFor({ timeout: 60_000 });

  await shell.stopBuiltInService();
  await shell.openView('/inbound/detail');
  await detail.choosePeriod('Yesterday');
  await detail.rows().first().waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Export these records' }).click();
  await page.getByRole('radio', { name: 'CSV' }).check();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('button', { name: 'Show file' }).waitFor({ timeout: 60_000 });
  expect((await readFile(exported, 'utf8')).split('\n').length).toBeGreaterThan(10);

  const ended = new Promise((resolve) => app.process().once('exit', resolve));
  await app.close();
  expect(await ended).toBe(0);

  // What was received is there after the next start, and so is the connection with its secret.
  const again = await launch(dataFolder);
  const pageAgain = await again.firstWindow();
  await pageAgain.getByRole('complementary', { name: 'Sidebar' }).waitFor({ timeout: 60_000 });
  await new WindowPage(pageAgain).openView('/inbound/detail');
  await new DetailPage(pageAgain).choosePeriod('Yesterday');
  await new DetailPage(pageAgain).rows().first().waitFor({ timeout: 60_000 });
  expect(await call(pageAgain, 'app/get-info')).toMatchObject({ value: { keychain: { kind: 'keychain' } } });
  await again.close();
  await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
});
