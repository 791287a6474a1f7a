import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import type { Notice } from '../../common/model/notice.ts';
import { findPackageFolders, joinNotices, readNotice } from './notices.ts';

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
