import { app, nativeImage, Notification, type BrowserWindow } from 'electron';
import type { Words } from '../../common/words/words.ts';
import type { Host } from '../../core/host.ts';
import type { HostPlatform } from '../../core/data-folder/standard-folder.ts';
import { drawDisc } from './draw-disc.ts';

/** Pixels each way of what is drawn over the taskbar's button, where numbers have no place. */
const BADGE_SIZE = 16;

/** Notifications that may still be clicked; without a reference their events would be lost. */
const MAX_KEPT = 50;

/** The host's way to say something outside of the window: notifications of the system, and a number on its icon. */
export function createNotes(options: {
  readonly platform: HostPlatform;
  readonly findWindow: () => BrowserWindow | null;
  /** Brings the window to the front, and opens it where it was closed. */
  readonly showWindow: () => void;
  readonly readWords: () => Words;
}): Pick<Host, 'showNote' | 'showBadge'> {
  const { platform, findWindow, showWindow, readWords } = options;
  const kept: Notification[] = [];
  return {
    showNote: ({ title, body }, onOpen, onRefused) => {
      if (!Notification.isSupported()) return 'failed';
      const note = new Notification({ title, body });
      note.on('click', () => {
        showWindow();
        onOpen();
      });
      // Said later: the person switched them off in the system, or nothing there shows any.
      note.on('failed', (_event, reason) => onRefused(reason));
      kept.push(note);
      if (kept.length > MAX_KEPT) kept.shift();
      note.show();
      return 'computer';
    },
    showBadge: (count) => {
      if (platform !== 'windows') {
        app.setBadgeCount(count);
        return;
      }
      const window = findWindow();
      if (window === null || window.isDestroyed()) return;
      if (count === 0) window.setOverlayIcon(null, '');
      else {
        const { t, formats } = readWords();
        window.setOverlayIcon(drawBadge(), t('desktop.firing', { count: formats.formatCount(count) }, count));
      }
    },
  };
}

function drawBadge(): Electron.NativeImage {
  const pixels = Buffer.alloc(BADGE_SIZE * BADGE_SIZE * 4);
  drawDisc({ pixels, width: BADGE_SIZE }, 0, 0, BADGE_SIZE);
  return nativeImage.createFromBitmap(pixels, { width: BADGE_SIZE, height: BADGE_SIZE });
}
