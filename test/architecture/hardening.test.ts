import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = new Map<string, string>();

beforeAll(async () => {
  for (const folder of ['src-main', 'src-renderer']) {
    for (const path of await readdir(`${root}${folder}`, { recursive: true })) {
      if (!/\.(?:ts|vue|html)$/u.test(path)) continue;
      const name = `${folder}/${path.replaceAll('\\', '/')}`;
      // The switches that it names are those that the application refuses to start with.
      if (name === 'src-main/electron/security/refused-switches.ts') continue;
      sources.set(name, await readFile(root + name, 'utf8'));
    }
  }
  sources.set('package.json', await readFile(`${root}package.json`, 'utf8'));
});

function findFiles(pattern: RegExp): string[] {
  return [...sources].filter(([, text]) => pattern.test(text)).map(([name]) => name);
}

describe('no source', () => {
  it.each([
    ['turns a guard of Electron off', /webSecurity: false|contextIsolation: false|sandbox: false/u],
    ['gives a page Node', /nodeIntegration\w*: true|webviewTag: true|enableBlinkFeatures/u],
    ['starts without the sandbox', /--no-sandbox|ELECTRON_DISABLE_SECURITY_WARNINGS/u],
    [
      'trusts any certificate',
      /ignore-certificate-errors|rejectUnauthorized: false|NODE_TLS_REJECT_UNAUTHORIZED/u,
    ],
    ['reads HTTP loosely', /insecureHTTPParser/u],
    ['makes code of text', /\beval\(|new Function\(|executeJavaScript\((?!PRELOAD_QUESTION\))/u],
    ['makes markup of text', /v-html|innerHTML|outerHTML|document\.write/u],
    ['loads a file into a window', /\.loadFile\(/u],
    ['passes channels through from the page', /sendSync|ipcRenderer\.send\(/u],
    ['answers other origins', /access-control-allow/iu],
  ])('%s', (_what, pattern) => {
    expect(findFiles(pattern)).toEqual([]);
  });

  it('E-15: hands an address to the system, but the one that asks the person first', () => {
    expect(findFiles(/openExternal|openPath/u)).toEqual(['src-main/electron/security/guards.ts']);
  });
});

describe('one file only', () => {
  it.each([
    ['ipcMain', 'src-main/electron/ipc.ts'],
    ['ipcRenderer', 'src-main/electron/preload.ts'],
    ['contextBridge', 'src-main/electron/preload.ts'],
    ['BrowserWindow', 'src-main/electron/window.ts'],
  ])('imports %s from electron as a value', (name, file) => {
    const importing = [...sources]
      .filter(([, text]) =>
        [...text.matchAll(/import \{([^}]*)\} from 'electron'/gu)].some(([, names = '']) =>
          names.split(',').some((entry) => entry.trim() === name),
        ),
      )
      .map(([path]) => path);
    expect(importing).toEqual([file]);
  });

  it('shows a file in its folder, and one other opens a page', () => {
    const importing = findFiles(/import \{[^}]*\bshell\b[^}]*\} from 'electron'/u);
    expect(importing.toSorted()).toEqual([
      'src-main/electron/desktop-host.ts',
      'src-main/electron/security/guards.ts',
    ]);
  });

  it('W-01: the loopback host listens on 127.0.0.1 by its number', () => {
    expect(sources.get('src-main/web/web-server.ts')).toContain(
      "listen({ port: wantedPort, host: '127.0.0.1' })",
    );
  });
});
