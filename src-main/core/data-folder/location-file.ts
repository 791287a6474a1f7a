import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from '../../common/json/is-plain-object.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { makePrivateFolder } from '../../node/private-files.ts';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';

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
export interface Location {
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
export function hasId(folder: string, id: string): boolean {
  try {
    return readFileSync(join(folder, ID_FILE), 'utf8').trim() === id;
  } catch {
    return false;
  }
}
