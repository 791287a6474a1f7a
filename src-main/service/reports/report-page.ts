import type { RecordStore } from '../store/record-store.ts';
import type { PageBuffer } from './page-buffer.ts';

/** What a report needs besides the request. */
export interface ReportSource {
  readonly store: RecordStore;
  readonly tenant: number;
  readonly seed: number;
  readonly cursorKey: Buffer;
}

/** A page before its cursor is written; `next` is the position of its last document, null on the last page. */
export interface PositionedPage {
  /** JSON, separated by commas. */
  readonly documents: PageBuffer;
  readonly totalDocument: number;
  readonly next: readonly number[] | null;
}

export interface ReportPage extends Omit<PositionedPage, 'next'> {
  /** Empty once no further page exists (decision 8). */
  readonly lastDocument: string;
}
