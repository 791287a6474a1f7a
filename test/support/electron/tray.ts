import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';
import { record, requireReady } from './state.ts';

export const nativeImage = {
  createFromDataURL(url: string): { url: string } {
    if (!url.startsWith('data:image/png;base64,')) throw new Error('Not an image');
    return { url };
  },
  createFromBitmap(_pixels: Buffer, { width, height }: { width: number; height: number }): object {
    return { width, height };
  },
} satisfies Record<
  keyof Pick<typeof Electron.nativeImage, 'createFromDataURL' | 'createFromBitmap'>,
  unknown
>;

interface MenuItem {
  readonly label?: string;
  readonly click?: () => void;
}

export const trays: FakeTray[] = [];

type TrayMethods = 'setToolTip' | 'setContextMenu' | 'destroy' | 'isDestroyed';

export class FakeTray extends EventEmitter implements Record<TrayMethods, unknown> {
  /** Some systems have none. */
  static fails = false;
  items: readonly MenuItem[] = [];
  #isDestroyed = false;
  constructor(image: unknown) {
    super();
    requireReady('Cannot create Tray');
    if (FakeTray.fails) throw new Error('There is no tray');
    record('Tray', image);
    trays.push(this);
  }
  setToolTip(text: string): void {
    record('tray.setToolTip', text);
  }
  setContextMenu(menu: { readonly template: readonly MenuItem[] }): void {
    this.items = menu.template;
  }
  destroy(): void {
    this.#isDestroyed = true;
    record('tray.destroy');
  }
  isDestroyed(): boolean {
    return this.#isDestroyed;
  }
  /** As the person chooses an item. */
  choose(label: string): void {
    this.items.find((item) => item.label === label)?.click?.();
  }
}
