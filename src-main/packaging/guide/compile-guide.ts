import { basename } from 'node:path';
import type { Plugin } from 'vite';
import { readGuidePage } from './read-guide-page.ts';

const PAGE = /\/resources\/guide\/[\w-]+\.md$/u;

/** Turns each imported page of the guide into data that the window draws: there is one copy, and no HTML is made of it. */
export function compileGuide(): Plugin {
  return {
    name: 'compile-guide',
    transform(code, id) {
      const path = id.replaceAll('\\', '/').split('?')[0] ?? '';
      if (!PAGE.test(path)) return null;
      const page = readGuidePage(basename(path, '.md'), code);
      return { code: `export default JSON.parse(${JSON.stringify(JSON.stringify(page))});`, map: null };
    },
  };
}
