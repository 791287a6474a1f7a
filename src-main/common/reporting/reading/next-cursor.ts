export interface ReceivedPage {
  /** Entries in the answer, readable or not. */
  readonly recordCount: number;
  readonly lastDocument: string | null;
  /** Empty for the first page. */
  readonly cursorSent: string;
  /** The page before this one held nothing. */
  readonly isAfterEmpty: boolean;
  /** True for a cursor that an earlier page of this walk was asked with or answered. */
  readonly seenCursors: (cursor: string) => boolean;
  /** True when as many entries as announced have come, this page's included; asked only where it matters. */
  readonly hasAll: () => boolean;
}

interface PageVerdict {
  /** The cursor of the next page; null at the end of the walk. */
  readonly nextCursor: string | null;
  /** Why the walk ends; `cursor-repeated` means that it is incomplete. Null while it goes on. */
  readonly end: 'empty-page' | 'no-cursor' | 'total-reached' | 'cursor-repeated' | null;
}

/**
 * Judges whether a walk over pages goes on (decision 8). Neither a short page nor a total ends it while there is a
 * new cursor. An empty page does, except that one more is asked for where it has a new cursor and records are
 * missing. An empty cursor is never sent back since it would begin again, and one that was seen before would turn
 * in circles.
 */
export function judgeEnd(page: ReceivedPage): PageVerdict {
  const { lastDocument: cursor, cursorSent, recordCount } = page;
  const isRepeated = cursor === cursorSent || (cursor !== null && page.seenCursors(cursor));
  if (recordCount === 0) {
    const goesOn = cursor !== null && cursor !== '' && !isRepeated && !page.isAfterEmpty && !page.hasAll();
    return goesOn ? { nextCursor: cursor, end: null } : { nextCursor: null, end: 'empty-page' };
  }
  if (cursor === null || cursor === '') return { nextCursor: null, end: 'no-cursor' };
  if (!isRepeated) return { nextCursor: cursor, end: null };
  return { nextCursor: null, end: page.hasAll() ? 'total-reached' : 'cursor-repeated' };
}
