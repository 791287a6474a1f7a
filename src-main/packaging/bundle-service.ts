import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';
import { findPackageFolders, readNotice } from './supply-chain/collect-notices.ts';

/**
 * `node src-main/packaging/bundle-service.ts FOLDER`: writes the reporting service as `main.mjs` with all that it needs
 * besides Node, for an image that holds nothing else.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = process.argv[2];
if (folder === undefined) throw new Error('The folder to write to is missing.');

/** Its native part is found beside its scripts: the package stays as it is, without its sources. */
const SQLITE = 'node_modules/better-sqlite3';
const SQLITE_PARTS = ['package.json', 'LICENSE', 'lib', `prebuilds/${process.platform}-${process.arch}.node`];

/** Adds what can't be bundled, and the licences of what is. */
const addFiles: Plugin = {
  name: 'add-files',
  generateBundle() {
    for (const path of SQLITE_PARTS.flatMap((part) => listFiles(`${SQLITE}/${part}`))) {
      this.emitFile({ type: 'asset', fileName: path, source: readFileSync(join(root, path)) });
    }
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "private": true }\n' });
    const folders = [...findPackageFolders(this.getModuleIds()), join(root, SQLITE)];
    const texts = folders
      .map(readNotice)
      .map(({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}\n`);
    this.emitFile({ type: 'asset', fileName: 'LICENCES.txt', source: texts.join('\n----\n\n') });
  },
};

/** Paths of a file, or of all files in a folder, below the top of the repository. */
function listFiles(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path)).flatMap((name) => listFiles(`${path}/${name}`));
}

await build({
  root,
  configFile: false,
  plugins: [addFiles],
  logLevel: 'warn',
  ssr: { noExternal: true, external: ['better-sqlite3'] },
  build: {
    ssr: true,
    ssrEmitAssets: true,
    target: 'node24',
    outDir: resolve(folder),
    emptyOutDir: true,
    minify: false,
    rolldownOptions: {
      input: { main: join(root, 'src-main/service/main.ts') },
      output: { entryFileNames: '[name].mjs', chunkFileNames: 'chunks/[name]-[hash].mjs' },
    },
  },
});
