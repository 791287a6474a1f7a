import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'resources/guide/security.md'), 'utf8');
const rows = [...page.matchAll(/^\| (E-\d\d) [^|]*\|([^|]*)\|([^|]*)\|$/gmu)];

it('each of the twenty points of Electron’s list is answered, with tests that are there', () => {
  const points = rows.map(([, point]) => point);
  expect(points).toEqual(Array.from({ length: 20 }, (_, index) => `E-${String(index + 1).padStart(2, '0')}`));
  for (const [, point, answer = '', tests = ''] of rows) {
    expect(answer.trim(), point).not.toBe('');
    const named = [...tests.matchAll(/`([^`]+)`/gu)].map(([, path = '']) => path);
    expect(named, point).not.toEqual([]);
    const missing = named.filter(
      (path) => !existsSync(join(root, path.includes('/') ? path : `test/electron/${path}`)),
    );
    expect(missing, point).toEqual([]);
  }
});
