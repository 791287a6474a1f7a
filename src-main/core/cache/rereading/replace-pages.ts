import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../../../common/model/records/record.ts';
import type { Database } from '../../../node/open-database.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import type { PageRange } from '../read/stored-pages.ts';
import { createRowDigest, prepareInsert } from '../write/insert-records.ts';
import type { FreshPage } from './page-reading.ts';
import { preparePageWrites } from '../write/page-writes.ts';
import { prepareSliceWrites } from '../write/slice-writes.ts';
import { createDetailReader } from '../read/read-records.ts';
import { toMarkKey } from '../read/record-marks.ts';

type Owner = Pick<Snapshot, 'id' | 'report'>;

/** Pages whose number of records changes, and how many each will have. */
export type NewCounts = ReadonlyMap<number, number>;

/**
 * Prepares the storing of pages that are read again. Each call is one transaction, which raises the snapshot's
 * `reading`: whoever has other values of the snapshot knows by it that they are old.
 */
export function preparePageReplacement(database: Database) {
  const writes = preparePageWrites(database);
  const insert = mapKinds(DETAIL_KINDS, (kind) => prepareInsert(database, kind));
  const rows = mapKinds(DETAIL_KINDS, (kind) => {
    const { name } = RECORD_TABLES[kind];
    return {
      remove: database.prepare(`DELETE FROM ${name} WHERE record_id >= ? AND record_id < ?`),
      move: database.prepare(`UPDATE ${name} SET record_id = ? WHERE record_id = ?`),
    };
  });
  const groups = {
    remove: database.prepare('DELETE FROM summary_groups WHERE snapshot_id = ? AND seq >= ? AND seq < ?'),
    move: database.prepare('UPDATE summary_groups SET seq = ? WHERE snapshot_id = ? AND seq = ?'),
  };
  const removeAside = database.prepare('DELETE FROM set_aside WHERE snapshot_id = ? AND page_number = ?');
  const updatePage = database.prepare(
    `UPDATE pages SET records_sha256 = ?, first_seq = ?, record_count = ?, is_damaged = 0
     WHERE snapshot_id = ? AND page_number = ?`,
  );
  const movePage = database.prepare(
    'UPDATE pages SET first_seq = ? WHERE snapshot_id = ? AND page_number = ?',
  );
  const pagesOf = database.prepare<[number], PageRange>(
    `SELECT page_number AS pageNumber, first_seq AS firstSeq, record_count AS recordCount
     FROM pages WHERE snapshot_id = ? ORDER BY page_number`,
  );
  const raise = database.prepare('UPDATE snapshots SET reading = reading + 1 WHERE snapshot_id = ?');
  const recount = database.prepare(
    `UPDATE snapshots AS s SET
       record_count = (SELECT coalesce(sum(p.record_count), 0) FROM pages AS p WHERE p.snapshot_id = s.snapshot_id)
     WHERE snapshot_id = ?`,
  );
  const slices = prepareSliceWrites(database);

  const removeRows = ({ id, report }: Owner, { firstSeq, recordCount }: PageRange): void => {
    const end = firstSeq + recordCount;
    if (isDetailKind(report)) rows[report].remove.run(toRecordId(id, firstSeq), toRecordId(id, end));
    else groups.remove.run(id, firstSeq, end);
  };
  const moveRow = ({ id, report }: Owner, from: number, to: number): void => {
    if (isDetailKind(report)) rows[report].move.run(toRecordId(id, to), toRecordId(id, from));
    else groups.move.run(to, id, from);
  };
  const insertPage = (owner: Owner, pageNumber: number, firstSeq: number, fresh: FreshPage): number => {
    const { id, report } = owner;
    const { records, groups: freshGroups, setAside, recordsSha256 } = fresh;
    if (isDetailKind(report)) insert[report](id, firstSeq, records, createRowDigest());
    else writes.insertGroups(id, firstSeq, freshGroups, createRowDigest());
    removeAside.run(id, pageNumber);
    for (const entry of setAside) writes.insertSetAside(id, pageNumber, entry);
    const count = isDetailKind(report) ? records.length : freshGroups.length;
    updatePage.run(recordsSha256, firstSeq, count, id, pageNumber);
    return count;
  };

  const moveMarks = prepareMarkMoves(database);
  const replacePage = database.transaction((snapshot: Snapshot, page: PageRange, fresh: FreshPage) => {
    moveMarks(snapshot, page, () => {
      removeRows(snapshot, page);
      insertPage(snapshot, page.pageNumber, page.firstSeq, fresh);
    });
    raise.run(snapshot.id);
  });

  const replaceAndMove = database.transaction(
    (owner: Owner, counts: NewCounts, readAgain: (pageNumber: number) => FreshPage) => {
      let nextSeq = 0;
      const moves = pagesOf.all(owner.id).map((page) => {
        const to = nextSeq;
        nextSeq += counts.get(page.pageNumber) ?? page.recordCount;
        return { page, to };
      });
      const kept = moves.filter(({ page }) => !counts.has(page.pageNumber));
      for (const { page } of moves) if (counts.has(page.pageNumber)) removeRows(owner, page);
      // Those that move up from the last on, those that move down from the first on: each finds its place vacated.
      for (const { page, to } of kept.toReversed()) {
        if (to <= page.firstSeq) continue;
        for (let at = page.recordCount - 1; at >= 0; at -= 1) moveRow(owner, page.firstSeq + at, to + at);
      }
      for (const { page, to } of kept) {
        if (to !== page.firstSeq) movePage.run(to, owner.id, page.pageNumber);
        if (to >= page.firstSeq) continue;
        for (let at = 0; at < page.recordCount; at += 1) moveRow(owner, page.firstSeq + at, to + at);
      }
      for (const { page, to } of moves) {
        const count = counts.get(page.pageNumber);
        if (count === undefined) continue;
        if (insertPage(owner, page.pageNumber, to, readAgain(page.pageNumber)) !== count) {
          throw new Error(`Page ${page.pageNumber} reads otherwise than a moment ago.`);
        }
      }
      recount.run(owner.id);
      slices.recount(owner.id);
      raise.run(owner.id);
    },
  );

  return {
    /** Stores a page that has as many records as before, in their places; marks follow their records. */
    replacePage: (snapshot: Snapshot, page: PageRange, fresh: FreshPage): void =>
      replacePage.immediate(snapshot, page, fresh),
    /**
     * Stores pages that have more or fewer records than before, and moves the records of all others to the places that
     * follow from that. Nothing else can be written meanwhile: of a million records the moving takes seconds.
     */
    replaceAndMove: (owner: Owner, counts: NewCounts, readAgain: (pageNumber: number) => FreshPage): void =>
      replaceAndMove.immediate(owner, counts, readAgain),
  };
}

