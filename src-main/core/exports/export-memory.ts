import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { AppError } from '../../common/contract/errors.ts';
import type { Emit, Input } from '../../common/contract/index.ts';
import type { ExportMemory as Remembered } from '../../common/contract/operations/files.ts';
import {
  ExportChoices,
  findByName,
  isBuiltInName,
  MAX_SAVED_PRESETS,
  SavedPreset,
} from '../../common/model/exports/export-options.ts';
import { openListFile } from '../documents/json-file.ts';
import type { Logger } from '../logging/logger.ts';

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

/** How long one export took. */
const Sample = Type.Object({
  /** Exports of one kind take the same time for as many rows, about. */
  kind: Type.String({ maxLength: 100 }),
  rows: Type.Integer({ minimum: 0 }),
  ms: Type.Integer({ minimum: 0 }),
});
type Sample = Static<typeof Sample>;

const KEPT_OF_KIND = 8;
/** Beyond this many times the largest export that was measured, there is no estimate. */
const MAX_GROWTH = 50;
/** Below this, starting takes most of the time, which says nothing about more rows. */
const MIN_TELLING_ROWS = 1_000;

/** How fast this computer writes files, as measured by those that it wrote. */
export interface ExportPace {
  note(sample: Sample): Promise<void>;
  /** Milliseconds that so many rows take, about; null where no earlier export tells. */
  estimate(kind: string, rows: number): number | null;
}

/** Opens the measured times in the data folder. */
export async function openExportPace(options: {
  readonly folder: string;
  readonly logger: Logger;
  now(): number;
}): Promise<ExportPace> {
  const path = join(options.folder, 'export-times.json');
  const file = await openListFile({ ...options, path, schema: Sample });
  let samples = file.entries;
  return {
    note: async (sample) => {
      const same = samples.filter(({ kind }) => kind === sample.kind);
      const others = samples.filter(({ kind }) => kind !== sample.kind);
      samples = [...others, ...same.slice(1 - KEPT_OF_KIND), sample];
      const unfit = await file.save(samples);
      samples = samples.filter((one) => !unfit.includes(one));
    },
    estimate: (kind, rows) =>
      estimateMs(
        samples.filter((sample) => sample.kind === kind),
        rows,
      ),
  };
}

/**
 * Returns about how long so many rows take: between two exports that were measured in proportion, above the largest at
 * its speed. Null where none is near enough.
 */
export function estimateMs(samples: readonly Pick<Sample, 'rows' | 'ms'>[], rows: number): number | null {
  const sorted = samples.toSorted((a, b) => a.rows - b.rows);
  const smallest = sorted[0];
  const largest = sorted.at(-1);
  if (smallest === undefined || largest === undefined) return null;
  if (rows > largest.rows) {
    if (largest.rows < MIN_TELLING_ROWS || rows > largest.rows * MAX_GROWTH) return null;
    return Math.round((largest.ms * rows) / largest.rows);
  }
  const above = sorted.find((sample) => sample.rows >= rows) ?? largest;
  const below = sorted.findLast((sample) => sample.rows <= rows) ?? { rows: 0, ms: 0 };
  if (above.rows === below.rows) return median(sorted.filter((sample) => sample.rows === rows));
  const share = (rows - below.rows) / (above.rows - below.rows);
  return Math.round(below.ms + share * (above.ms - below.ms));
}

function median(samples: readonly Pick<Sample, 'ms'>[]): number {
  const times = samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? 0;
}
