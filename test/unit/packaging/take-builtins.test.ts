import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { replaceImports } from '../../../src-main/packaging/build-plugins.ts';

/** What a module writes. */
function run(code: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'channelscope-builtins-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'script.mjs');
  writeFileSync(file, code);
  return execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim();
}

it('a script works on what it took in place of what it imported', () => {
  const code = [
    'import fs, { existsSync as isThere, statSync } from "node:fs";',
    'import path from "node:path";',
    'import { setTimeout as wait } from "node:timers/promises";',
    'import { AsyncLocalStorage } from "node:async_hooks";',
    'await wait(1);',
    'const file = path.join(import.meta.dirname, path.basename(import.meta.filename));',
    'console.log([fs.existsSync(file), isThere(file), statSync(file).isFile(), typeof AsyncLocalStorage].join());',
  ].join('\n');
  const replaced = replaceImports(code);
  expect(replaced).not.toContain('import ');
  expect(run(replaced)).toBe(run(code));
  expect(run(replaced)).toBe('true,true,true,function');
});

it('leaves other imports, and what only looks like one, as they are', () => {
  const code = [
    'import { t as a } from "./chunks/a.mjs";',
    'export { b } from "node:fs";',
    'const text = `import { join } from "node:path";`;',
    'const { c } = await import("node:os");',
  ].join('\n');
  expect(replaceImports(code)).toBe(code);
});
