import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { Nullable } from '../../common/model/nullable.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { makePrivateFolder } from '../../node/private-files.ts';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';

/** In the standard folder, whichever folder is in use. */
export const LOCATION_FILE = 'data-folder.json';
/** In a folder that was moved to: it tells that folder from the empty place of a disk that is not there. */
export const ID_FILE = 'data-folder.id';

/** What lies in a folder that everything was copied from or to: names of its top level. */
const Copied = Type.Object({ folder: Type.String(), names: Type.Array(Type.String()) });
export type Copied = Static<typeof Copied>;

const Location = Type.Object({
  version: Type.Literal(1),
  /** The folder that a person moved everything to, with what its `data-folder.id` holds; null for the standard one. */
  chosen: Nullable(Type.Object({ folder: Type.String(), id: Type.String() })),
  /** The folder that was in use before, which stays until the person deletes it. */
  previous: Nullable(Type.Object({ ...Copied.properties, leftAtMs: Type.Integer() })),
  /** A copy that began and did not end. */
  unfinished: Nullable(Copied),
});
export type Location = Static<typeof Location>;

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
  if (!Value.Check(Location, location)) {
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
