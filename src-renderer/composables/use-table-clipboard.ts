import { useClipboard } from '@vueuse/core';

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
