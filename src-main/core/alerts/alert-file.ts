import { basename, join } from 'node:path';
import { writeJsonFile } from '../documents/json-file.ts';
import { readVersionedFile } from '../documents/versioned-file.ts';
import type { Logger } from '../logging/logger.ts';
import {
  ALERTS_VERSION,
  findAlertsVersion,
  readAlertDocument,
  toAlertDocument,
  type AlertDocument,
} from './alert-document.ts';

/** Reads and writes the rules and the connections that are muted. */
export interface AlertFile {
  load(): Promise<AlertDocument>;
  /** Writes what is in use, and with it whatever was set aside. One call at a time. */
  save(document: Pick<AlertDocument, 'rules' | 'mutes'>): Promise<void>;
}

const FILE_NAME = 'alerts.json';

/**
 * The rules are in `alerts.json`. What doesn't fit stays in it, apart from the others; a file of another version is copied
 * before it is first written, and one that is no list of rules is moved aside.
 */
export function createAlertFile(folder: string, now: () => number, logger: Logger): AlertFile {
  const path = join(folder, FILE_NAME);
  let setAside: AlertDocument['setAside'] = [];
  return {
    load: async () => {
      const found = await readVersionedFile({
        path,
        version: ALERTS_VERSION,
        findVersion: findAlertsVersion,
        now,
        onDamage: (keptAs) => logger.error('alerts damaged', { keptAs: basename(keptAs) }),
      });
      if (found === null) return { rules: [], mutes: [], setAside };
      const read = readAlertDocument(found.saved, found.version);
      setAside = read.setAside;
      if (setAside.length > 0) {
        logger.error('alerts set aside', { count: setAside.length, version: found.version });
      }
      return read;
    },
    save: (document) => writeJsonFile(path, toAlertDocument({ ...document, setAside })),
  };
}
