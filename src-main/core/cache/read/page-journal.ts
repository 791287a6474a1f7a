import { AppError } from '../../../common/contract/errors.ts';
import type { Input, Output } from '../../../common/contract/index.ts';
import type { JournalPage } from '../../../common/model/cache/snapshot.ts';
import type { Database } from '../../../node/open-database.ts';
import { toAsked, type AskedDates } from './download-figures.ts';
import { IS_UNREADABLE } from './left-out-reasons.ts';

/** What a page was requested with. */
export interface AskedPage {
  readonly cursorSent: string;
  /** Null for pages from before it was kept. */
  readonly sizeAsked: number | null;
  /** What its slice asked for; null where the slices were lost with a part of a damaged file. */
  readonly asked: AskedDates | null;
}

export interface JournalReader {
  /** The page that holds a record. Throws AppError `cache.snapshot-not-found` where none does. */
  readAsked(place: Input<'records/read-record'>): AskedPage;
  readPages(place: Input<'snapshots/read-journal'>): Output<'snapshots/read-journal'>;
}

type JournalPageRow = Omit<JournalPage, 'damaged'> & { readonly damaged: number };

/** Prepares the reading of the journal of pages. */
export function createJournalReader(database: Database): JournalReader {
  const countPages = database
    .prepare<[number], number>('SELECT count(*) FROM pages WHERE snapshot_id = ?')
    .pluck();
  // Pages are numbered without gaps, so a place in the list is a page number.
  const pages = database.prepare<[number, number, number], JournalPageRow>(
    `SELECT page_number AS pageNumber, cursor_sent AS cursorSent, cursor_received AS cursorReceived,
       entry_count AS entryCount, first_seq AS firstSeq, record_count AS recordCount,
       (SELECT count(*) FROM set_aside AS s WHERE s.snapshot_id = p.snapshot_id AND s.page_number = p.page_number
          AND ${IS_UNREADABLE}) AS setAsideCount,
       size_bytes AS sizeBytes, sha256, records_sha256 AS recordsSha256, is_damaged AS damaged,
       total_document AS totalDocument, execution_time_ms AS executionTimeMs, status,
       requested_at_ms AS requestedAtMs, received_at_ms AS receivedAtMs
     FROM pages AS p WHERE snapshot_id = ? AND page_number >= ? ORDER BY page_number LIMIT ?`,
  );
  type AskedRow = Omit<AskedPage, 'asked'> & Parameters<typeof toAsked>[0];
  const asked = database.prepare<[number, number, number], AskedRow>(
    `SELECT cursor_sent AS cursorSent, size_asked AS sizeAsked,
       f.start_date AS startDate, f.end_date AS endDate
     FROM pages AS p LEFT JOIN slices AS f USING (snapshot_id, slice_number)
     WHERE p.snapshot_id = ? AND p.first_seq <= ? AND p.first_seq + record_count > ?`,
  );
  return {
    readAsked: ({ snapshotId, seq }) => {
      const page = asked.get(snapshotId, seq, seq);
      if (page !== undefined) {
        const { startDate, endDate, ...more } = page;
        return { ...more, asked: toAsked({ startDate, endDate }) };
      }
      throw new AppError('cache.snapshot-not-found', 'The record is not in the cache.', { snapshotId, seq });
    },
    readPages: ({ snapshotId, offset, limit }) => ({
      total: countPages.get(snapshotId) ?? 0,
      pages: pages.all(snapshotId, offset, limit).map((row) => ({
        ...row,
        damaged: row.damaged === 1,
      })),
    }),
  };
}
