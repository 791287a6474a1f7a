import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';
import { record, requireReady } from './state.ts';

export const nativeImage = {
  createFromDataURL(url: string): object {
    if (!url.startsWith('data:image/png;base64,')) throw new Error('Not an image');
    // As the header of a PNG says.
    const header = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
    const [width, height] = [header.readUInt32BE(16), header.readUInt32BE(20)];
    return {
      url,
      getSize: () => ({ width, height }),
      toBitmap: () => Buffer.alloc(width * height * 4),
    };
  },
  createFromBitmap(pixels: Buffer, { width, height }: { width: number; height: number }): object {
    return { width, height, pixels };
  },
} satisfies Record<
  keyof Pick<typeof Electron.nativeImage, 'createFromDataURL' | 'createFromBitmap'>,
  unknown
>;

interface MenuItem {
  readonly label?: string;
  readonly enabled?: boolean;
  readonly checked?: boolean;
  readonly click?: (item: { readonly checked: boolean }) => void;
}

export const trays: FakeTray[] = [];

type TrayMethods = 'setImage' | 'setToolTip' | 'setContextMenu' | 'destroy' | 'isDestroyed';

export class FakeTray extends EventEmitter implements Record<TrayMethods, unknown> {
  items: readonly MenuItem[] = [];
  #isDestroyed = false;
  constructor(image: unknown) {
    super();
    requireReady('Cannot create Tray');
    // A system without a tray shows none, and says nothing about it.
    record('Tray', image);
    trays.push(this);
  }
  setImage(image: unknown): void {
    record('tray.setImage', image);
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
    const chosen = this.items.find((item) => item.label === label);
    // The system turns a box over before it says so.
    chosen?.click?.({ checked: chosen.checked !== true });
  }
}
