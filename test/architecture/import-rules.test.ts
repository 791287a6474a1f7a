import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const config = join(root, 'test/config/dependency-cruiser.cjs');
const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
const { forbidden } = createRequire(import.meta.url)(config) as { forbidden: readonly { name: string }[] };

/** A rule, a file that breaks it, and what that file imports: a file of the tree, a package or a part of Node. */
const BREACHES: readonly (readonly [rule: string, from: string, to: string])[] = [
  ['no-circular', 'src-main/core/round/one.ts', 'src-main/core/round/two.ts'],
  ['no-circular', 'src-main/core/typed/one.ts', 'src-main/core/typed/two.ts'],
  ['resolvable', 'src-main/core/lost.ts', 'src-main/core/nowhere.ts'],
  ['common-is-pure', 'src-main/common/reads-files.ts', 'node:fs'],
  ['common-is-pure', 'src-main/common/knows-core.ts', 'src-main/core/part.ts'],
  ['common-is-pure', 'src-main/common/knows-vue.ts', 'vue'],
  ['only-markdown-loads-its-parser', 'src-main/common/words/reads-markdown.ts', 'marked'],
  ['only-markdown-loads-its-parser', 'src-renderer/cases/reads-markdown.ts', 'marked'],
  ['node-is-shared', 'src-main/node/knows-core.ts', 'src-main/core/part.ts'],
  ['node-is-shared', 'src-main/node/knows-electron.ts', 'electron'],
  ['node-has-no-fastify-at-run-time', 'src-main/node/runs-fastify.ts', 'fastify'],
  ['core-knows-no-host', 'src-main/core/knows-electron.ts', 'src-main/electron/part.ts'],
  ['core-knows-no-host', 'src-main/core/knows-web.ts', 'src-main/web/part.ts'],
  ['core-knows-no-host', 'src-main/core/knows-service.ts', 'src-main/service/part.ts'],
  ['core-knows-no-host', 'src-main/core/knows-fastify.ts', 'fastify'],
  ['models-are-the-bottom', 'src-main/common/model/knows-operations.ts', 'src-main/common/contract/part.ts'],
  ['models-are-the-bottom', 'src-main/common/model/reads.ts', 'src-main/common/reporting/reading/part.ts'],
  [
    'the-interface-knows-no-model',
    'src-main/common/reporting/knows-model.ts',
    'src-main/common/model/part.ts',
  ],
  ['analysis-knows-no-cache', 'src-main/core/analysis/knows-cache.ts', 'src-main/core/cache/part.ts'],
  [
    'what-a-thread-writes-knows-no-thread',
    'src-main/core/exports/rows/starts.ts',
    'src-main/core/exports/thread/part.ts',
  ],
  ['only-cache-opens-sqlite', 'src-main/core/exports/opens-sqlite.ts', 'better-sqlite3'],
  ['only-analysis-opens-duckdb', 'src-main/core/cache/opens-duckdb.ts', '@duckdb/node-api'],
  ['only-secrets-opens-the-keychain', 'src-main/core/cache/opens-keychain.ts', 'keytar'],
  ['service-stands-alone', 'src-main/service/knows-core.ts', 'src-main/core/part.ts'],
  ['service-stands-alone', 'src-main/service/knows-electron.ts', 'electron'],
  ['only-the-store-opens-sqlite', 'src-main/service/http/opens-sqlite.ts', 'better-sqlite3'],
  ['only-the-store-opens-sqlite', 'src-main/service/store/opens-sqlite.ts', 'better-sqlite3'],
  ['only-its-store-opens-postgres', 'src-main/service/store/opens-postgres.ts', 'pg'],
  ['only-its-store-opens-postgres', 'src-main/core/cache/opens-postgres.ts', 'pg'],
  ['web-has-no-electron', 'src-main/web/knows-electron.ts', 'src-main/electron/part.ts'],
  ['web-has-no-electron', 'src-main/start/opens-sqlite.ts', 'better-sqlite3'],
  ['command-line-is-a-host', 'src-main/cli/knows-electron.ts', 'src-main/electron/part.ts'],
  ['command-line-is-a-host', 'src-main/cli/opens-keychain.ts', 'keytar'],
  [
    'only-its-server-loads-the-assistant-protocol',
    'src-main/cli/mcp/knows-protocol.ts',
    '@modelcontextprotocol/sdk/types.js',
  ],
  ['assistant-protocol-without-http', 'src-main/cli/mcp/serves-http.ts', 'express'],
  ['electron-host-is-thin', 'src-main/electron/knows-web.ts', 'src-main/web/part.ts'],
  ['electron-host-is-thin', 'src-main/electron/opens-keychain.ts', 'keytar'],
  ['only-a-command-loads-the-command-line', 'src-main/electron/knows-cli.ts', 'src-main/cli/part.ts'],
  ['only-electron-imports-electron', 'src-renderer/stores/knows-electron.ts', 'electron'],
  ['nothing-that-runs-knows-packaging', 'src-main/electron/packs.ts', 'src-main/packaging/part.ts'],
  ['nothing-that-runs-knows-packaging', 'src-main/core/flips-fuses.ts', '@electron/fuses'],
  ['main-knows-no-window', 'src-main/web/knows-window.ts', 'src-renderer/stores/part.ts'],
  ['renderer-sees-common-only', 'src-renderer/stores/knows-core.ts', 'src-main/core/part.ts'],
  ['renderer-has-no-node', 'src-renderer/stores/reads-files.ts', 'node:fs'],
  ['components-are-presentational', 'src-renderer/components/knows-store.ts', 'src-renderer/stores/part.ts'],
  ['components-are-presentational', 'src-renderer/components/knows-period.ts', 'src-renderer/period/part.ts'],
  ['shared-parts-know-no-screen', 'src-renderer/stores/knows-screen.ts', 'src-renderer/screens/a/part.ts'],
  ['shell-knows-no-screen', 'src-renderer/shell/knows-screen.ts', 'src-renderer/screens/a/part.ts'],
  ['no-screen-imports-another', 'src-renderer/screens/b/knows-a.ts', 'src-renderer/screens/a/part.ts'],
];
/** Imports that the table allows. */
const ALLOWED: readonly (readonly [from: string, to: string])[] = [
  ['src-main/common/uses-typebox.ts', 'typebox'],
  ['src-main/common/model/uses-errors.ts', 'src-main/common/contract/errors.ts'],
  ['src-main/common/reporting/reading/uses-model.ts', 'src-main/common/model/part.ts'],
  ['src-main/node/uses-common.ts', 'src-main/common/part.ts'],
  ['src-main/node/uses-files.ts', 'node:fs'],
  ['src-main/node/uses-sqlite.ts', 'better-sqlite3'],
  ['src-main/core/uses-common.ts', 'src-main/common/part.ts'],
  ['src-main/core/uses-node.ts', 'src-main/node/part.ts'],
  ['src-main/core/cache/uses-sqlite.ts', 'better-sqlite3'],
  ['src-main/core/analysis/uses-duckdb.ts', '@duckdb/node-api'],
  ['src-main/core/secrets/uses-keychain.ts', 'keytar'],
  ['src-main/service/uses-fastify.ts', 'fastify'],
  ['src-main/service/store-sqlite/uses-sqlite.ts', 'better-sqlite3'],
  ['src-main/web/uses-core.ts', 'src-main/core/part.ts'],
  ['src-main/cli/uses-core.ts', 'src-main/core/part.ts'],
  ['src-main/electron/uses-electron.ts', 'electron'],
  ['src-main/packaging/flips-fuses.ts', '@electron/fuses'],
  ['src-renderer/stores/uses-common.ts', 'src-main/common/part.ts'],
  ['src-renderer/screens/a/uses-store.ts', 'src-renderer/stores/part.ts'],
  ['src-renderer/period/uses-component.ts', 'src-renderer/components/part.ts'],
  ['src-renderer/screens/a/uses-own.ts', 'src-renderer/screens/a/part.ts'],
];

