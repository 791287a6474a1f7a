import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findForbiddenLicences, isAllowedLicence } from '../../support/packaging/supply-chain/licences.ts';
import {
  findLockFaults,
  nameOf,
  readLock,
  type Lock,
  type LockedPackage,
  type Manifest,
} from '../../support/packaging/supply-chain/lock-file.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const lock = readLock(root);
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const settings = readFileSync(join(root, '.npmrc'), 'utf8');

const INTEGRITY = `sha512-${'A'.repeat(86)}==`;
const lockOf = (packages: Record<string, LockedPackage>): Lock => ({ lockfileVersion: 3, packages });

describe('P-01 and P-08: the lock file', () => {
  it('names every package of every system with its hash, and where it comes from nowhere', () => {
    expect(findLockFaults(lock, manifest)).toEqual([]);
    expect(Object.keys(lock.packages).length).toBeGreaterThan(500);
  });

  it.each<[string, Lock, Manifest, string]>([
    ['without a hash', lockOf({ 'node_modules/a': {} }), {}, 'no integrity'],
    ['with a short one', lockOf({ 'node_modules/a': { integrity: 'sha1-AAAA' } }), {}, 'no integrity'],
    [
      'from an address of its own',
      lockOf({ 'node_modules/a': { integrity: INTEGRITY, resolved: 'https://evil.example/a.tgz' } }),
      {},
      'where it comes from',
    ],
    ['that is a link', lockOf({ 'node_modules/a': { integrity: INTEGRITY, link: true } }), {}, 'is a link'],
    [
      'with a script that nobody answered for',
      lockOf({ 'node_modules/a': { integrity: INTEGRITY, hasInstallScript: true } }),
      { allowScripts: { b: false } },
      'install script',
    ],
    ['of no version in particular', lockOf({}), { devDependencies: { a: '^1.0.0' } }, 'is not pinned'],
    ['from a repository', lockOf({}), { dependencies: { a: 'github:a/b' } }, 'is not pinned'],
  ])('a package %s is a fault', (_what, given, described, words) => {
    expect(findLockFaults(given, described).join()).toContain(words);
  });

  it('agrees with package.json', () => {
    const locked = lock.packages[''] as Manifest;
    expect(locked.dependencies).toEqual(manifest.dependencies);
    expect(locked.devDependencies).toEqual(manifest.devDependencies);
    expect(locked.optionalDependencies).toEqual(manifest.optionalDependencies);
  });
});

describe('P-02: install scripts', () => {
  it('are run for no package, and those that have one are known by name', () => {
    expect(settings).toMatch(/^ignore-scripts=true$/mu);
    expect(settings).toMatch(/^strict-allow-scripts=true$/mu);
    const withScripts = Object.entries(lock.packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([place, locked]) => nameOf(place, locked));
    expect(Object.keys(manifest.allowScripts ?? {}).toSorted()).toEqual(withScripts.toSorted());
    expect(Object.values(manifest.allowScripts ?? {})).not.toContain(true);
  });

  it('are not run by npm, as it reads the settings', () => {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    const read = (key: string): string =>
      execFileSync(npm, ['config', 'get', key], {
        cwd: root,
        encoding: 'utf8',
        shell: process.platform === 'win32',
      }).trim();
    expect(read('ignore-scripts')).toBe('true');
  });
});

it('P-03: packages come from the registry only', () => {
  expect(settings).toMatch(/^allow-git=none$/mu);
  expect(settings).toMatch(/^allow-remote=none$/mu);
  expect(settings).toMatch(/^allow-file=root$/mu);
  expect(settings).not.toMatch(/registry\s*=|_auth|\/\//u);
});

describe('P-06: licences', () => {
  it('of everything that is bundled or run allow passing it on', () => {
    expect(findForbiddenLicences(lock)).toEqual([]);
  });

  it.each([
    ['a', 'MIT', true],
    ['a', '(MIT OR GPL-3.0-only)', true],
    ['a', 'MIT AND GPL-3.0-only', false],
    ['a', 'GPL-3.0-only', false],
    ['a', 'OFL-1.1', false],
    ['@fontsource-variable/inter', 'OFL-1.1', true],
    ['a', 'SEE LICENSE IN LICENSE.md', false],
    ['a', '', false],
  ])('of %s, %s: %s', (name, expression, expected) => {
    expect(isAllowedLicence(name, expression)).toBe(expected);
  });

  it('of a tool are its own matter, of what runs they are not', () => {
    const packages = { 'node_modules/a': { license: 'GPL-3.0-only' } };
    expect(findForbiddenLicences(lockOf(packages))).toEqual(['node_modules/a: GPL-3.0-only']);
    expect(
      findForbiddenLicences(lockOf({ 'node_modules/a': { license: 'GPL-3.0-only', dev: true } })),
    ).toEqual([]);
  });
});

describe('P-10: the packages that run', () => {
  it('are few enough to know each, those for other systems not counted', () => {
    const direct = { ...manifest.dependencies, ...manifest.optionalDependencies };
    expect(Object.keys(direct).length).toBeLessThanOrEqual(48);
    const run = findRun(Object.keys(direct));
    const all = Object.entries(lock.packages).filter(([path, locked]) => {
      const { dev, devOptional, optional } = locked;
      return !dev && !devOptional && !optional && (path === '' || run.has(nameOf(path, locked)));
    });
    expect(all.length).toBeLessThanOrEqual(262);
  });
});

/**
 * What the protocol of assistants loads. The HTTP server that it brings besides is installed and never loaded: the rules of
 * imports and the command's own test see to that.
 */
const LOADED: Readonly<Record<string, readonly string[]>> = {
  '@modelcontextprotocol/sdk': ['ajv', 'ajv-formats', 'zod', 'zod-to-json-schema'],
};

/** The names of packages that others need, and of those that these need. */
function findRun(direct: readonly string[]): ReadonlySet<string> {
  const found = new Set(direct);
  for (const name of found) {
    for (const [path, locked] of Object.entries(lock.packages)) {
      const { dependencies = {} } = locked;
      // Under another name than its own, as the keychain's is.
      if (path === '' || !path.endsWith(`node_modules/${name}`)) continue;
      found.add(nameOf(path, locked));
      for (const next of LOADED[name] ?? Object.keys(dependencies)) found.add(next);
    }
  }
  return found;
}