/**
 * Prepares the replacement of a page's records, as many as before in their places, so that marks follow what their
 * records become: a mark is found by what its record holds.
 */
function prepareMarkMoves(
  database: Database,
): (snapshot: Snapshot, page: PageRange, replace: () => void) => void {
  const readDetail = createDetailReader(database);
  const candidates = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number, number, number, string], number>(
        `SELECT r.record_id - ? FROM ${RECORD_TABLES[kind].name} AS r WHERE r.record_id >= ? AND r.record_id < ?
           AND EXISTS (SELECT 1 FROM record_marks AS m
             WHERE m.connection_id = ? AND m.report = '${kind}' AND m.session_id = r.session_id)`,
      )
      .pluck(),
  );
  const move = database.prepare(
    `UPDATE OR REPLACE record_marks SET session_id = ?, date_text = ?, digest = ?, date_ms = ?
     WHERE connection_id = ? AND report = ? AND session_id = ? AND date_text = ? AND digest = ?`,
  );
  return (snapshot, { firstSeq, recordCount }, replace) => {
    const { id, connectionId, report } = snapshot;
    if (!isDetailKind(report)) {
      replace();
      return;
    }
    const base = toRecordId(id, 0);
    const [from, end] = [base + firstSeq, base + firstSeq + recordCount];
    const before = candidates[report]
      .all(base, from, end, connectionId)
      .map((seq) => ({ seq, key: toMarkKey(readDetail(snapshot, seq), report) }));
    replace();
    for (const { seq, key } of before) {
      const record = readDetail(snapshot, seq);
      const next = toMarkKey(record, report);
      move.run(
        ...[next.sessionId, next.dateText, next.digest, record.dateMs, connectionId, report],
        ...[key.sessionId, key.dateText, key.digest],
      );
    }
  };
}
