/** Provenance of a page, kept with it in the journal. */
export interface PageToStore {
  readonly snapshotId: number;
  readonly cursorSent: string;
  readonly requestedAtMs: number;
  readonly receivedAtMs: number;
  readonly status: number;
  /** Zone of dates that carry none. */
  readonly zone: string;
  /** Records requested, to recognise a shorter page. */
  readonly sizeAsked?: number;
  /** Places from which a secret was removed that the service sent back: the page is kept without it. */
  readonly removedSecrets?: number;
}

/** What is known once a page is parsed, before it is written. */
export interface PageHead {
  readonly recordCount: number;
  readonly totalDocument: number | null;
  /** The cursor of the next page; null at the end of the report. */
  readonly nextCursor: string | null;
  /** Why the walk ends here; null while it goes on. */
  readonly end: 'empty-page' | 'no-cursor' | 'total-reached' | 'cursor-repeated' | null;
}

export interface IncomingPage {
  readonly page: PageToStore;
  readonly bytes: ArrayBuffer;
}
