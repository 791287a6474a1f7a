import { fileURLToPath } from 'node:url';
import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite';
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

const IMPORT =
  /^import\s+(?:(?<whole>[\w$]+)\s*,?\s*)?(?:\{(?<names>[^}]*)\}\s*)?from\s*["'](?<module>node:[\w/]+)["'];?$/gmu;

/**
 * Takes Node's own modules as they are, in place of importing them: an import reads each of their exports once, and so
 * loads streams, web cryptography and more that nobody asked for, anew in each process and thread. That takes half of the
 * time that a script needs to load.
 */
export function takeBuiltins(): Plugin {
  return {
    name: 'take-builtins',
    renderChunk: { order: 'post', handler: (code) => ({ code: replaceImports(code), map: null }) },
  };
}

/** Writes imports of Node's own modules as declarations. */
export function replaceImports(code: string): string {
  return code.replace(IMPORT, (...found) => {
    const { whole, names, module } = found.at(-1) as Record<'whole' | 'names' | 'module', string | undefined>;
    const taken = `process.getBuiltinModule(${JSON.stringify(module)})`;
    const inner = names?.replaceAll(/\s+as\s+/g, ': ').trim();
    return [
      ...(whole === undefined ? [] : [`const ${whole} = ${taken};`]),
      ...(inner === undefined ? [] : [`const { ${inner} } = ${taken};`]),
    ].join(' ');
  });
}

type Bundle = Rolldown.OutputBundle;

/** Text of every screen is drawn in it. */
const FONT = /\/inter-latin-wght-normal-[^/]+\.woff2$/u;

/**
 * Names what a start shows first in the window's page, so that a browser loads it beside the first scripts: those would
 * ask for it only once they have run.
 */
export function preloadFirstScreen(screen: string): Plugin {
  return {
    name: 'preload-first-screen',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        // The development server has none.
        if (bundle === undefined) return [];
        const font = Object.keys(bundle).find((name) => FONT.test(name));
        if (font === undefined) throw new Error('The window has no font to preload.');
        const { scripts, styles } = listNeeded(bundle, screen);
        return [
          toLink(font, { rel: 'preload', as: 'font', type: 'font/woff2' }),
          ...scripts.map((name) => toLink(name, { rel: 'modulepreload' })),
          ...styles.map((name) => toLink(name, { rel: 'stylesheet' })),
        ].filter(({ attrs }) => !html.includes(String(attrs?.['href'])));
      },
    },
  };
}

/** The files of a screen and of all that it imports. */
function listNeeded(bundle: Bundle, screen: string): { scripts: string[]; styles: string[] } {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const first = chunks.find(({ name, isDynamicEntry }) => name === screen && isDynamicEntry);
  if (first === undefined) throw new Error(`The window has no screen ${screen}.`);
  const scripts = new Set([first.fileName]);
  const styles = new Set<string>();
  for (const script of scripts) {
    const chunk = chunks.find(({ fileName }) => fileName === script);
    for (const name of chunk?.imports ?? []) scripts.add(name);
    for (const name of chunk?.viteMetadata?.importedCss ?? []) styles.add(name);
  }
  return { scripts: [...scripts], styles: [...styles] };
}

function toLink(file: string, attributes: Readonly<Record<string, string>>): HtmlTagDescriptor {
  return {
    tag: 'link',
    injectTo: 'head',
    attrs: { ...attributes, crossorigin: true, href: `./${file}` },
  };
}
