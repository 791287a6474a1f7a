import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const core = fileURLToPath(new URL('../../src-main/core', import.meta.url));
const IMPORT = /\b(?:from|import\(|import) ?'(\.[^']+)'/gu;
/** Joins the engine to the cache, in a process of their own; nothing else of the analysis knows the cache. */
const COMPOSITION = 'analysis/engine/serve-engine.ts';

type Files = Readonly<Record<string, string>>;

/** The rooms that each room imports from, by the texts of files below core. Files that are in no room compose them. */
function readNeeds(files: Files): Map<string, Set<string>> {
  const needs = new Map<string, Set<string>>();
  for (const [file, text] of Object.entries(files)) {
    for (const [, specifier = ''] of text.matchAll(IMPORT)) {
      const target = join(dirname(file), specifier).replaceAll('\\', '/');
      const [from, to] = [findRoom(file), findRoom(target)];
      if (from === null || to === null || from === to || file === COMPOSITION) continue;
      needs.set(from, (needs.get(from) ?? new Set()).add(to));
    }
  }
  return needs;
}

function findRoom(path: string): string | null {
  const [room = '', ...rest] = path.split('/');
  return rest.length === 0 || room === '..' ? null : room;
}

/** Every room that needs itself by way of others, with that way. */
function findCircles(needs: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const findWay = (start: string): string | null => {
    const ways = [...(needs.get(start) ?? [])].map((room) => [start, room]);
    const seen = new Set<string>();
    for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
      const room = way.at(-1) ?? '';
      if (room === start) return way.join(' → ');
      if (seen.has(room)) continue;
      seen.add(room);
      for (const next of needs.get(room) ?? []) ways.push([...way, next]);
    }
    return null;
  };
  return [...needs.keys()]
    .toSorted()
    .map(findWay)
    .filter((way) => way !== null);
}

it('no room of core needs itself by way of others, types included', () => {
  const paths = readdirSync(core, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const files = paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(core, path), 'utf8')]);
  expect(paths.length).toBeGreaterThan(100);
  expect(findCircles(readNeeds(Object.fromEntries(files) as Files))).toEqual([]);
});

it('a circle of rooms is reported, also where no two files need each other', () => {
  const files: Files = {
    'create-core.ts': "import { a } from './first/one.ts';",
    'first/one.ts': "import { b } from '../second/one.ts';\nimport { e } from '../fourth/one.ts';",
    'second/inside/two.ts': "import type { c } from '../../third/one.ts';",
    'third/one.ts':
      "const { d } = await import('../first/two.ts');\nimport { f } from '../../common/part.ts';",
    'fourth/one.ts': "import { Events } from '../events.ts';",
  };
  expect(findCircles(readNeeds(files))).toEqual([
    'first → second → third → first',
    'second → third → first → second',
    'third → first → second → third',
  ]);
});
