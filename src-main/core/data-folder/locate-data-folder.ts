import { readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join, posix, win32 } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import { isPlainObject } from '../../common/json.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { makePrivateFolder, PRIVATE_FOLDER_MODE, writeFileAtomically } from '../../node/files.ts';

/** Where a person's data are, as found at the start. */
export interface DataLocation {
  /** Absolute path of the folder in use. */
  readonly folder: string;
  /** The standard folder of this person, which keeps what was chosen. */
  readonly defaultFolder: string;
  /** Who chose the folder: the option `--data` at the start, the person in the settings, or nobody. */
  readonly chosenBy: 'start' | 'person' | 'default';
  /** The folder that the person chose and that is not there; `folder` is the standard one then. */
  readonly missingFolder: string | null;
}

/**
 * Finds the data folder: the one that was given at the start, else the one that the person moved everything to, else
 * the standard one. With `missingFolder` set, a host must ask before it goes on with the standard folder. Throws an
 * Error where what was chosen can't be read.
 */
export function locateDataFolder(defaultFolder: string, given: string | null): DataLocation {
  const found = { defaultFolder, missingFolder: null };
  if (given !== null) return { ...found, folder: given, chosenBy: 'start' };
  const { chosen } = readLocation(defaultFolder);
  if (chosen === null) return { ...found, folder: defaultFolder, chosenBy: 'default' };
  if (hasId(chosen.folder, chosen.id)) return { ...found, folder: chosen.folder, chosenBy: 'person' };
  return { folder: defaultFolder, defaultFolder, chosenBy: 'default', missingFolder: chosen.folder };
}

/** What a person whose folder is missing is told, where there is no window yet. */
export function describeMissingFolder({ missingFolder, defaultFolder }: DataLocation): string {
  return `The data folder isn't there: ${missingFolder ?? ''}. Connect its disk and start again, or use the standard folder with --data "${defaultFolder}".`;
}

/** In the standard folder, whichever folder is in use. */
export const LOCATION_FILE = 'data-folder.json';
/** In a folder that was moved to: it tells that folder from the empty place of a disk that is not there. */
export const ID_FILE = 'data-folder.id';

/** What lies in a folder that everything was copied from or to: names of its top level. */
export interface Copied {
  readonly folder: string;
  readonly names: string[];
}

/** Checked by hand: whatever starts the application reads it first, and a library for it would double the start. */
interface Location {
  readonly version: 1;
  /** The folder that a person moved everything to, with what its `data-folder.id` holds; null for the standard one. */
  readonly chosen: { readonly folder: string; readonly id: string } | null;
  /** The folder that was in use before, which stays until the person deletes it. */
  readonly previous: (Copied & { readonly leftAtMs: number }) | null;
  /** A copy that began and did not end. */
  readonly unfinished: Copied | null;
}

const NOTHING_CHOSEN: Location = { version: 1, chosen: null, previous: null, unfinished: null };

/**
 * Reads which folder holds a person's data. Throws an Error for a file that can't be read: whoever went on without it
 * would start with an empty folder and not say so.
 */
export function readLocation(defaultFolder: string): Location {
  const path = join(defaultFolder, LOCATION_FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(findErrorCode(error) ?? '')) return NOTHING_CHOSEN;
    throw error;
  }
  const location = parse(text);
  if (!isLocation(location)) {
    throw new Error(
      `${path} should say where the data folder is, and can't be read by this version. Without it, ${defaultFolder} is used.`,
    );
  }
  return location;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isLocation(value: unknown): value is Location {
  if (!isPlainObject(value)) return false;
  const { version, chosen, previous, unfinished } = value;
  return (
    version === 1 &&
    (chosen === null || isChosen(chosen)) &&
    (previous === null ||
      (isCopied(previous) && 'leftAtMs' in previous && Number.isSafeInteger(previous.leftAtMs))) &&
    (unfinished === null || isCopied(unfinished))
  );
}

function isChosen(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { folder, id } = value;
  return typeof folder === 'string' && typeof id === 'string';
}

function isCopied(value: unknown): value is Copied {
  if (!isPlainObject(value)) return false;
  const { folder, names } = value;
  return (
    typeof folder === 'string' && Array.isArray(names) && names.every((name) => typeof name === 'string')
  );
}

/** Writes it in one step, also where the standard folder isn't there yet. */
export async function writeLocation(defaultFolder: string, location: Location): Promise<void> {
  makePrivateFolder(defaultFolder);
  await writeFileAtomically(join(defaultFolder, LOCATION_FILE), `${JSON.stringify(location, null, 2)}\n`);
}

/** True for a folder with this mark. */
function hasId(folder: string, id: string): boolean {
  try {
    return readFileSync(join(folder, ID_FILE), 'utf8').trim() === id;
  } catch {
    return false;
  }
}

export type HostPlatform = 'macos' | 'windows' | 'linux';

/** The platform as the contract names it; every other Unix is treated as Linux. */
export function toHostPlatform(platform: NodeJS.Platform): HostPlatform {
  if (platform === 'darwin') return 'macos';
  return platform === 'win32' ? 'windows' : 'linux';
}

/** The default data folder of a user; the same for both hosts. */
export function findStandardFolder(
  platform: HostPlatform,
  home: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (platform === 'macos') return posix.join(home, 'Library', 'Application Support', 'Channelscope');
  if (platform === 'windows') {
    return win32.join(environment['LOCALAPPDATA'] ?? win32.join(home, 'AppData', 'Local'), 'Channelscope');
  }
  const base = environment['XDG_DATA_HOME'] ?? '';
  // The XDG specification: a path that is not absolute is to be ignored.
  return posix.join(posix.isAbsolute(base) ? base : posix.join(home, '.local', 'share'), 'channelscope');
}

/** What the system answers where a folder can't be made, or isn't the person's to write to. */
const UNWRITABLE = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'EEXIST']);

/**
 * Creates the folder and closes it to all users but its owner, also one that exists. Throws AppError `cache.read-only`
 * where it can't be written to.
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    makePrivateFolder(folder);
    await chmod(folder, PRIVATE_FOLDER_MODE);
  } catch (error) {
    if (!UNWRITABLE.has(findErrorCode(error) ?? '')) throw error;
    const message = `Channelscope can't write to the folder ${folder}. Make it writable, or name another one with --data.`;
    throw new AppError('cache.read-only', message, { folder }, error);
  }
}
