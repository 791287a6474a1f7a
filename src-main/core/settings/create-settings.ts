import { basename, join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import { findSettingFault } from '../../common/model/settings/check-setting.ts';
import type { SetAsideSettings } from '../../common/model/settings/set-aside-settings.ts';
import { SETTING_ENTRIES } from '../../common/model/settings/setting-sections.ts';
import type { Settings, SettingsChange } from '../../common/model/settings/settings.ts';
import { writeJsonFile } from '../documents/json-file.ts';
import { createSaveQueue } from '../documents/save-queue.ts';
import { readVersionedFile } from '../documents/versioned-file.ts';
import type { Logger } from '../logging/logger.ts';
import {
  DOCUMENT_VERSION,
  findDocumentVersion,
  partChange,
  readDocument,
  toDocument,
  type SetAsideSetting,
} from './settings-document.ts';

/** The user's settings, kept in one document: what is in use is what is saved. */
export interface SettingsStore {
  get(): Settings;
  /**
   * Rejects with `settings.unfit` (details `setting`, `fault`) for a value that can't be used; nothing is saved then. One
   * that could not be read again is set aside, and its setting stays as it is.
   */
  update(change: SettingsChange): Promise<Settings>;
  /** The same, for a change that follows from the settings as they are when its turn comes. */
  revise(toChange: (settings: Settings) => SettingsChange): Promise<Settings>;
  /** What is saved and can't be used. */
  listSetAside(): SetAsideSettings;
}

const FILE_NAME = 'settings.json';

/**
 * Loads the settings from `settings.json`, of any version. Values that don't fit stay in the document, apart from the
 * others; a file of another version is copied before it is written, and one that is no document at all is moved aside.
 */
export async function createSettings(options: {
  folder: string;
  now: () => number;
  emit: Emit;
  logger: Logger;
}): Promise<SettingsStore> {
  const { folder, now, emit, logger } = options;
  const path = join(folder, FILE_NAME);
  let keptFile: string | null = null;
  const found = await readVersionedFile({
    path,
    version: DOCUMENT_VERSION,
    findVersion: findDocumentVersion,
    now,
    onDamage: (keptAs) => {
      keptFile = basename(keptAs);
      logger.warn('settings damaged', { keptAs: keptFile });
    },
  });
  const loaded = readDocument(found?.saved, found?.version ?? DOCUMENT_VERSION);
  let setAside: readonly SetAsideSetting[] = loaded.setAside;
  let { settings } = loaded;
  if (setAside.length > 0) {
    logger.warn('settings set aside', { settings: setAside.map(({ name }) => name) });
  }

  const inTurn = createSaveQueue();
  const revise = (toChange: (settings: Settings) => SettingsChange): Promise<Settings> =>
    inTurn(async () => {
      const change = toChange(settings);
      requireFit(change);
      const parted = partChange(change);
      const next = { ...settings, ...parted.change };
      const aside = [...setAside, ...parted.setAside];
      await writeJsonFile(path, toDocument({ settings: next, setAside: aside }));
      settings = next;
      setAside = aside;
      if (parted.setAside.length > 0) {
        logger.error('settings set aside', { settings: parted.setAside.map(({ name }) => name) });
      }
      emit('settings/changed', settings);
      return settings;
    });
  return {
    get: () => settings,
    update: (change) => revise(() => change),
    revise,
    listSetAside: () => ({
      names: [...new Set(setAside.map(({ name }) => name))],
      fileName: FILE_NAME,
      keptFile,
    }),
  };
}

/** What the schema can't say of a setting is checked here; a window checks the same before it sends anything. */
function requireFit(change: SettingsChange): void {
  for (const { name } of SETTING_ENTRIES) {
    const fault = name in change ? findSettingFault(name, change[name]) : null;
    if (fault === null) continue;
    throw new AppError('settings.unfit', `The value of ${name} can't be used: ${fault.code}.`, {
      setting: name,
      fault: fault.code,
    });
  }
}
