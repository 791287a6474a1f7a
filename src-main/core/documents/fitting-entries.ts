import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { isPlainObject } from '../../common/json/is-plain-object.ts';

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
