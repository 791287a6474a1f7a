import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { isPlainObject } from '../../common/json/is-plain-object.ts';
import { Connection } from '../../common/model/connections/connection.ts';
import { ValueNames } from '../../common/model/records/value-name.ts';
import { toOrigin } from '../../common/reporting/base-address.ts';
import { readEntries, type UnfitEntry } from '../documents/fitting-entries.ts';

/** A connection as it is saved: everything but where its secrets are, and never a secret. */
export const SavedConnection = Type.Omit(Connection, ['secrets']);
export type SavedConnection = Static<typeof SavedConnection>;

/** What `connections.json` holds: what is in use, and what this version can't use and keeps as it is. */
export interface ConnectionDocument {
  readonly connections: readonly SavedConnection[];
  readonly setAside: readonly UnfitEntry[];
}

type Entry = Readonly<Record<string, unknown>>;

/** Each takes an entry from its version to the next, the first one from version 1; append-only. */
const UPGRADES: readonly ((entry: Entry) => Entry)[] = [
  // A bare list became a document; its entries are the same.
  (entry) => entry,
  // Secrets belong to the address that they were saved with.
  (entry) => {
    const { baseAddress, secretsOrigin } = entry;
    if (typeof baseAddress !== 'string' || secretsOrigin !== undefined) return entry;
    return { ...entry, secretsOrigin: toOrigin(baseAddress) };
  },
];

/** The version that is written. */
export const DOCUMENT_VERSION = UPGRADES.length + 1;

/** Returns the version of a document as it was read, 1 for a bare list, or null for something else. */
export function findDocumentVersion(saved: unknown): number | null {
  if (Array.isArray(saved)) return 1;
  if (!isPlainObject(saved) || !Array.isArray(saved['connections'])) return null;
  const version = saved['version'];
  return typeof version === 'number' && Number.isInteger(version) && version > 1 ? version : null;
}

/**
 * Reads a document of any version: older entries are upgraded, and whatever doesn't fit is set aside as it was
 * found. What an earlier version set aside is tried again.
 */
export function readDocument(saved: unknown, version: number): ConnectionDocument {
  const { connections, setAside } = isPlainObject(saved) ? saved : { connections: saved };
  const read = readEntries(SavedConnection, { version, entries: connections, setAside }, upgrade);
  return { connections: read.entries, setAside: read.setAside };
}

/** Returns the document as it is written. */
export function toDocument({ connections, setAside }: ConnectionDocument): object {
  return { version: DOCUMENT_VERSION, connections, ...(setAside.length === 0 ? {} : { setAside }) };
}

function upgrade(entry: Entry, version: number): Entry {
  return UPGRADES.slice(version - 1).reduce((known, step) => step(known), withoutUnfitNames(entry));
}

/** Names that don't fit are dropped; the connection itself can still be used. */
function withoutUnfitNames(entry: Entry): Entry {
  if (!('names' in entry)) return entry;
  const { names, ...rest } = entry;
  return Value.Check(ValueNames, names) ? entry : rest;
}