const isTyped = (path: string): boolean => path.includes('/typed/');

/** A tree of files that import one thing each, with stand-ins for the packages; removed after the tests. */
async function writeTree(imports: readonly (readonly [from: string, to: string])[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'import-rules-'));
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { flag: 'wx' }).catch(() => undefined);
  };
  await write('src-main/tsconfig.json', '{}');
  await write('src-renderer/index.ts', 'export {};\n');
  for (const [from, to] of imports) {
    const specifier = to.startsWith('src-') ? `./${relative(dirname(from), to)}` : to;
    await write(from, `export ${isTyped(from) ? 'type ' : ''}* from '${specifier}';\n`);
    if (!to.startsWith('src-') && !to.startsWith('node:')) {
      await write(`node_modules/${to}/package.json`, `{ "name": "${to}", "main": "index.js" }`);
      await write(`node_modules/${to}/index.js`, 'module.exports = {};\n');
    }
  }
  for (const [from, to] of imports) {
    if (!to.startsWith('src-') || to.endsWith('/nowhere.ts')) continue;
    const isRound = from.endsWith('/one.ts');
    const back = `export ${isTyped(from) ? 'type ' : ''}* from './one.ts';\n`;
    await write(to, isRound ? back : 'export {};\n');
  }
  return folder;
}

async function cruise(folder: string): Promise<{ rule: string; from: string }[]> {
  const run = promisify(execFile)(
    process.execPath,
    [cruiser, '--config', config, '--output-type', 'json', 'src-main', 'src-renderer'],
    { cwd: folder, maxBuffer: 16 * 2 ** 20 },
  );
  // It ends with the number of errors; what it found is in its output either way.
  const { stdout } = await run.catch((failure: unknown) => failure as { stdout: string });
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { from: string; rule: { name: string } }[] };
  };
  return summary.violations.map(({ from, rule }) => ({ rule: rule.name, from }));
}

describe('the rules of imports', () => {
  const folders: string[] = [];
  let found: readonly { rule: string; from: string }[];
  beforeAll(async () => {
    folders.push(await writeTree(BREACHES.map(([, from, to]) => [from, to] as const)));
    found = await cruise(folders[0]!);
  }, 60_000);
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it.each(BREACHES)('%s reports %s, which imports %s', (rule, from) => {
    expect(found).toContainEqual({ rule, from });
  });

  it('are all tried here', () => {
    expect([...new Set(BREACHES.map(([rule]) => rule))].toSorted()).toEqual(
      forbidden.map(({ name }) => name).toSorted(),
    );
  });

  it('report nothing that is allowed', async () => {
    folders.push(await writeTree(ALLOWED));
    expect(await cruise(folders[1]!)).toEqual([]);
  });
});
