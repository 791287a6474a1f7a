import { basename, join } from 'node:path';
import { AlertRule } from '../../common/model/alerts/alert-rule.ts';
import { partFitting } from '../documents/fitting-entries.ts';
import { writeJsonFile } from '../documents/json-file.ts';
import { readVersionedFile } from '../documents/versioned-file.ts';
import type { Logger } from '../logging/logger.ts';
import {
  ALERTS_VERSION,
  ConnectionMute,
  findAlertsVersion,
  readAlertDocument,
  toAlertDocument,
  type AlertDocument,
} from './alert-document.ts';

/** Reads and writes the rules and the connections that are muted. */
export interface AlertFile {
  load(): Promise<AlertDocument>;
  /** Writes what is in use, and with it whatever is set aside. Returns what is in use from now on. One call at a time. */
  save(document: Pick<AlertDocument, 'rules' | 'mutes'>): Promise<AlertDocument>;
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
    save: async ({ rules, mutes }) => {
      const { fitting, unfit } = partFitting(AlertRule, rules);
      const aside = [...setAside, ...unfit.map((entry) => ({ version: ALERTS_VERSION, entry }))];
      const document = {
        rules: fitting,
        mutes: partFitting(ConnectionMute, mutes).fitting,
        setAside: aside,
      };
      await writeJsonFile(path, toAlertDocument(document));
      setAside = aside;
      if (unfit.length > 0) logger.error('alerts set aside', { count: unfit.length });
      return document;
    },
  };
}
