/** Columns of the list of conversations, in their order. */
export const COLUMN_IDS = [
  'start',
  'outcome',
  'length',
  'channel',
  'service',
  'client',
  'messages',
  'failures',
  'slowest',
  'firstError',
] as const;
export type ColumnId = (typeof COLUMN_IDS)[number];

const STORAGE_KEY = 'channelscope.conversations.hidden';

/** Reads which columns a person has hidden in this window. */
export function readHiddenColumns(): ColumnId[] {
  try {
    const stored = (localStorage.getItem(STORAGE_KEY) ?? '').split(',');
    return COLUMN_IDS.filter((id) => stored.includes(id));
  } catch {
    return [];
  }
}

/** Remembers which columns are hidden. */
export function keepHiddenColumns(hidden: readonly ColumnId[]): void {
  try {
    localStorage.setItem(STORAGE_KEY, hidden.join(','));
  } catch {
    // Without storage the choice lives as long as the screen.
  }
}
