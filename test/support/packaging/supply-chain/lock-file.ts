import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of the lock file, by its place below the project. */
export interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  /** Needed by a tool, and by what runs only where it wants to be. */
  readonly devOptional?: boolean;
  /** For one system, or for a part that may be missing. */
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface Manifest {
  readonly allowScripts?: Readonly<Record<string, boolean>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
}

/** The name under which the registry has a package; an alias has another place. */
export function nameOf(place: string, locked: LockedPackage): string {
  return locked.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

const EXACT = /^(?:npm:@?[\w./-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/u;

/** Returns what keeps an installation from being what was committed, byte for byte; empty where nothing does. */
export function findLockFaults(lock: Lock, manifest: Manifest): string[] {
  const faults: string[] = [];
  if (lock.lockfileVersion !== 3) faults.push(`the lock file has version ${lock.lockfileVersion}`);
  for (const [place, locked] of Object.entries(lock.packages)) {
    if (place === '') continue;
    const name = nameOf(place, locked);
    if (locked.link === true) faults.push(`${place} is a link`);
    if (!/^sha512-[\w+/]{86}==$/u.test(locked.integrity ?? '')) faults.push(`${place} has no integrity`);
    // Whatever the registry is called where it is installed, it is the one that npm is set to.
    if (locked.resolved !== undefined) faults.push(`${place} names where it comes from`);
    if (locked.hasInstallScript === true && manifest.allowScripts?.[name] === undefined) {
      faults.push(`${place} has an install script that nobody answered for`);
    }
  }
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  for (const [name, version] of Object.entries({
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies,
  })) {
    if (!EXACT.test(version)) faults.push(`${name} is not pinned: ${version}`);
  }
  return faults;
}
