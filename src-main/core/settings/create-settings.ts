import { join } from 'node:path';
import { Type, type TArray } from 'typebox';
import { Value } from 'typebox/value';
import type { Emit } from '../../common/contract/index.ts';
import { Settings, type SettingsChange } from '../../common/model/settings.ts';
import type { Logger } from '../logging/logger.ts';
import { createSaveQueue } from './save-queue.ts';
import { readJsonFileOrKeepAside, writeJsonFile } from './json-file.ts';

/** The user's settings, kept in one document: what is in use is what is saved. */
export interface SettingsStore {
  get(): Settings;
  update(change: SettingsChange): Promise<Settings>;
}

function toValidSettings(saved: unknown, logger: Logger): Settings {
  const values = typeof saved === 'object' && saved !== null ? renameOldKeys({ ...saved }) : {};
  const entries = Object.entries(Settings.properties).map(([key, schema]) => {
    const saved = values[key];
    if (key in values && Value.Check(schema, saved)) return [key, saved] as const;
    if (key in values) logger.warn('setting ignored', { setting: key });
    if (Array.isArray(saved) && Type.IsArray(schema)) return [key, keepFitting(schema, saved)] as const;
    return [key, Value.Create(schema)] as const;
  });
  return Object.fromEntries(entries) as Settings;
}

/** Of a list, what does not fit is left out, and the rest stays. */
function keepFitting(
  { items, maxItems }: TArray & { readonly maxItems?: number },
  saved: readonly unknown[],
): readonly unknown[] {
  return saved.filter((item) => Value.Check(items, item)).slice(0, maxItems);
}

/** Until version 0.1 there was one choice, for all connections, of the zone that periods were picked in. */
function renameOldKeys({ periodZone, ...values }: Record<string, unknown>): Record<string, unknown> {
  return periodZone === undefined ? values : { clock: periodZone, ...values };
}

/** Loads the settings; each value that does not fit its schema falls back to its default. */
export async function createSettings(options: {
  folder: string;
  now: () => number;
  emit: Emit;
  logger: Logger;
}): Promise<SettingsStore> {
  const { logger } = options;
  const path = join(options.folder, 'settings.json');
  const saved = await readJsonFileOrKeepAside(path, options.now(), (keptAs) =>
    logger.warn('settings damaged', { keptAs }),
  );
  let settings = toValidSettings(saved, logger);
  const inTurn = createSaveQueue();
  return {
    get: () => settings,
    update: (change) =>
      inTurn(async () => {
        const next = { ...settings, ...change };
        await writeJsonFile(path, next);
        settings = next;
        options.emit('settings/changed', settings);
        return settings;
      }),
  };
}
