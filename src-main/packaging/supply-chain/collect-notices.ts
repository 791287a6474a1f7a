import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import type { Notice } from '../../common/model/notice.ts';

/** The file of the window that they are put into. */
const NOTICES_FILE = /\/screens\/about\/notices\.ts$/u;
/** Stands in the window's script until every bundle is known. */
const PLACEHOLDER = '__NOTICES__';

const findFolder = (root: string): string => join(root, 'out/notices');

function readCollected(root: string): Notice[] {
  const folder = findFolder(root);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).toSorted();
  return joinNotices(names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Notice[]));
}

/**
 * Collects the notices of the packages that are bundled into one part, in `out/notices`, and puts those of all parts in
 * the window's script. The window has to be the last part that is built.
 */
export function collectNotices(root: string, part: 'main' | 'preload' | 'window'): Plugin {
  let isBuild = false;
  return {
    name: 'collect-notices',
    configResolved: (config) => {
      isBuild = config.command === 'build';
    },
    transform: (_code, id) => {
      if (!NOTICES_FILE.test(id.replaceAll('\\', '/'))) return null;
      const text = isBuild ? PLACEHOLDER : JSON.stringify(readCollected(root));
      return { code: `export const notices = JSON.parse(${JSON.stringify(text)});`, map: null };
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const own = findPackageFolders(this.getModuleIds()).map(readNotice);
        mkdirSync(findFolder(root), { recursive: true });
        writeFileSync(join(findFolder(root), `${part}.json`), JSON.stringify(own, null, 2));
        for (const chunk of Object.values(bundle)) {
          if (chunk.type !== 'chunk' || !chunk.code.includes(PLACEHOLDER)) continue;
          const text = JSON.stringify(JSON.stringify(readCollected(root)));
          chunk.code = chunk.code.replace(new RegExp(`(["'\`])${PLACEHOLDER}\\1`, 'u'), () => text);
        }
      },
    },
  };
}

/** The last package in a path: what is nested in another package is one of its own. */
const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//u;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice|copyright|ofl)(?:[.-].*)?$/iu;

/** Returns the folders of the packages that modules come from, by the modules' paths. */
export function findPackageFolders(modules: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const module of modules) {
    const path = module.replace(/^\0+/u, '').replaceAll('\\', '/').split('?')[0] ?? '';
    const folder = PACKAGE.exec(path)?.[1];
    if (folder !== undefined && existsSync(join(folder, 'package.json'))) folders.add(folder);
  }
  return [...folders].toSorted();
}

interface Description {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Returns what a package says of its licence. Throws for one that names none: it may not be passed on. */
export function readNotice(folder: string): Notice {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Description;
  if (license === undefined) throw new Error(`${name} ${version} names no licence.`);
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  return { name, version, licence: license, text: texts.join('\n\n') };
}

/** Joins notices of several bundles: each package and version once, by name. */
function joinNotices(lists: readonly (readonly Notice[])[]): Notice[] {
  const known = new Map(lists.flat().map((notice) => [`${notice.name}@${notice.version}`, notice]));
  return [...known].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, notice]) => notice);
}
