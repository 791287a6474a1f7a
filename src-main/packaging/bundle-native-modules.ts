import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { copyNativeFiles } from './native-files.ts';

const LOADER = fileURLToPath(new URL('../node/load-native-module.ts', import.meta.url)).replaceAll('\\', '/');
const load = (name: string): string => `require(${JSON.stringify(LOADER)}).loadNativeModule('${name}')`;

/** The scripts that look for a native module in several places, and what stands in their place. */
const REPLACEMENTS: readonly {
  readonly file: RegExp;
  /** What must be there: a new version of the package may do otherwise. */
  readonly expected: string;
  readonly replace: (code: string, expected: string) => string;
}[] = [
  {
    file: /\/better-sqlite3\/lib\/binding\.js$/u,
    expected: 'getBinding',
    replace: () => `exports.getBinding = () => ${load('better-sqlite3')};\n`,
  },
  {
    file: /\/keytar\/lib\/keytar\.js$/u,
    expected: 'var keytar = loadNativeAddon();',
    replace: (code, expected) =>
      `var keytar = ${load('keytar')};\n${code.slice(code.indexOf(expected) + expected.length)}`,
  },
  {
    file: /\/@duckdb\/node-bindings\/duckdb\.js$/u,
    expected: 'module.exports = getNativeNodeBinding(',
    replace: () => `module.exports = ${load('duckdb')};\n`,
  },
];

/**
 * Bundles the scripts of native modules into the files that use them, and puts the modules themselves where those load
 * them from. So a thread in a package needs nothing but its own file, and nothing is searched for beyond the package.
 */
export function bundleNativeModules(root: string): Plugin {
  return {
    name: 'bundle-native-modules',
    transform(code, id) {
      const path = id.replaceAll('\\', '/').split('?')[0] ?? '';
      const found = REPLACEMENTS.find(({ file }) => file.test(path));
      if (found === undefined) return null;
      if (!code.includes(found.expected)) throw new Error(`${path} loads its native module in another way.`);
      return { code: found.replace(code, found.expected), map: null };
    },
    async closeBundle() {
      for (const file of await copyNativeFiles(root, process.platform, process.arch)) {
        this.warn(`${file} is not installed: what needs it will not run.`);
      }
    },
  };
}
