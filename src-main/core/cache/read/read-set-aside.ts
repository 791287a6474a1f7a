import type { Input, Output } from '../../../common/contract/index.ts';
import type { SetAsideEntry } from '../../../common/model/cache/snapshot.ts';
import type { Database } from '../../../node/open-database.ts';
import { isDamagedPage } from '../file/to-cache-error.ts';
import { IS_UNREADABLE } from './left-out-reasons.ts';
import { createStoredPages } from './stored-pages.ts';

/** The most characters of an entry that leave the thread. */
const MAX_CHARACTERS = 20_000;
/** What the table keeps of an entry: a text as long as this may be the beginning of a longer one. */
const KEPT_CHARACTERS = 2000;

type AsideRow = Omit<SetAsideEntry, 'length'>;

/** Prepares the reading of entries that could not be read as records: whole, from the pages that hold them. */
export function createSetAsideReader(
  database: Database,
): (place: Input<'snapshots/read-set-aside'>) => Output<'snapshots/read-set-aside'> {
  const count = database
    .prepare<[number], number>(`SELECT count(*) FROM set_aside WHERE snapshot_id = ? AND ${IS_UNREADABLE}`)
    .pluck();
  const rowsOf = database.prepare<[number, number, number], AsideRow>(
    `SELECT page_number AS pageNumber, place, reason, text FROM set_aside WHERE snapshot_id = ? AND ${IS_UNREADABLE}
     ORDER BY page_number, place LIMIT ? OFFSET ?`,
  );
  const pages = createStoredPages(database);

  const readPage = (
    snapshotId: number,
    pageNumber: number,
    places: readonly number[],
  ): readonly (string | null)[] => {
    try {
      return pages.readEntries(snapshotId, pageNumber, places);
    } catch (error) {
      if (isDamagedPage(error)) return [];
      throw error;
    }
  };

  return ({ snapshotId, offset, limit }) => {
    const rows = rowsOf.all(snapshotId, limit, offset);
    const byPage = Map.groupBy(rows, ({ pageNumber }) => pageNumber);
    const entries = [...byPage].flatMap(([pageNumber, own]) => {
      const places = own.map(({ place }) => place);
      const texts = readPage(snapshotId, pageNumber, places);
      return own.map((row, at): SetAsideEntry => {
        const whole = texts[at] ?? null;
        if (whole !== null) return { ...row, text: whole.slice(0, MAX_CHARACTERS), length: whole.length };
        return { ...row, length: row.text.length < KEPT_CHARACTERS ? row.text.length : null };
      });
    });
    return { total: count.get(snapshotId) ?? 0, entries };
  };
}
