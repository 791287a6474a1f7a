import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'vite';
import { writeFileAtomically } from '../../../src-main/node/write-file-atomically.ts';
import { BUNDLED } from './bundled-script.ts';

/**
 * Bundles what tests start, before the first of them, once for all projects of tests. Files that are up to date stay,
 * for other runs read them.
 */
export default async function bundleScripts(): Promise<void> {
  if (process.env['ARE_SCRIPTS_BUNDLED'] !== undefined) return;
  process.env['ARE_SCRIPTS_BUNDLED'] = 'yes';
  const folder = process.env['BUNDLED_SCRIPTS'] ?? '';
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: ['typebox'] },
    build: {
      ssr: true,
      target: 'node24',
      write: false,
      minify: false,
      rolldownOptions: {
        input: BUNDLED,
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  if (!('output' in built)) throw new TypeError('The scripts were not built as one bundle.');
  for (const file of built.output) {
    const path = join(folder, file.fileName);
    const content = file.type === 'chunk' ? file.code : file.source;
    const before = await readFile(path, 'utf8').catch(() => null);
    if (before === content) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomically(path, content);
  }
}
