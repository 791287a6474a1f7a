import { basename, join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { isPlainObject } from '../../common/json/is-plain-object.ts';
import { Connection, type SetAsideConnections } from '../../common/model/connections/connection.ts';
import { ValueNames } from '../../common/model/records/value-name.ts';
import { isTimeZone } from '../../common/time/time-zones.ts';
import { partFitting, readEntries, type UnfitEntry } from '../documents/fitting-entries.ts';
import { writeJsonFile, readVersionedFile } from '../documents/json-file.ts';
import type { Logger } from '../logging/logger.ts';

/** Reads and writes the list of saved connections. */
export interface ConnectionFile {
  load(): Promise<readonly SavedConnection[]>;
  /** Writes the list, and with it whatever is set aside. Returns what is in use from now on. One call at a time. */
  save(connections: readonly SavedConnection[]): Promise<readonly SavedConnection[]>;
  /** What is saved and can't be used. */
  listSetAside(): SetAsideConnections;
}

const FILE_NAME = 'connections.json';
const MAX_NAME_CHARACTERS = 80;

/**
 * The list is in `connections.json`. Entries that don't fit stay in it, apart from the others; a file of another
 * version is copied before it is first written, and one that is no list of connections is moved aside.
 */
export function createConnectionFile(folder: string, now: () => number, logger: Logger): ConnectionFile {
  const path = join(folder, FILE_NAME);
  let setAside: readonly UnfitEntry[] = [];
  let keptFile: string | null = null;

  return {
    load: async () => {
      const found = await readVersionedFile({
        path,
        version: DOCUMENT_VERSION,
        findVersion: findDocumentVersion,
        now,
        onDamage: (keptAs) => {
          keptFile = basename(keptAs);
          logger.error('connections damaged', { keptAs: keptFile });
        },
      });
      if (found === null) return [];
      const read = readDocument(found.saved, found.version);
      setAside = read.setAside;
      if (setAside.length > 0) {
        logger.error('connections set aside', { count: setAside.length, version: found.version });
      }
      return read.connections;
    },
    save: async (connections) => {
      const { fitting, unfit } = partFitting(SavedConnection, connections, hasKnownZone);
      const aside = [...setAside, ...unfit.map((entry) => ({ version: DOCUMENT_VERSION, entry }))];
      await writeJsonFile(path, toDocument({ connections: fitting, setAside: aside }));
      setAside = aside;
      if (unfit.length > 0) logger.error('connections set aside', { count: unfit.length });
      return fitting;
    },
    listSetAside: () => ({ names: setAside.map(toName), fileName: FILE_NAME, keptFile }),
  };
}

/** What a person may know an entry by; empty where it has neither a name nor an address. */
function toName({ entry }: UnfitEntry): string {
  const { name, baseAddress } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  const texts = [name, baseAddress].filter((text) => typeof text === 'string');
  return (texts.find((text) => text.trim() !== '') ?? '').slice(0, MAX_NAME_CHARACTERS);
}

/** A connection as it is saved: everything but where its secrets are, and never a secret. */
export const SavedConnection = Type.Omit(Connection, ['secrets']);
export type SavedConnection = Static<typeof SavedConnection>;

/** What `connections.json` holds: what is in use, and what this version can't use and keeps as it is. */
interface ConnectionDocument {
  readonly connections: readonly SavedConnection[];
  readonly setAside: readonly UnfitEntry[];
}

type Entry = Readonly<Record<string, unknown>>;

/** The version that is written. */
const DOCUMENT_VERSION = 1;

/** Returns the version of a document as it was read, or null for something else. */
function findDocumentVersion(saved: unknown): number | null {
  if (!isPlainObject(saved) || !Array.isArray(saved['connections'])) return null;
  const version = saved['version'];
  return typeof version === 'number' && Number.isInteger(version) && version >= 1 ? version : null;
}

/**
 * Reads a document of any version: whatever doesn't fit is set aside as it was found. What was set aside before is
 * tried again.
 */
function readDocument(saved: unknown, version: number): ConnectionDocument {
  const { connections, setAside } = isPlainObject(saved) ? saved : {};
  const read = readEntries(
    SavedConnection,
    { version, entries: connections, setAside },
    { trim: withoutUnfitNames, isUsable: hasKnownZone },
  );
  return { connections: read.entries, setAside: read.setAside };
}

/** Returns the document as it is written. */
function toDocument({ connections, setAside }: ConnectionDocument): object {
  return { version: DOCUMENT_VERSION, connections, ...(setAside.length === 0 ? {} : { setAside }) };
}

/** Every date of a connection needs its zone: one that this computer doesn't know can't be used. */
function hasKnownZone({ serviceZone }: SavedConnection): boolean {
  return isTimeZone(serviceZone);
}

/** Names that don't fit are dropped; the connection itself can still be used. */
function withoutUnfitNames(entry: Entry): Entry {
  if (!('names' in entry)) return entry;
  const { names, ...rest } = entry;
  return Value.Check(ValueNames, names) ? entry : rest;
}
