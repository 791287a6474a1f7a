import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** An import that is there at run time and isn't asked for later. */
const IMPORT = /^(?:import|export) (?!type\b)(?:[^'"]*? from )?'([^']+)';/gmu;
/** What a window doesn't need for its first picture: large, and asked for when a screen does. */
const LATER = [
  'src-renderer/help/guide.ts',
  'src-renderer/messages/de',
  'ag-grid-community',
  'chart.js',
  'codemirror',
];

/** Everything that a file imports, and what that imports: paths within the project, names of packages. */
function listImports(file: string, found = new Map<string, string>()): Map<string, string> {
  for (const [, name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)) {
    const isOwn = name.startsWith('.');
    const to = isOwn ? relative(ROOT, resolve(ROOT, dirname(file), name)) : name;
    if (found.has(to)) continue;
    found.set(to, file);
    if (isOwn && /\.(?:ts|vue)$/u.test(to)) listImports(to, found);
  }
  return found;
}

it("the window's first scripts hold what its first picture needs, and nothing large beside it", () => {
  const found = listImports('src-renderer/main.ts');
  listImports('src-renderer/screens/overview/OverviewScreen.vue', found);
  expect(found.size).toBeGreaterThan(100);
  const early = LATER.flatMap((name) =>
    [...found]
      .filter(([to]) => to === name || to.startsWith(`${name}/`))
      .map(([to, by]) => `${to}, by ${by}`),
  );
  expect(early).toEqual([]);
});
