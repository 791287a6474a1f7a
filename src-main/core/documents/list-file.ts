import { basename } from 'node:path';
import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { isPlainObject } from '../../common/json/is-plain-object.ts';
import type { Logger } from '../logging/logger.ts';
import { partFitting } from './fitting-entries.ts';
import { writeJsonFile, createSaveQueue, readVersionedFile } from './json-file.ts';

const VERSION = 1;

/** A list in a JSON file of the data folder. */
export interface ListFile<Entry> {
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
  const inTurn = createSaveQueue();
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
