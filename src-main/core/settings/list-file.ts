import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { retryWhileHeld } from '../../node/retry-while-held.ts';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';
import type { Logger } from '../logging/logger.ts';
import { keepAside, readJsonFileOrKeepAside, writeJsonFile } from './json-file.ts';
import { createSaveQueue } from './save-queue.ts';

const VERSION = 1;

/** A list in a JSON file of the data folder. */
export interface ListFile<Entry> {
  readonly entries: readonly Entry[];
  /** Writes the list; one save after the other. What did not fit when the file was read stays in it. */
  save(entries: readonly Entry[]): Promise<void>;
}

/**
 * Reads a list, entry by entry: one that does not fit stays in the file and is not used. A file that is no such list is
 * moved aside; one of a later version is copied before it is written over.
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
  const tellDamage = (keptAs: string): void =>
    logger.error('a list was damaged', { file, keptAs: basename(keptAs) });
  const saved = await readJsonFileOrKeepAside(path, now(), tellDamage);
  const found = findEntries(saved, key);
  if (saved !== undefined && found === null) tellDamage(await keepAside(path, now()));
  if (found !== null && found.version > VERSION) {
    const before = await retryWhileHeld({ path, action: 'open' }, () => readFile(path));
    await writeFileAtomically(`${path}.v${String(found.version)}.backup`, before);
  }
  const entries: Static<Schema>[] = [];
  const unfit: unknown[] = [];
  for (const entry of found?.entries ?? []) {
    if (Check(schema, entry)) entries.push(entry);
    else unfit.push(entry);
  }
  if (unfit.length > 0) logger.warn('entries of a list are set aside', { file, count: unfit.length });
  const inTurn = createSaveQueue();
  return {
    entries,
    save: (list) => inTurn(() => writeJsonFile(path, { version: VERSION, [key]: [...list, ...unfit] })),
  };
}

function findEntries(
  saved: unknown,
  key: string,
): { readonly version: number; readonly entries: unknown[] } | null {
  if (typeof saved !== 'object' || saved === null) return null;
  const { version, [key]: entries } = saved as Readonly<Record<string, unknown>>;
  return typeof version === 'number' && Array.isArray(entries) ? { version, entries } : null;
}
