import { hash, randomUUID } from 'node:crypto';
import { open, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { AppError, toErrorInfo, type ErrorInfo } from '../../common/contract/errors.ts';
import { SHARED_KINDS, type FileFault, type SharedChoice } from '../../common/model/shared/shared-work.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { removePatiently, tryToRemove } from '../../node/move-and-remove.ts';
import { replaceFile } from '../../node/write-file-atomically.ts';
import { readItem, type ReadFile, writeMarker } from './item-text.ts';

/** By this file a folder is known as one of shared work: without it nothing in it counts as deleted. */
const MARKER = 'channelscope-shared.json';
/** Folder of the descriptions of connections, beside one for each kind. */
export const CONNECTIONS_FOLDER = 'connections';
/** More than a table of the most rows needs. */
const MAX_FILE_BYTES = 64_000_000;
/** Clocks and file systems differ in what they say of a change: everything is read again after this time. */
const REREAD_EVERY_MS = 300_000;

/** A file below the folder, and what it holds. */
export interface FoundFile {
  /** Such as `alerts/errors--0123456789.json`. */
  readonly file: string;
  readonly read: ReadFile;
  /** Digest of its bytes; null where they could not be read. */
  readonly bytes: string | null;
}

/** `gone`: the folder isn't there. `empty`: it isn't one of shared work. */
export type FolderScan =
  | { readonly state: 'gone' }
  | { readonly state: 'empty' }
  | { readonly state: 'there'; readonly files: readonly FoundFile[] };

interface KnownFile {
  readonly stamp: string;
  readonly found: FoundFile;
  /** Read twice with the same stamp: a second change within one tick of a clock is not missed. */
  readonly isSettled: boolean;
}

/** A folder that Git or a synced drive carries. Other programs write to it at any moment. */
export interface SharedFolder {
  scan(): Promise<FolderScan>;
  /** Makes it a folder of shared work, where it isn't one. */
  mark(): Promise<void>;
  /**
   * Writes a file whose bytes are still those of a scan (null for none); false where they aren't, and nothing was written.
   * Whoever reads the folder meanwhile finds the old or the new file, whole.
   */
  write(file: string, before: string | null, text: string): Promise<boolean>;
  /** Removes a file whose bytes are still those of a scan; false where they aren't. */
  remove(file: string, before: string | null): Promise<boolean>;
  readBytes(file: string): Promise<Buffer>;
}

/** Opens a folder. Nothing is read or written before it is called for. */
export function openSharedFolder(folder: string, monotonicMs: () => number): SharedFolder {
  const known = new Map<string, KnownFile>();
  let readAllMs = monotonicMs();

  const readOne = async (file: string): Promise<FoundFile> => {
    const path = join(folder, file);
    const stamp = await toStamp(path);
    const before = known.get(file);
    if (before?.stamp === stamp && before.isSettled) return before.found;
    const found = await readFound(path, file);
    const isSettled = before?.stamp === stamp && before.found.bytes === found.bytes && found.bytes !== null;
    known.set(file, { stamp, found, isSettled });
    return found;
  };
  const digestNow = async (path: string): Promise<string | null> => {
    try {
      return toBytesDigest(await readFile(path));
    } catch (error) {
      if (findErrorCode(error) === 'ENOENT') return null;
      throw error;
    }
  };

  return {
    async scan() {
      const is = await stat(folder).catch(() => null);
      if (is === null || !is.isDirectory()) return { state: 'gone' };
      if (monotonicMs() - readAllMs > REREAD_EVERY_MS) {
        readAllMs = monotonicMs();
        known.clear();
      }
      const marker = await readOne(MARKER).catch(() => null);
      if (marker?.read.is !== 'marker') return { state: 'empty' };
      const files: FoundFile[] = [];
      for (const part of [...SHARED_KINDS, CONNECTIONS_FOLDER])
        for (const name of await listNames(join(folder, part))) files.push(await readOne(`${part}/${name}`));
      const listed = new Set([MARKER, ...files.map(({ file }) => file)]);
      for (const file of known.keys()) if (!listed.has(file)) known.delete(file);
      return { state: 'there', files };
    },
    async mark() {
      const path = join(folder, MARKER);
      if ((await digestNow(path)) === null) await writeWhole(path, writeMarker());
    },
    async write(file, before, text) {
      const path = join(folder, file);
      await mkdir(dirname(path), { recursive: true });
      return writeWhole(path, text, async () => (await digestNow(path)) === before);
    },
    async remove(file, before) {
      const path = join(folder, file);
      if ((await digestNow(path)) !== before) return false;
      await removePatiently(path);
      return true;
    },
    readBytes: (file) => readFile(join(folder, file)),
  };
}

/** Sync programs and Git put files of their own beside these. */
async function listNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (findErrorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
}

async function toStamp(path: string): Promise<string> {
  const is = await stat(path, { bigint: true }).catch(() => null);
  return is === null ? '' : [is.ino, is.size, is.mtimeNs, is.ctimeNs].join();
}

async function readFound(path: string, file: string): Promise<FoundFile> {
  const toFault = (fault: FileFault, bytes: string | null): FoundFile => ({
    file,
    read: { is: 'fault', fault },
    bytes,
  });
  try {
    if ((await stat(path)).size > MAX_FILE_BYTES) return toFault('foreign', null);
    const bytes = await readFile(path);
    const read = readItem(bytes.toString('utf8').replace(/^\uFEFF/u, ''));
    return { file, read, bytes: toBytesDigest(bytes) };
  } catch {
    // Another program has it open, or it went away since it was listed: the next look says which.
    return toFault('unreadable', null);
  }
}

function toBytesDigest(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64url');
}

/** Under a name that nobody else uses, and that no reader of the folder looks at. False where `isFree` says no at the end. */
async function writeWhole(
  path: string,
  text: string,
  isFree: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<boolean> {
  const unfinished = join(dirname(path), `.${randomUUID()}.tmp`);
  try {
    const handle = await open(unfinished, 'wx');
    await handle.writeFile(text).finally(() => handle.close());
    if (!(await isFree())) return false;
    await replaceFile(unfinished, path);
    return true;
  } finally {
    await tryToRemove(unfinished, () => undefined);
  }
}

/** Throws `shared-work.folder-unfit`, and `app.invalid-input` for a connection that is named twice. */
export function requireSound({ folder, connections }: SharedChoice, dataFolder: string): void {
  const hasTwice = (values: readonly string[]): boolean => new Set(values).size < values.length;
  if (
    hasTwice(connections.map(({ connectionId }) => connectionId)) ||
    hasTwice(connections.map(({ sharedId }) => sharedId))
  )
    throw new AppError('app.invalid-input', 'A connection is named twice.', { field: 'connections' });
  if (!isAbsolute(folder)) throw toUnfit(folder, 'relative');
  const way = relative(dataFolder, folder);
  if (!way.startsWith('..') && !isAbsolute(way)) throw toUnfit(folder, 'inside');
  if (!existsSync(folder)) throw toUnfit(folder, 'no-folder');
}

/** Why a folder can't be linked, exported to or imported from. */
export function toUnfit(folder: string, fault: string, cause?: unknown): AppError {
  const system = cause instanceof Error ? cause.message : '';
  return new AppError(
    'shared-work.folder-unfit',
    `${folder} can't be used: ${fault}.`,
    { folder, fault, system },
    cause,
  );
}

/** Returns what a look at a folder failed by. */
export function toFolderError(error: unknown, folder: string): ErrorInfo {
  const isSystem = typeof (error as NodeJS.ErrnoException | null)?.code === 'string';
  return toErrorInfo(
    isSystem && !(error instanceof AppError) ? toUnfit(folder, 'not-readable', error) : error,
  );
}
