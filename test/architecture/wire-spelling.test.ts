import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const HOME = 'src-main/common/reporting/';
/** The specification's misspellings; `averageBotLatencyMs` and the like are names inside the application. */
const WIRE_SPELLING = /[Rr]eponse|[Aa]vegare|\b(?:Average)?BotLatency\b/gu;

const sources = ['src-main', 'src-renderer'].flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.(?:ts|vue|json|html|css)$/u.test(path)),
);

/** Places that hold a wire name, as `path:line: name`. */
function findSpellings(paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    readFileSync(root + path, 'utf8')
      .split('\n')
      .flatMap((text, index) =>
        [...text.matchAll(WIRE_SPELLING)].map(([name]) => `${path}:${String(index + 1)}: ${name}`),
      ),
  );
}

it('the spelling of the wire stands in common/reporting alone', () => {
  const isHome = (path: string): boolean => path.startsWith(HOME);
  expect(findSpellings(sources.filter(isHome)).length).toBeGreaterThan(5);
  expect(findSpellings(sources.filter((path) => !isHome(path)))).toEqual([]);
});
