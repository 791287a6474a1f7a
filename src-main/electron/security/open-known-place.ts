import { dialog, shell, type BrowserWindow } from 'electron';
import type { Words } from '../../common/words/words.ts';
import { isKnownPlace } from '../../common/links/known-places.ts';

/**
 * Opens a page of others in the browser, if it is one that the window leads to, and once the person has seen its
 * address (E-15). Everything else is passed over in silence: whoever sent it learns nothing.
 */
export function createPlaceOpener(
  findWindow: () => BrowserWindow | null,
  readWords: () => Words,
): (address: unknown) => Promise<void> {
  let isAsking = false;
  return async (address) => {
    // A page that asks again and again must not fill the screen with questions.
    if (!isKnownPlace(address) || isAsking) return;
    isAsking = true;
    try {
      if (await confirm(findWindow(), address, readWords())) await shell.openExternal(address);
    } finally {
      isAsking = false;
    }
  };
}

async function confirm(window: BrowserWindow | null, address: string, { t }: Words): Promise<boolean> {
  const options = {
    type: 'question' as const,
    message: t('desktop.place.question'),
    detail: address,
    buttons: [t('desktop.place.open'), t('desktop.place.cancel')],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  };
  const { response } = await (window === null
    ? dialog.showMessageBox(options)
    : dialog.showMessageBox(window, options));
  return response === 0;
}
