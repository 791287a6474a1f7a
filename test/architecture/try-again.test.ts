import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../src-renderer/', import.meta.url));

it('offers to try again wherever a screen says that something could not be read', () => {
  const places = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.vue'))
    .flatMap((name) =>
      [...readFileSync(folder + name, 'utf8').matchAll(/<ErrorState\b.*?(?:\/>|<\/ErrorState>)/gsu)].map(
        ([text]) => ({ name: name.replaceAll('\\', '/'), text }),
      ),
    );
  expect(places.length).toBeGreaterThan(20);
  const without = places.filter(({ text }) => !/@retry=|:on-retry=|common\.retry/u.test(text));
  // The window itself couldn't start: the browser loads it again.
  expect(without.map(({ name }) => name)).toEqual(['App.vue']);
});
