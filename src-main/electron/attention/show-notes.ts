import { app, type BrowserWindow, nativeImage, Notification } from 'electron';
import type { EventPayload } from '../../common/contract/index.ts';
import type { Words } from '../../common/words/words.ts';
import type { Core } from '../../core/create-core.ts';
import type { HostPlatform } from '../../core/data-folder/locate-data-folder.ts';
import type { Host } from '../../core/host.ts';
import { isActive } from '../../core/tasks/task-registry.ts';

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

type Task = EventPayload<'tasks/changed'>;

/** Values that the system shows as no bar, and as a bar of unknown length. */
const NO_BAR = -1;
const NO_END = 2;

/** Shows how far the downloads are together, in the taskbar or the dock. Returns a function that stops it. */
export function showProgress(
  core: Pick<Core, 'on'>,
  listWindows: () => readonly BrowserWindow[],
): () => void {
  const downloads = new Map<string, Task>();
  return core.on((name, task) => {
    if (name !== 'tasks/changed' || task.kind !== 'download') return;
    if (isActive(task)) downloads.set(task.id, task);
    else downloads.delete(task.id);
    // Systems show the bar of the window whose button they show.
    for (const window of listWindows()) {
      if (!window.isDestroyed()) window.setProgressBar(toShare([...downloads.values()]));
    }
  });
}

function toShare(tasks: readonly Task[]): number {
  if (tasks.length === 0) return NO_BAR;
  const total = tasks.reduce((sum, task) => sum + (task.total ?? 0), 0);
  const done = tasks.reduce((sum, task) => sum + task.done, 0);
  return total === 0 || tasks.some((task) => task.total === null) ? NO_END : Math.min(1, done / total);
}

/** A picture as Electron's bitmaps are: blue, green, red and opacity of each pixel, row by row. */
interface Bitmap {
  readonly pixels: Buffer;
  readonly width: number;
}

/** In the bitmap's order of colours. */
const RED = [38, 38, 193, 255];
const WHITE = [255, 255, 255, 255];
const RING_WIDTH = 1.5;

/** Draws a red disc with a white ring, in a square whose first pixel is at `left` and `top`. */
export function drawDisc({ pixels, width }: Bitmap, left: number, top: number, size: number): void {
  const middle = (size - 1) / 2;
  for (let place = 0; place < size * size; place += 1) {
    const [x, y] = [place % size, Math.floor(place / size)];
    const distance = Math.hypot(x - middle, y - middle);
    if (distance > middle) continue;
    pixels.set(distance > middle - RING_WIDTH ? WHITE : RED, ((top + y) * width + left + x) * 4);
  }
}
