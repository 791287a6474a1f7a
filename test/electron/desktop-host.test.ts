import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createDesktopHost } from '../../src-main/electron/desktop-host.ts';
import {
  calls,
  dialogAnswers,
  makeReady,
  resetFakeElectron,
  windows,
} from '../support/electron/fake-electron.ts';
import { ENGLISH } from '../../src-main/common/words/words.ts';

beforeEach(() => {
  resetFakeElectron();
  makeReady();
  calls.length = 0;
});

const host = createDesktopHost({
  offered: { find: () => null },
  openedFile: { take: () => Promise.resolve(null) },
  platform: 'linux',
  version: '1.2.3',
  location: { folder: '/data', defaultFolder: '/data', chosenBy: 'default', missingFolder: null },
  fetchFor: () => globalThis.fetch,
  useNetwork: () => Promise.resolve(),
  useProxyLogins: () => undefined,
  workers: {
    cache: new URL('about:blank'),
    service: new URL('about:blank'),
    engine: new URL('about:blank'),
    imports: new URL('about:blank'),
    rows: new URL('about:blank'),
  },
  findWindow: () => null,
  showWindow: () => undefined,
  openAnother: () => undefined,
  startNormally: () => undefined,
  startAgain: () => undefined,
  updates: 'no-package',
  readWords: () => ENGLISH,
});

describe('the desktop host', () => {
  it('lets the user choose a file of records and leaves it where it is', async () => {
    dialogAnswers.push({ canceled: false, filePath: '/home/someone/records.csv' });
    const file = await host.chooseImportFile(null);
    expect(file).toMatchObject({ path: '/home/someone/records.csv', name: 'records.csv' });
    await file?.release();
    expect(calls.map(({ name }) => name)).toEqual(['dialog.showOpenDialog']);
  });

  it('imports nothing when the dialog is closed, and takes no path from the window', async () => {
    expect(await host.chooseImportFile(null)).toBeNull();
    expect(await host.chooseImportFile('/etc/passwd')).toBeNull();
    expect(calls).toHaveLength(1);
  });

  it('prints a report in a window that is never shown and runs no script, and closes it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'print-'));
    try {
      const target = join(folder, 'report.pdf');
      await host.printPdf(join(folder, 'report.html'), target, new AbortController().signal);
      expect(await readFile(target, 'utf8')).toBe('%PDF');
      const window = windows.at(-1);
      expect(window?.options).toMatchObject({
        show: false,
        webPreferences: {
          javascript: false,
          contextIsolation: true,
          sandbox: true,
          webSecurity: true,
          nodeIntegration: false,
          devTools: false,
          partition: 'printing',
        },
      });
      expect(window?.isDestroyed()).toBe(true);
      expect(calls.map(({ name }) => name)).toEqual(['BrowserWindow', 'loadURL', 'printToPDF']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('shows exports and folders in the file manager of the system', async () => {
    expect(await host.revealExport('/exports/a.csv')).toBeNull();
    expect(await host.revealFolder('/data/local-service')).toBe(true);
    expect(calls).toEqual([
      { name: 'shell.showItemInFolder', args: ['/exports/a.csv'] },
      { name: 'shell.showItemInFolder', args: ['/data/local-service'] },
    ]);
  });

  it('copies to the clipboard of the system', async () => {
    expect(await host.copyText('sesame')).toBe(true);
    expect(calls).toEqual([{ name: 'clipboard.writeText', args: ['sesame'] }]);
  });
});
