import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { retryWhileHeld } from '../../node/retry-while-held.ts';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';
import type { Logger } from '../logging/logger.ts';
import { keepAside, readJsonFileOrKeepAside, writeJsonFile } from '../settings/json-file.ts';
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
  const noteDamage = (keptAs: string): void => logger.error('alerts damaged', { keptAs: basename(keptAs) });
  return {
    load: async () => {
      const saved = await readJsonFileOrKeepAside(path, now(), noteDamage);
      if (saved === undefined) return { rules: [], mutes: [], setAside };
      const version = findAlertsVersion(saved);
      if (version === null) {
        noteDamage(await keepAside(path, now()));
        return { rules: [], mutes: [], setAside };
      }
      if (version !== ALERTS_VERSION) {
        const before = await retryWhileHeld({ path, action: 'open' }, () => readFile(path));
        await writeFileAtomically(`${path}.v${String(version)}.backup`, before);
      }
      const read = readAlertDocument(saved, version);
      setAside = read.setAside;
      if (setAside.length > 0) logger.error('alerts set aside', { count: setAside.length, version });
      return read;
    },
    save: (document) => writeJsonFile(path, toAlertDocument({ ...document, setAside })),
  };
}
