import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { isPlainObject } from '../../common/json/is-plain-object.ts';
import { Connection } from '../../common/model/connections/connection.ts';
import { ValueNames } from '../../common/model/records/value-name.ts';
import { isTimeZone } from '../../common/time/time-zones.ts';
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

/** The version that is written. */
export const DOCUMENT_VERSION = 1;

/** Returns the version of a document as it was read, or null for something else. */
export function findDocumentVersion(saved: unknown): number | null {
  if (!isPlainObject(saved) || !Array.isArray(saved['connections'])) return null;
  const version = saved['version'];
  return typeof version === 'number' && Number.isInteger(version) && version >= 1 ? version : null;
}

/**
 * Reads a document of any version: whatever doesn't fit is set aside as it was found. What was set aside before is
 * tried again.
 */
export function readDocument(saved: unknown, version: number): ConnectionDocument {
  const { connections, setAside } = isPlainObject(saved) ? saved : {};
  const read = readEntries(
    SavedConnection,
    { version, entries: connections, setAside },
    { trim: withoutUnfitNames, isUsable: hasKnownZone },
  );
  return { connections: read.entries, setAside: read.setAside };
}

/** Returns the document as it is written. */
export function toDocument({ connections, setAside }: ConnectionDocument): object {
  return { version: DOCUMENT_VERSION, connections, ...(setAside.length === 0 ? {} : { setAside }) };
}

/** Every date of a connection needs its zone: one that this computer doesn't know can't be used. */
export function hasKnownZone({ serviceZone }: SavedConnection): boolean {
  return isTimeZone(serviceZone);
}

/** Names that don't fit are dropped; the connection itself can still be used. */
function withoutUnfitNames(entry: Entry): Entry {
  if (!('names' in entry)) return entry;
  const { names, ...rest } = entry;
  return Value.Check(ValueNames, names) ? entry : rest;
}
