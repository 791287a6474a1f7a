import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { tryToRemove, writeFileAtomically } from './files.ts';

// Apart from what speaks there: a start reads it before the built application, where no package is loaded.

/** Where the application of a data folder is reached, and what it wants to be told first. */
interface ControlPlace {
  /** Path of a socket, or of a named pipe under Windows. */
  readonly address: string;
  readonly token: string;
}

const FILE_NAME = 'control.json';
const TEMPORARY_PREFIX = 'channelscope-control-';
/** The shortest limit of a system is 104 bytes with the one that ends the path. */
const MAX_ADDRESS_BYTES = 100;

/** Reads where the application that holds a folder is reached; null where no file says it. */
export async function readControlPlace(folder: string): Promise<ControlPlace | null> {
  try {
    const value = JSON.parse(await readFile(join(folder, FILE_NAME), 'utf8')) as Partial<ControlPlace>;
    const { address, token } = value;
    return typeof address === 'string' && typeof token === 'string' ? { address, token } : null;
  } catch {
    return null;
  }
}

/** Writes it, for the owner only. */
export async function writeControlPlace(folder: string, place: ControlPlace): Promise<void> {
  await writeFileAtomically(join(folder, FILE_NAME), `${JSON.stringify(place)}\n`);
}

/**
 * Returns an address for the application that holds a folder: a socket in it, which only the owner may enter. Where the
 * path is too long for the system's sockets, a folder for the owner only among the temporary ones.
 */
export async function chooseControlAddress(folder: string): Promise<string> {
  if (process.platform === 'win32') return `\\\\.\\pipe\\channelscope-${randomBytes(16).toString('hex')}`;
  const own = join(folder, 'control.sock');
  if (Buffer.byteLength(own) <= MAX_ADDRESS_BYTES) return own;
  return join(await mkdtemp(join(tmpdir(), TEMPORARY_PREFIX)), 'control.sock');
}

/** Removes what an application left behind that holds its folder no longer. Never rejects. */
export async function removeControlPlace(folder: string): Promise<void> {
  const left = await readControlPlace(folder);
  await tryToRemove(join(folder, FILE_NAME), () => undefined);
  await tryToRemove(join(folder, 'control.sock'), () => undefined);
  if (left === null) return;
  const place = dirname(left.address);
  const isOwn = dirname(place) === tmpdir() && basename(place).startsWith(TEMPORARY_PREFIX);
  if (isOwn) await tryToRemove(place, () => undefined, { isFolder: true });
}
