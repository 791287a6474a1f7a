import { hash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { AppError, type ErrorInfo, toErrorInfo } from '../../common/contract/errors.ts';
import { isPlainObject } from '../../common/json.ts';
import { Nullable } from '../../common/model/nullable.ts';
import {
  type FileFault,
  type KeptVersion,
  SHARED_KINDS,
  SharedChoice,
} from '../../common/model/shared/shared-work.ts';
import { findErrorCode } from '../../node/error-text.ts';
import {
  makePrivateFolder,
  removePatiently,
  replaceFile,
  tryToRemove,
  writeFileAtomically,
} from '../../node/files.ts';
import { readVersionedFile, writeJsonFile } from '../documents/json-file.ts';
import type { Logger } from '../logging/logger.ts';
import { type ReadFile, readItem, type SharedItem, writeMarker } from './item-text.ts';
import { toLabel } from './shared-kinds.ts';

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
type FolderScan =
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
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
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

const VERSION = 1;
const BaseEntry = Type.Object({
  digest: Type.String(),
  isConfirmed: Type.Boolean(),
  file: Type.String(),
});
const Link = Type.Object({
  version: Type.Literal(VERSION),
  choice: Nullable(SharedChoice),
  /** What both sides had last, by identity. */
  base: Type.Record(Type.String(), BaseEntry),
});
type Link = Static<typeof Link>;

/** The linked folder, and what both sides had when they were last the same. */
export interface LinkFile {
  read(): Omit<Link, 'version'>;
  save(link: Omit<Link, 'version'>): Promise<void>;
}

/**
 * Reads `shared-work/link.json` in the data folder. A damaged one is moved aside: then no folder is linked, and once one is,
 * versions that differ are shown as conflicts, and nothing counts as deleted.
 */
export async function openLinkFile(dataFolder: string, logger: Logger, now: () => number): Promise<LinkFile> {
  const folder = join(dataFolder, 'shared-work');
  makePrivateFolder(folder);
  const path = join(folder, 'link.json');
  const found = await readVersionedFile({
    path,
    version: VERSION,
    findVersion: (saved) =>
      isPlainObject(saved) && typeof saved['version'] === 'number' ? saved['version'] : null,
    now,
    onDamage: () => logger.error('the link to the shared folder was damaged'),
  });
  let link: Omit<Link, 'version'> = Check(Link, found?.saved) ? found.saved : { choice: null, base: {} };
  return {
    read: () => link,
    async save(next) {
      await writeJsonFile(path, { version: VERSION, choice: next.choice, base: next.base });
      link = next;
    },
  };
}

/** Returns what both sides had of what is linked as before: a connection that is another one now has nothing in common with it. */
export function keepMapped(
  {
    choice,
    base,
  }: { readonly choice: SharedChoice | null; readonly base: Record<string, Static<typeof BaseEntry>> },
  next: SharedChoice,
): Record<string, Static<typeof BaseEntry>> {
  const isAsBefore = (sharedId: string): boolean => {
    const find = (of: SharedChoice | null): string | undefined =>
      of?.connections.find((each) => each.sharedId === sharedId)?.connectionId;
    return find(choice) !== undefined && find(choice) === find(next);
  };
  return Object.fromEntries(
    Object.entries(base).filter(([identity]) => {
      const [, sharedId = ''] = identity.split('/', 2);
      return sharedId === '' || isAsBefore(sharedId);
    }),
  );
}

/** Versions that are kept; the oldest go first. */
const MAX_KEPT = 5_000;
const MAX_KEPT_BYTES = 500_000_000;
const NAME = /^(\d{10})\.(replaced|deleted|unreadable)\.(.+)$/u;

type Reason = KeptVersion['reason'];

/** Versions of shared items that were replaced or deleted by what came from elsewhere, each in a file of its own. */
export interface KeptVersions {
  /** Resolves once it is on the disk. The version that was kept last of a file isn't kept twice. */
  keep(file: string, reason: Reason, content: string | Uint8Array): Promise<void>;
  /** Newest first. */
  list(): Promise<KeptVersion[]>;
  count(): number;
  /** Throws `shared-work.not-kept`. */
  read(keptId: string): Promise<SharedItem>;
}

/** Opens the folder, in the data folder. Names are numbered: no clock decides which version is older. */
export async function openKeptVersions(dataFolder: string, logger: Logger): Promise<KeptVersions> {
  const folder = join(dataFolder, 'shared-work', 'kept');
  makePrivateFolder(folder);
  let names = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
  let next = Number(NAME.exec(names.at(-1) ?? '')?.[1] ?? 0) + 1;
  const lastOf = new Map<string, string>();

  async function prune(): Promise<void> {
    if (names.length <= MAX_KEPT && next % 100 !== 0) return;
    let bytes = 0;
    let count = 0;
    const over: string[] = [];
    for (const name of names.toReversed()) {
      bytes += (await stat(join(folder, name)).catch(() => ({ size: 0 }))).size;
      count += 1;
      if (count > MAX_KEPT || bytes > MAX_KEPT_BYTES) over.push(name);
    }
    for (const name of over)
      await tryToRemove(join(folder, name), (error) => logger.warn('kept version not removed', { error }));
    names = names.filter((name) => !over.includes(name));
  }

  return {
    async keep(file, reason, content) {
      const digest = hash('sha256', content, 'base64url');
      if (lastOf.get(file) === digest) return;
      const name = `${String(next).padStart(10, '0')}.${reason}.${basename(file)}`;
      next += 1;
      await writeFileAtomically(join(folder, name), content);
      names.push(name);
      lastOf.set(file, digest);
      await prune();
    },
    async list() {
      const kept: KeptVersion[] = [];
      for (const name of names.toReversed()) {
        const reason = NAME.exec(name)?.[2] as Reason;
        const text = await readFile(join(folder, name), 'utf8').catch(() => '');
        const read = readItem(text);
        const keptAtMs = Math.round((await stat(join(folder, name)).catch(() => ({ mtimeMs: 0 }))).mtimeMs);
        const item = read.is === 'item' ? read.item : null;
        kept.push({
          id: name,
          kind: item?.kind ?? null,
          label:
            item === null ? name.slice(name.indexOf('.', 11) + 1) : toLabel(item.kind, item.key, item.value),
          reason,
          keptAtMs,
          canRestore: item !== null,
        });
      }
      return kept;
    },
    count: () => names.length,
    async read(keptId) {
      const text = names.includes(keptId) ? await readFile(join(folder, keptId), 'utf8').catch(() => '') : '';
      const read = readItem(text);
      if (read.is === 'item') return read.item;
      throw new AppError('shared-work.not-kept', 'This version is not kept.', { keptId });
    },
  };
}
