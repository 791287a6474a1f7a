import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Where a window is too narrow for two parts beside each other, and where it is not wide enough for all words. */
const NARROW = '760px';
const MEDIUM = '1180px';

/** Screens whose own content asks for another width. */
const OWN_WIDTHS = new Set([
  'src-renderer/screens/connections/ConnectionFieldset.vue',
  'src-renderer/screens/connections/ConnectionsScreen.vue',
  'src-renderer/screens/detail/DetailScreen.vue',
  'src-renderer/screens/family/FamilyScreen.vue',
  'src-renderer/screens/glance/WallScreen.vue',
  'src-renderer/screens/library/downloads/NewDownloadDialog.vue',
  'src-renderer/screens/overview/health/HealthCard.vue',
]);

it('styles change at two widths of the window, which are written one way', () => {
  const others = globSync('src-renderer/**/*.{vue,css}').flatMap((path) => {
    const file = path.replaceAll('\\', '/');
    if (OWN_WIDTHS.has(file)) return [];
    const widths = [...readFileSync(file, 'utf8').matchAll(/@media ([^{]*width[^{]*)\{/gu)];
    const known = [NARROW, MEDIUM].flatMap((name) => [`(width < ${name})`, `(width >= ${name})`]);
    known.push(`(${NARROW} <= width < ${MEDIUM})`);
    return widths
      .map(([, query = '']) => query.trim())
      .filter((query) => !known.includes(query))
      .map((query) => `${file}: ${query}`);
  });
  expect(others).toEqual([]);
});

it('no style sheet is left without a component or another one that takes it in', () => {
  const files = globSync('src-renderer/**/*.{vue,css,ts}').map((path) => path.replaceAll('\\', '/'));
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const unused = files.filter((file) => {
    const name = file.split('/').at(-1) ?? '';
    return (
      name.endsWith('.css') && !texts.some((text) => text.includes(`/${name}'`) || text.includes(`/${name}"`))
    );
  });
  expect(unused).toEqual([]);
});
