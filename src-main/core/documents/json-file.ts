import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Static, TSchema } from 'typebox';
import { Check, Value } from 'typebox/value';
import { AppError } from '../../common/contract/errors.ts';
import { isPlainObject } from '../../common/json.ts';
import { isFolderGone } from '../../node/claim-folder.ts';
import { movePatiently, retryWhileHeld, writeFileAtomically } from '../../node/files.ts';
import { createWorkQueue } from '../../node/gate.ts';
import type { Logger } from '../logging/logger.ts';

/** A document that could not be read as JSON; its file stays as it is. */
class DamagedDocument extends Error {
  override readonly name = 'DamagedDocument';
}

/** Reads a JSON document; undefined when there is none. Throws DamagedDocument when it is not JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await retryWhileHeld({ path, action: 'open' }, () => readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new DamagedDocument(`Not JSON: ${path}`, { cause: error });
  }
}

/**
 * Writes a JSON document so that a crash leaves either the old or the new one, readable by its owner only. Throws
 * `cache.folder-gone` where the data folder was removed or replaced: what is written there is lost, or somebody else's.
 */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  if (isFolderGone(path)) throw new AppError('cache.folder-gone', 'The data folder is gone.', { file: path });
  await writeFileAtomically(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Reads a document; a damaged one is moved aside, never deleted, and counts as none. */
export async function readJsonFileOrKeepAside(
  path: string,
  nowMs: number,
  tell: (keptAs: string) => void,
): Promise<unknown> {
  try {
    return await readJsonFile(path);
  } catch (error) {
    if (!(error instanceof DamagedDocument)) throw error;
    tell(await keepAside(path, nowMs));
    return undefined;
  }
}

/** Moves a file that can't be used aside; returns its new path. */
export async function keepAside(path: string, nowMs: number): Promise<string> {
  const keptAs = `${path}.damaged-${String(nowMs)}`;
  await movePatiently(path, keptAs);
  return keptAs;
}

/** A document as it was saved, and the version that wrote it. */
interface VersionedDocument {
  readonly saved: unknown;
  readonly version: number;
}

interface VersionedFile {
  readonly path: string;
  /** The version that is written now. */
  readonly version: number;
  /** Returns the version of what was read; null for anything but such a document. */
  findVersion(saved: unknown): number | null;
  now(): number;
  /** Called with the new path of a file that can't be used and was moved aside. */
  onDamage(keptAs: string): void;
}

/**
 * Reads a document that other versions of the application may have written; null where there is none to use. A file of
 * another version is copied to `<path>.v<version>.backup`, because the next save replaces it. A file that is damaged,
 * or no such document, is moved aside.
 */
export async function readVersionedFile(file: VersionedFile): Promise<VersionedDocument | null> {
  const { path } = file;
  const saved = await readJsonFileOrKeepAside(path, file.now(), file.onDamage);
  if (saved === undefined) return null;
  const version = file.findVersion(saved);
  if (version === null) {
    file.onDamage(await keepAside(path, file.now()));
    return null;
  }
  if (version !== file.version) {
    const before = await retryWhileHeld({ path, action: 'open' }, () => readFile(path));
    await writeFileAtomically(`${path}.v${String(version)}.backup`, before);
  }
  return { saved, version };
}

const VERSION = 1;

/** A list in a JSON file of the data folder. */
interface ListFile<Entry> {
  readonly entries: readonly Entry[];
  /**
   * Writes the list; one save after the other. What doesn't fit, now or when the file was read, stays in it. Returns those
   * of the entries that don't fit: they are in no use.
   */
  save(entries: readonly Entry[]): Promise<readonly Entry[]>;
}

/**
 * Reads a list, entry by entry: one that does not fit stays in the file and is not used. A file that is no such list is
 * moved aside; one of another version is copied before it is written over.
 */
export async function openListFile<Schema extends TSchema>(options: {
  readonly path: string;
  readonly schema: Schema;
  readonly logger: Logger;
  now(): number;
  /** What the file calls its list; `entries` unless it is older than the others. */
  readonly key?: string;
}): Promise<ListFile<Static<Schema>>> {
  const { path, schema, logger, now, key = 'entries' } = options;
  const file = basename(path);
  const found = await readVersionedFile({
    path,
    version: VERSION,
    findVersion: (saved) => (findList(saved, key) === null ? null : findVersion(saved)),
    now,
    onDamage: (keptAs) => logger.error('a list was damaged', { file, keptAs: basename(keptAs) }),
  });
  const entries: Static<Schema>[] = [];
  const unfit: unknown[] = [];
  for (const entry of findList(found?.saved, key) ?? []) {
    if (Check(schema, entry)) entries.push(entry);
    else unfit.push(entry);
  }
  if (unfit.length > 0) logger.warn('entries of a list are set aside', { file, count: unfit.length });
  const inTurn = createWorkQueue();
  return {
    entries,
    save: (list) =>
      inTurn(async () => {
        const parted = partFitting(schema, list);
        await writeJsonFile(path, {
          version: VERSION,
          [key]: [...parted.fitting, ...unfit, ...parted.unfit],
        });
        unfit.push(...parted.unfit);
        const count = parted.unfit.length;
        if (count > 0) logger.error('entries of a list are set aside', { file, count });
        return parted.unfit;
      }),
  };
}

function findVersion(saved: unknown): number | null {
  const version = isPlainObject(saved) ? saved['version'] : null;
  return typeof version === 'number' ? version : null;
}

function findList(saved: unknown, key: string): readonly unknown[] | null {
  const list = isPlainObject(saved) ? saved[key] : null;
  return Array.isArray(list) ? list : null;
}

/** An entry of a list that can't be used, as it was found in a document of `version`. */
export interface UnfitEntry {
  readonly version: number;
  readonly entry: unknown;
}

/** The entries of a document: those in use, and those that this version keeps as they are. */
interface ReadEntries<Entry> {
  readonly entries: Entry[];
  readonly setAside: UnfitEntry[];
}

/** Leaves out of an entry what it can do without. */
type Trim = (entry: Readonly<Record<string, unknown>>) => unknown;

/** Says what a schema can't say of an entry that fits it. */
type IsUsable<Entry> = (entry: Entry) => boolean;

/** Parts entries that are about to be written by whether they could be read again: those that couldn't are in no use. */
export function partFitting<Schema extends TSchema>(
  schema: Schema,
  entries: readonly Static<Schema>[],
  isUsable: IsUsable<Static<Schema>> = () => true,
): { readonly fitting: readonly Static<Schema>[]; readonly unfit: readonly Static<Schema>[] } {
  const fitting: Static<Schema>[] = [];
  const unfit: Static<Schema>[] = [];
  for (const entry of entries) {
    const written: unknown = JSON.parse(JSON.stringify(entry));
    if (Value.Check(schema, written) && isUsable(written)) fitting.push(entry);
    else unfit.push(entry);
  }
  return { fitting, unfit };
}

/** Returns the entries of a list that fit a schema; none where it is no list. */
export function keepFitting<Schema extends TSchema>(schema: Schema, list: unknown): Static<Schema>[] {
  return toList(list).filter((entry): entry is Static<Schema> => Value.Check(schema, entry));
}

/**
 * Reads the entries of a document of `version`, and tries again what was set aside before. An entry that
 * doesn't fit, or has the id of an earlier one, is set aside as it was found.
 */
export function readEntries<Schema extends TSchema>(
  schema: Schema,
  found: { readonly version: number; readonly entries: unknown; readonly setAside: unknown },
  {
    trim = (entry) => entry,
    isUsable = () => true,
  }: { trim?: Trim; isUsable?: IsUsable<Static<Schema>> } = {},
): ReadEntries<Static<Schema>> {
  const entries: Static<Schema>[] = [];
  const setAside: UnfitEntry[] = [];
  const ids = new Set<unknown>();
  const read = (unread: UnfitEntry): void => {
    const { entry } = unread;
    const trimmed = isPlainObject(entry) ? trim(entry) : entry;
    const id = isPlainObject(trimmed) ? trimmed['id'] : undefined;
    if (ids.has(id) || !Value.Check(schema, trimmed) || !isUsable(trimmed)) {
      setAside.push(unread);
      return;
    }
    ids.add(id);
    entries.push(trimmed);
  };
  for (const entry of toList(found.entries)) read({ version: found.version, entry });
  for (const kept of toList(found.setAside)) {
    const own = isPlainObject(kept) && typeof kept['version'] === 'number' ? kept['version'] : null;
    if (own === null) read({ version: found.version, entry: kept });
    else read({ version: own, entry: (kept as Partial<UnfitEntry>).entry });
  }
  return { entries, setAside };
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
