import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build, type Rolldown } from 'vite';
import { writeFileAtomically } from '../../../src-main/node/files.ts';
import { ALONE, TOGETHER } from './bundled-script.ts';

/**
 * Bundles what tests start, before the first of them, once for all projects of tests. Files that are up to date stay,
 * for other runs read them.
 */
export default async function bundleScripts(): Promise<void> {
  if (process.env['ARE_SCRIPTS_BUNDLED'] !== undefined) return;
  process.env['ARE_SCRIPTS_BUNDLED'] = 'yes';
  const folder = process.env['BUNDLED_SCRIPTS'] ?? '';
  const alone = Object.entries(ALONE).map(([name, source]) => bundle({ [name]: source }, false));
  const files = (await Promise.all([...alone, bundle(TOGETHER, true)])).flat();
  for (const file of files) {
    const path = join(folder, file.fileName);
    const content = file.type === 'chunk' ? file.code : file.source;
    const before = await readFile(path, 'utf8').catch(() => null);
    if (before === content) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomically(path, content);
  }
}

/** Bundles scripts with all that they need except native modules; what several share is apart only if it is `split`. */
async function bundle(
  input: Record<string, string>,
  split: boolean,
): Promise<Rolldown.RolldownOutput['output']> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external: ['better-sqlite3', '@duckdb/node-bindings', 'keytar'] },
    build: {
      ssr: true,
      target: 'node24',
      write: false,
      minify: false,
      rolldownOptions: {
        input,
        output: {
          entryFileNames: '[name].mjs',
          chunkFileNames: '[name]-[hash].mjs',
          ...(split ? {} : { codeSplitting: false }),
        },
      },
    },
  });
  if (!('output' in built)) throw new TypeError('The scripts were not built as one bundle.');
  return built.output;
}
