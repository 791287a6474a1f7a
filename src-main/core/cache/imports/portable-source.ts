import type { SetAside } from '../../../common/reporting/reading/read-page.ts';
import type { Database } from '../../../node/open-database.ts';
import { LEFT_OUT_REASONS } from '../read/download-figures.ts';
import { createStoredPages } from '../read/stored-pages.ts';
import type { ImportedDownload } from './import-writes.ts';
import type { ImportedPage } from './import-pages.ts';

/** A page with what the journal says of it, for a file that proves where its records came from. */
export type PortablePage = Omit<ImportedPage, 'snapshotId'> & {
  readonly entryCount: number;
  readonly recordCount: number;
  readonly sizeBytes: number;
  /** Of the bytes as received, in hex. */
  readonly sha256: string;
  readonly isDamaged: boolean;
};

/** All that takes to bring a snapshot to another computer but the bytes of its pages. */
export interface PortableSource {
  readonly pages: readonly PortablePage[];
  readonly slices: ImportedDownload['slices'];
}

interface PageRow extends Omit<PortablePage, 'leftOut' | 'isDamaged'> {
  readonly isDamaged: number;
}

const LEFT_OUT = Object.values(LEFT_OUT_REASONS)
  .map((reason) => `'${reason}'`)
  .join(', ');

/** Prepares the reading of snapshots for portable files. */
export function createPortableReader(database: Database) {
  const pages = database.prepare<[number], PageRow>(
    `SELECT p.page_number AS pageNumber, cursor_sent AS cursorSent, status, requested_at_ms AS requestedAtMs,
       received_at_ms AS receivedAtMs, slice_number AS sliceNumber, walk_number AS walkNumber,
       size_asked AS sizeAsked, known_entries AS knownEntries, entry_count AS entryCount,
       record_count AS recordCount, size_bytes AS sizeBytes, sha256, is_damaged AS isDamaged
     FROM pages AS p
     WHERE p.snapshot_id = ? ORDER BY p.page_number`,
  );
  const leftOut = database.prepare<[number, number], SetAside>(
    `SELECT place AS "index", reason, text FROM set_aside
     WHERE snapshot_id = ? AND page_number = ? AND reason IN (${LEFT_OUT}) ORDER BY place`,
  );
  const slices = database.prepare<[number], ImportedDownload['slices'][number]>(
    `SELECT slice_number AS sliceNumber, from_ms AS fromMs, to_ms AS toMs, start_date AS startDate,
       end_date AS endDate
     FROM slices WHERE snapshot_id = ? ORDER BY slice_number`,
  );
  const stored = createStoredPages(database);
  return {
    readPortable: (snapshotId: number): PortableSource => ({
      pages: pages.all(snapshotId).map(({ isDamaged, ...page }) => ({
        ...page,
        isDamaged: isDamaged === 1,
        leftOut: leftOut.all(snapshotId, page.pageNumber),
      })),
      slices: slices.all(snapshotId),
    }),
    /** The bytes of a page as received. Throws `cache.page-damaged`. */
    readPageBytes: ({ snapshotId, pageNumber }: { snapshotId: number; pageNumber: number }): Uint8Array =>
      new Uint8Array(stored.readBody(snapshotId, pageNumber)),
  };
}
