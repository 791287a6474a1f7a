import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../../../common/contract/errors.ts';
import type { Emit, Input } from '../../../common/contract/index.ts';
import type { ExportMemory as Remembered } from '../../../common/contract/operations/exports.ts';
import { ExportChoices } from '../../../common/model/exports/export-choices.ts';
import {
  findByName,
  isBuiltInName,
  MAX_SAVED_PRESETS,
  SavedPreset,
} from '../../../common/model/exports/saved-preset.ts';
import type { Logger } from '../../logging/logger.ts';
import { openListFile } from '../../documents/list-file.ts';

/** What a person chose for files: remembered by format, and saved under names. */
export interface ExportMemory {
  read(): Remembered;
  keepChoices(choices: ExportChoices): Promise<void>;
  /** Throws `exports.preset-taken`, `exports.no-preset` and `exports.too-many-presets`. */
  savePreset(input: Input<'exports/save-preset'>): Promise<SavedPreset>;
  /** Throws `exports.no-preset`. */
  removePreset(presetId: string): Promise<void>;
}

/** Opens what the data folder remembers of choices for files. */
export async function openExportMemory(options: {
  readonly folder: string;
  readonly logger: Logger;
  readonly emit: Emit;
  now(): number;
}): Promise<ExportMemory> {
  const { folder, emit, ...rest } = options;
  const choiceFile = await openListFile({
    ...rest,
    path: join(folder, 'export-choices.json'),
    schema: ExportChoices,
  });
  const presetFile = await openListFile({
    ...rest,
    path: join(folder, 'export-presets.json'),
    schema: SavedPreset,
  });
  let choices = choiceFile.entries;
  let presets = presetFile.entries.toSorted(byName);

  const savePresets = async (next: readonly SavedPreset[]): Promise<void> => {
    const before = presets;
    presets = next.toSorted(byName);
    try {
      const unfit = await presetFile.save(presets);
      presets = presets.filter((preset) => !unfit.includes(preset));
    } catch (error) {
      presets = before;
      throw error;
    }
    emit('exports/presets-changed', [...presets]);
  };
  const getPreset = (presetId: string): SavedPreset => {
    const found = presets.find(({ id }) => id === presetId);
    if (found === undefined)
      throw new AppError('exports.no-preset', 'There is no such preset.', { presetId });
    return found;
  };

  return {
    read: () => ({ choices: [...choices], presets: [...presets] }),
    keepChoices: async (chosen) => {
      choices = [chosen, ...choices.filter(({ format }) => format !== chosen.format)];
      const unfit = await choiceFile.save(choices);
      choices = choices.filter((one) => !unfit.includes(one));
    },
    async savePreset({ presetId, name: typed, choices: chosen }) {
      const id = presetId === null ? randomUUID() : getPreset(presetId).id;
      const name = typed.trim();
      const others = presets.filter((preset) => preset.id !== id);
      if (name === '' || isBuiltInName(name) || findByName(others, name) !== undefined) {
        throw new AppError('exports.preset-taken', 'Another preset has this name.', { name });
      }
      if (others.length >= MAX_SAVED_PRESETS) {
        throw new AppError('exports.too-many-presets', 'There are too many presets.', {
          limit: MAX_SAVED_PRESETS,
        });
      }
      const preset = { id, name, choices: { ...chosen, preset: id } };
      await savePresets([...others, preset]);
      return preset;
    },
    async removePreset(presetId) {
      getPreset(presetId);
      await savePresets(presets.filter(({ id }) => id !== presetId));
    },
  };
}

function byName(a: SavedPreset, b: SavedPreset): number {
  return a.name.localeCompare(b.name, 'en');
}
