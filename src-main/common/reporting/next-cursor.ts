export interface ReceivedPage {
  /** Entries in the answer, readable or not. */
  readonly recordCount: number;
  readonly lastDocument: string | null;
  /** Empty for the first page. */
  readonly cursorSent: string;
  /** True for a cursor that an earlier page of this walk was asked with or answered. */
  readonly seenCursors: (cursor: string) => boolean;
  /** Entries of the pages before this one. */
  readonly receivedBefore: number;
  readonly totalDocument: number | null;
}

interface PageVerdict {
  /** The cursor of the next page; null at the end of the walk. */
  readonly nextCursor: string | null;
  /** Why the walk ends; `cursor-repeated` means that it is incomplete. Null while it goes on. */
  readonly end: 'empty-page' | 'no-cursor' | 'total-reached' | 'cursor-repeated' | null;
}

/**
 * Judges whether a walk over pages goes on (decision 8). A short page ends nothing, an empty cursor is
 * never sent back since it would begin again, and a cursor that was seen before would turn in circles.
 */
export function judgeEnd(page: ReceivedPage): PageVerdict {
  if (page.recordCount === 0) return { nextCursor: null, end: 'empty-page' };
  const cursor = page.lastDocument;
  if (cursor === null || cursor === '') return { nextCursor: null, end: 'no-cursor' };
  // A total of zero beside records is no total.
  const total = page.totalDocument ?? 0;
  if (total > 0 && page.receivedBefore + page.recordCount >= total) {
    return { nextCursor: null, end: 'total-reached' };
  }
  if (cursor === page.cursorSent || page.seenCursors(cursor)) {
    return { nextCursor: null, end: 'cursor-repeated' };
  }
  return { nextCursor: cursor, end: null };
}
