import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const FOLDER = new URL('../../../src-main/', import.meta.url);
/** Prints every file that a module loads before it runs. */
const PRINT_LOADS = `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      process.stdout.write(url + '\\n');
      return next(url, context);
    },
  });
  // A thread fails without what it is given: it was loaded by then.
  await import(process.argv[1]).catch(() => undefined);`;

async function listLoads(name: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', PRINT_LOADS, fileURLToPath(new URL(name, FOLDER))],
    { encoding: 'utf8' },
  );
  const loaded = stdout.trim().split('\n');
  expect(loaded.some((url) => url.endsWith(name))).toBe(true);
  return loaded;
}

/** Packages lie in hundreds of files: read one by one, they took longer than the whole application that is built of them. */
it.each(['start/come-back.ts', 'start/build-application.ts', 'start/start-application.ts'])(
  '%s, which runs before the built application, loads no package',
  async (name) => {
    expect((await listLoads(name)).filter((url) => url.includes('/node_modules/'))).toEqual([]);
  },
);

/** The engine has a process of its own for it: each thread that loaded it too took twenty megabytes and 50 ms more. */
it.each(['core/create-core.ts', 'core/cache/threads/cache-thread.ts', 'web/web-server.ts'])(
  '%s, which every start loads, loads neither DuckDB nor what is for documents',
  async (name) => {
    const loaded = await listLoads(name);
    const unwanted = /\/node_modules\/(?:@duckdb|marked|node-ical|nodemailer|glob)\//u;
    expect(loaded.filter((url) => unwanted.test(url))).toEqual([]);
  },
);
