import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const FOLDER = new URL('../../../src-main/start/', import.meta.url);
/** Prints every file that a module loads before it runs. */
const PRINT_LOADS = `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      process.stdout.write(url + '\\n');
      return next(url, context);
    },
  });
  await import(process.argv[1]);`;

/** Packages lie in hundreds of files: read one by one, they took longer than the whole application that is built of them. */
it.each(['come-back.ts', 'run-built-web.ts', 'start-application.ts'])(
  '%s, which runs before the built application, loads no package',
  async (name) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', PRINT_LOADS, fileURLToPath(new URL(name, FOLDER))],
      { encoding: 'utf8' },
    );
    const loaded = stdout.trim().split('\n');
    expect(loaded.some((url) => url.endsWith(name))).toBe(true);
    expect(loaded.filter((url) => url.includes('/node_modules/'))).toEqual([]);
  },
);
