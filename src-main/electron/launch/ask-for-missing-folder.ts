import { dialog } from 'electron';
import type { Words } from '../../common/words/words.ts';
import { locateDataFolder, type DataLocation } from '../../core/data-folder/locate-data-folder.ts';

/**
 * Says that the data folder isn't there, and asks what to do, until it is (`found`), the person goes on with the standard
 * folder this time, or ends. Nothing is created in the meantime.
 */
export async function askForMissingFolder(
  { missingFolder, defaultFolder }: DataLocation,
  { t }: Pick<Words, 't'>,
): Promise<'found' | 'standard' | 'quit'> {
  const choices = ['again', 'standard', 'quit'] as const;
  for (;;) {
    const { response } = await dialog.showMessageBox({
      type: 'warning',
      message: t('desktop.missingFolder.title'),
      detail: t('desktop.missingFolder.detail', { folder: missingFolder ?? '', standard: defaultFolder }),
      buttons: choices.map((choice) => t(`desktop.missingFolder.${choice}`)),
      defaultId: 0,
      cancelId: 2,
      noLink: true,
    });
    const choice = choices[response] ?? 'quit';
    if (choice !== 'again') return choice;
    if (locateDataFolder(defaultFolder, null).missingFolder === null) return 'found';
  }
}
