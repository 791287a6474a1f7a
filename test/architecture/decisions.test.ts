import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const testFolder = fileURLToPath(new URL('..', import.meta.url));
/** Gaps of the specification that were settled, by their number. */
const DECISIONS = Array.from({ length: 32 }, (_, index) => index + 1);

describe('decisions', () => {
  const titles = readdirSync(testFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(test|spec)\.ts$/.test(name) && !name.endsWith('decisions.test.ts'))
    .map((name) => readFileSync(join(testFolder, name), 'utf8'))
    .join('\n');

  it.each(DECISIONS)('number %i has a test named after it', (number) => {
    expect(titles).toMatch(new RegExp(`decisions? ${String(number)}\\b`));
  });
});
