import { Type, type Static } from 'typebox';
import { foldCase } from '../../fold-case.ts';
import { ExportChoices } from './export-choices.ts';
import { BUILT_IN_PRESETS } from './export-options.ts';

export const MAX_SAVED_PRESETS = 100;
export const MAX_PRESET_NAME_CHARACTERS = 60;

export const PresetName = Type.String({ minLength: 1, maxLength: MAX_PRESET_NAME_CHARACTERS });

/** Choices for a file that the person saved; no two have one name, whatever its letter case. */
export const SavedPreset = Type.Object({
  id: Type.String(),
  name: PresetName,
  choices: ExportChoices,
});
export type SavedPreset = Static<typeof SavedPreset>;

/** Returns the preset of a name, whatever its letter case. */
export function findByName<Named extends { readonly name: string }>(
  list: readonly Named[],
  name: string,
): Named | undefined {
  const wanted = toKey(name);
  return list.find((each) => toKey(each.name) === wanted);
}

/** True for a name that the command line takes for a preset of the application itself. */
export function isBuiltInName(name: string): boolean {
  return BUILT_IN_PRESETS.some((preset) => preset === toKey(name));
}

function toKey(name: string): string {
  return foldCase(name.trim());
}
