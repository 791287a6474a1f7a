import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findSecrets } from '../../support/packaging/supply-chain/find-secrets.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('P-13: secrets', () => {
  it.skipIf(!existsSync(join(root, '.git')))('are in no committed file', () => {
    const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
    const files = listed.split('\0').filter((name) => name !== '' && existsSync(join(root, name)));
    expect(files.length).toBeGreaterThan(500);
    const found = files
      .filter((name) => statSync(join(root, name)).isFile() && !/\.(?:png|ico|icns)$/u.test(name))
      .flatMap((name) => findSecrets(name, readFileSync(join(root, name), 'utf8')));
    expect(found).toEqual([]);
  });

  // Put together here, so that this file isn't found by itself.
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789ABCD';
  const put = (...parts: string[]): string => parts.join('');
  it.each([
    ['a private key', put('-----BEGIN ', 'RSA PRIVATE', ' KEY-----\n', letters, letters)],
    ['a token of GitHub', put('gh', 'p_', letters.slice(0, 36))],
    ['a token of npm', put('npm', '_', letters.slice(0, 36))],
    ['a key of AWS', put('AK', 'IA', 'Z'.repeat(16))],
    ['a signed token', put('ey', 'J', letters, '.ey', 'J', letters, '.', letters)],
    ['a login in an address', put('https://ana', ':pass-word-1', '@service.company.com/')],
    ['a login of npm', put('//registry.company.com/:_auth', 'Token=', letters)],
  ])('%s is found, with its line', (kind, text) => {
    expect(findSecrets('notes.md', `first\n${text}\n`)).toEqual([`notes.md:2: ${kind}`]);
  });

  it('are found by the name of a file too, and not where an example is meant', () => {
    expect(findSecrets('deploy/.env', '')).toEqual(['deploy/.env: a file of credentials']);
    expect(findSecrets('a.ts', "'https://user:secret-words@evil.example/'")).toEqual([]);
  });
});
