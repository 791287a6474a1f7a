import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Notice } from '../../common/model/notice.ts';

/** The last package in a path: what is nested in another package is one of its own. */
const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//u;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice|copyright|ofl)(?:[.-].*)?$/iu;

/** Returns the folders of the packages that modules come from, by the modules' paths. */
export function findPackageFolders(modules: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const module of modules) {
    const path = module.replace(/^\0+/u, '').replaceAll('\\', '/').split('?')[0] ?? '';
    const folder = PACKAGE.exec(path)?.[1];
    if (folder !== undefined && existsSync(join(folder, 'package.json'))) folders.add(folder);
  }
  return [...folders].toSorted();
}

interface Description {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Returns what a package says of its licence. Throws for one that names none: it may not be passed on. */
export function readNotice(folder: string): Notice {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Description;
  if (license === undefined) throw new Error(`${name} ${version} names no licence.`);
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  return { name, version, licence: license, text: texts.join('\n\n') };
}

/** Joins notices of several bundles: each package and version once, by name. */
export function joinNotices(lists: readonly (readonly Notice[])[]): Notice[] {
  const known = new Map(lists.flat().map((notice) => [`${notice.name}@${notice.version}`, notice]));
  return [...known].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, notice]) => notice);
}
