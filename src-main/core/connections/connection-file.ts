import { basename, join } from 'node:path';
import type { SetAsideConnections } from '../../common/model/connections/connection.ts';
import { partFitting, type UnfitEntry } from '../documents/fitting-entries.ts';
import { writeJsonFile } from '../documents/json-file.ts';
import { readVersionedFile } from '../documents/versioned-file.ts';
import type { Logger } from '../logging/logger.ts';
import {
  DOCUMENT_VERSION,
  findDocumentVersion,
  hasKnownZone,
  readDocument,
  SavedConnection,
  toDocument,
} from './connection-document.ts';

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
