import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../src-main', import.meta.url));
const FILE_SYSTEM = /import \{([^}]*)\} from 'node:fs(?:\/promises)?'/gu;
const MOVES = /\b(?:rename|rm|rmdir|unlink|cp|copyFile)(?:Sync)?\b/u;
/** Other ways to the same functions. */
const WHOLE_MODULE = /import (?:\* as )?\w+ from 'node:fs(?:\/promises)?'/u;

function moves(text: string): boolean {
  const imports = [...text.matchAll(FILE_SYSTEM)].map(([, names = '']) => names);
  return imports.some((names) => MOVES.test(names)) || WHOLE_MODULE.test(text);
}

it('A4 and A5: only one module renames, removes and copies, so that none does it without patience', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts') && moves(readFileSync(join(root, name), 'utf8')));
  expect(files).toEqual(['node/files.ts']);
});
