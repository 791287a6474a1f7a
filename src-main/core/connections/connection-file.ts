import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { SetAsideConnections } from '../../common/model/connections/connection.ts';
import { retryWhileHeld } from '../../node/retry-while-held.ts';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';
import type { Logger } from '../logging/logger.ts';
import { keepAside, readJsonFileOrKeepAside, writeJsonFile } from '../settings/json-file.ts';
import {
  DOCUMENT_VERSION,
  findDocumentVersion,
  readDocument,
  toDocument,
  type SavedConnection,
  type SetAsideEntry,
} from './connection-document.ts';

/** Reads and writes the list of saved connections. */
export interface ConnectionFile {
  load(): Promise<readonly SavedConnection[]>;
  /** Writes the list, and with it whatever was set aside. One call at a time. */
  save(connections: readonly SavedConnection[]): Promise<void>;
  /** What was saved and can't be used, as found by `load`. */
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
  let setAside: readonly SetAsideEntry[] = [];
  let keptFile: string | null = null;

  const noteDamage = (keptAs: string): void => {
    keptFile = basename(keptAs);
    logger.error('connections damaged', { keptAs: keptFile });
  };
  return {
    load: async () => {
      const saved = await readJsonFileOrKeepAside(path, now(), noteDamage);
      if (saved === undefined) return [];
      const version = findDocumentVersion(saved);
      if (version === null) {
        noteDamage(await keepAside(path, now()));
        return [];
      }
      if (version !== DOCUMENT_VERSION) {
        const before = await retryWhileHeld({ path, action: 'open' }, () => readFile(path));
        await writeFileAtomically(`${path}.v${String(version)}.backup`, before);
      }
      const read = readDocument(saved, version);
      setAside = read.setAside;
      if (setAside.length > 0) logger.error('connections set aside', { count: setAside.length, version });
      return read.connections;
    },
    save: (connections) => writeJsonFile(path, toDocument({ connections, setAside })),
    listSetAside: () => ({ names: setAside.map(toName), fileName: FILE_NAME, keptFile }),
  };
}

/** What a person may know an entry by; empty where it has neither a name nor an address. */
function toName({ entry }: SetAsideEntry): string {
  const { name, baseAddress } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  const texts = [name, baseAddress].filter((text) => typeof text === 'string');
  return (texts.find((text) => text.trim() !== '') ?? '').slice(0, MAX_NAME_CHARACTERS);
}
