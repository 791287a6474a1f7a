import { refAutoReset, useClipboard } from '@vueuse/core';
import type { Ref } from 'vue';

/** The browser reads a saved blob after the click has returned. */
const KEEP_BLOB_MS = 60_000;

/** Lets the browser save what the host serves at the path. */
export function saveFromPath(path: string, fileName: string): void {
  const link = document.createElement('a');
  link.href = path;
  link.download = fileName;
  document.body.append(link);
  link.click();
  link.remove();
}

/** Lets the browser, or the desktop window, save a text as a file. */
export function saveText(fileName: string, text: string, type: string): void {
  saveBlob(fileName, new Blob([text], { type }));
}

/** Lets the browser, or the desktop window, save bytes as a file. */
export function saveBlob(fileName: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  saveFromPath(address, fileName);
  setTimeout(() => URL.revokeObjectURL(address), KEEP_BLOB_MS);
}

const CONFIRMATION_MS = 1500;

/** Remembers for a moment what was copied last, so that its button can confirm it. */
export function useCopied<Name extends string>(): {
  readonly copied: Readonly<Ref<Name | null>>;
  /** Runs the work that copies, and confirms it unless that resolves to false. Rejects as the work does. */
  copy(name: Name, work: () => Promise<unknown>): Promise<void>;
} {
  const copied = refAutoReset<Name | null>(null, CONFIRMATION_MS);

  async function copy(name: Name, work: () => Promise<unknown>): Promise<void> {
    if ((await work()) !== false) copied.value = name;
  }

  return { copied, copy };
}

/** Writes a text to the clipboard, and for spreadsheets the same as HTML; null where it is no table. */
export type WriteTable = (text: string, html: string | null) => Promise<void>;

/** Returns what writes a table to the clipboard; where a browser takes no HTML, as text alone. */
export function useTableClipboard(): WriteTable {
  const { copy } = useClipboard({ legacy: true });
  return async (text, html) => {
    if (html === null) return copy(text);
    try {
      const [plain, rich] = [
        new Blob([text], { type: 'text/plain' }),
        new Blob([html], { type: 'text/html' }),
      ];
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': plain, 'text/html': rich })]);
    } catch {
      await copy(text);
    }
  };
}
