import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { expect, it } from 'vitest';

/** Where codes are compared with numbers: what says what failed, and the classes of HTTP that filters name. */
const ALLOWED = [
  'src-main/core/analysis/engine/outcomes.ts',
  'src-main/core/analysis/engine/engine-tables.ts',
  'src-main/common/sql/filter-statement.ts',
];

it('says in one place what failed: nothing else compares a response code with a number', async () => {
  const found: string[] = [];
  for await (const file of glob(['src-main/**/*.ts', 'src-renderer/**/*.{ts,vue}'])) {
    const path = file.replaceAll('\\', '/');
    if (ALLOWED.includes(path) || path.startsWith('src-main/service/')) continue;
    const text = readFileSync(file, 'utf8');
    if (/response_code\s*(?:NOT\s+)?(?:BETWEEN|[<>=]+\s*\d)/i.test(text)) found.push(path);
  }
  expect(found).toEqual([]);
});
