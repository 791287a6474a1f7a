import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../src-renderer/', import.meta.url));

/** What styles all of the window: style sheets, and what components don't keep to themselves. */
function readStyles(name: string): string {
  const text = readFileSync(folder + name, 'utf8');
  if (name.endsWith('.css')) return text;
  return [...text.matchAll(/<style>(.*?)<\/style>/gsu)].map(([, style = '']) => style).join('\n');
}

it('gives a class that the whole window knows its looks in one file', () => {
  const places = new Map<string, Set<string>>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(?:css|vue)$/u.test(name)) continue;
    for (const [, one = ''] of readStyles(name).matchAll(/^\.([\w-]+) \{/gmu)) {
      places.set(one, (places.get(one) ?? new Set()).add(name.replaceAll('\\', '/')));
    }
  }
  expect(places.size).toBeGreaterThan(100);
  const shared = [...places].filter(([, files]) => files.size > 1);
  expect(shared.map(([one, files]) => `${one}: ${[...files].join(', ')}`)).toEqual([]);
});
