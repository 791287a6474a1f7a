import { hasId, readLocation } from './location-file.ts';

/** Where a person's data are, as found at the start. */
export interface DataLocation {
  /** Absolute path of the folder in use. */
  readonly folder: string;
  /** The standard folder of this person, which keeps what was chosen. */
  readonly defaultFolder: string;
  /** Who chose the folder: the option `--data` at the start, the person in the settings, or nobody. */
  readonly chosenBy: 'start' | 'person' | 'default';
  /** The folder that the person chose and that is not there; `folder` is the standard one then. */
  readonly missingFolder: string | null;
}

/**
 * Finds the data folder: the one that was given at the start, else the one that the person moved everything to, else
 * the standard one. With `missingFolder` set, a host must ask before it goes on with the standard folder. Throws an
 * Error where what was chosen can't be read.
 */
export function locateDataFolder(defaultFolder: string, given: string | null): DataLocation {
  const found = { defaultFolder, missingFolder: null };
  if (given !== null) return { ...found, folder: given, chosenBy: 'start' };
  const { chosen } = readLocation(defaultFolder);
  if (chosen === null) return { ...found, folder: defaultFolder, chosenBy: 'default' };
  if (hasId(chosen.folder, chosen.id)) return { ...found, folder: chosen.folder, chosenBy: 'person' };
  return { folder: defaultFolder, defaultFolder, chosenBy: 'default', missingFolder: chosen.folder };
}

/** What a person whose folder is missing is told, where there is no window yet. */
export function describeMissingFolder({ missingFolder, defaultFolder }: DataLocation): string {
  return `The data folder isn't there: ${missingFolder ?? ''}. Connect its disk and start again, or use the standard folder with --data "${defaultFolder}".`;
}
