import { toEndMs } from '../../../common/model/period.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { readPage, type ReadPage, type SetAside } from '../../../common/reporting/reading/read-page.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds, type DetailKind } from '../../../common/reporting/reports.ts';
import { fromWireDate } from '../../../common/reporting/wire-dates.ts';
import { SECOND_MS } from '../../../common/time/durations.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { LEFT_OUT_REASONS } from '../read/left-out-reasons.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import type { PageRange, StoredPages } from '../read/stored-pages.ts';
import type { WalkRow } from './page-writes.ts';
import { identify, listPlaced, takeOne } from './record-identity.ts';

type SnapshotOwner = Pick<Snapshot, 'id' | 'report' | 'period'>;
/** A page, and where its slice begins; null where that isn't known. */
interface PageOfSlice {
  readonly read: ReadPage;
  readonly sliceFromMs: number | null;
}
/** How often each record that the slice before holds near its end may still come again, by what is quickly compared. */
type Doubles = Map<string, Map<string, number>>;

const NO_DOUBLES: Doubles = new Map();
/** More records near a cut than this are no records at a cut. */
const MAX_CANDIDATES = 100_000;
/** Snapshots whose doubles are kept in mind; more than are ever downloaded at once. */
const MAX_REMEMBERED = 16;

/** What is left out of the page's records, beside the entries that can't be read; both stand in its page. */
export function leaveOut(read: ReadPage, leftOut: readonly SetAside[]): ReadPage {
  if (leftOut.length === 0) return read;
  const places = new Set(leftOut.map(({ index }) => index));
  const records = listPlaced(read).flatMap(({ place, record }) => (places.has(place) ? [] : [record]));
  const setAside = [...read.setAside, ...leftOut].sort((a, b) => a.index - b.index);
  return { ...read, records, setAside };
}

/**
 * Prepares the finding of records that a page holds beyond its share. A download asks up to and including the second
 * after its period, and slices share the second at the cut (decision 5), so that a service which excludes an end, or
 * compares to the millisecond, loses nothing. What the slice before holds as often is a double (decision 26); what
 * lies in the second after the whole period, or before it where filling a gap asked for that, is of another one.
 */
export function prepareLeavingOut(
  database: Database,
  pages: StoredPages,
): {
  /** Call it once for a page, in the transaction that stores it. */
  findLeftOut(snapshot: SnapshotOwner, walk: WalkRow, page: PageOfSlice): SetAside[];
  /** Drops what is remembered of a snapshot: its page was not stored, and what it took is there to be taken again. */
  forget(snapshotId: number): void;
} {
  const firstSeqOf = database
    .prepare<[number, number], number | null>(
      'SELECT min(first_seq) FROM pages WHERE snapshot_id = ? AND slice_number = ?',
    )
    .pluck();
  const pagesOf = database.prepare<[number, number, number], PageRange & { readonly knownEntries: number }>(
    `SELECT page_number AS pageNumber, first_seq AS firstSeq, record_count AS recordCount,
       known_entries AS knownEntries
     FROM pages WHERE snapshot_id = ? AND first_seq >= ? AND first_seq < ? AND record_count > 0`,
  );
  const asideOf = database
    .prepare<[number, number], number>(
      'SELECT place FROM set_aside WHERE snapshot_id = ? AND page_number = ?',
    )
    .pluck();
  const leftOutBefore = database
    .prepare<[number, number], string>(
      `SELECT s.text FROM set_aside AS s JOIN pages AS p USING (snapshot_id, page_number)
       WHERE s.snapshot_id = ? AND p.walk_number = ? AND s.reason = '${LEFT_OUT_REASONS.double}'`,
    )
    .pluck();
  const newest = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number, number], number | null>(
        `SELECT max(date_ms) FROM ${RECORD_TABLES[kind].name} WHERE record_id >= ? AND record_id < ?`,
      )
      .pluck(),
  );
  const candidates = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number, number, number], number>(
        `SELECT record_id FROM ${RECORD_TABLES[kind].name}
         WHERE record_id >= ? AND record_id < ? AND (date_ms IS NULL OR date_ms >= ?) LIMIT ${MAX_CANDIDATES}`,
      )
      .pluck(),
  );
  const askedStartOf = database
    .prepare<[number], string>('SELECT asked_start FROM downloads WHERE snapshot_id = ?')
    .pluck();
  const remembered = new Map<number, { readonly walkNumber: number; readonly doubles: Doubles }>();

  /**
   * Records of the slice before that a service may return again: those of the last second before the cut and later, and
   * where all lie before that, as with a service whose clock is another, those of the last second in which there are any.
   */
  const findCandidates = (
    kind: DetailKind,
    snapshot: SnapshotOwner,
    walk: WalkRow,
    sliceFromMs: number | null,
  ): DetailRecord[] => {
    const { id, period } = snapshot;
    const from = firstSeqOf.get(id, walk.sliceNumber - 1);
    if (typeof from !== 'number' || from >= walk.sliceFirstSeq) return [];
    const range = [toRecordId(id, from), toRecordId(id, walk.sliceFirstSeq)] as const;
    const newestMs = Math.floor((newest[kind].get(...range) ?? 0) / SECOND_MS) * SECOND_MS;
    const nearMs = Math.min(newestMs, (sliceFromMs ?? Infinity) - SECOND_MS);
    const seqs = new Set(
      candidates[kind].all(...range, nearMs).map((recordId) => recordId - toRecordId(id, 0)),
    );
    if (seqs.size === 0) return [];
    const wanted = [...seqs];
    return pagesOf
      .all(id, from, walk.sliceFirstSeq)
      .flatMap(({ pageNumber, firstSeq, recordCount, knownEntries }) => {
        if (!wanted.some((seq) => seq >= firstSeq && seq < firstSeq + recordCount)) return [];
        const bytes = pages.readBody(id, pageNumber);
        const aside = new Set(asideOf.all(id, pageNumber));
        return listPlaced(readPage(bytes, { report: kind, zone: period.zone }))
          .filter(({ place }) => place >= knownEntries && !aside.has(place))
          .flatMap(({ record }, at) => (seqs.has(firstSeq + at) ? [record] : []));
      });
  };
  const readDoubles = (
    kind: DetailKind,
    snapshot: SnapshotOwner,
    walk: WalkRow,
    sliceFromMs: number | null,
  ): Doubles => {
    const { walkNumber } = walk;
    const known = remembered.get(snapshot.id);
    if (known?.walkNumber === walkNumber) return known.doubles;
    const doubles: Doubles = new Map();
    for (const record of findCandidates(kind, snapshot, walk, sliceFromMs)) {
      const alike = doubles.get(toKey(record)) ?? new Map<string, number>();
      const identity = identify(record);
      doubles.set(toKey(record), alike.set(identity, (alike.get(identity) ?? 0) + 1));
    }
    for (const identity of leftOutBefore.all(snapshot.id, walkNumber)) {
      for (const alike of doubles.values()) takeOne(alike, identity);
    }
    remembered.delete(snapshot.id);
    remembered.set(snapshot.id, { walkNumber, doubles });
    for (const [oldest] of remembered) if (remembered.size > MAX_REMEMBERED) remembered.delete(oldest);
    return doubles;
  };

  const findLeftOut = (
    snapshot: SnapshotOwner,
    walk: WalkRow,
    { read, sliceFromMs }: PageOfSlice,
  ): SetAside[] => {
    const { report, period } = snapshot;
    if (!isDetailKind(report)) return [];
    const doubles = walk.sliceNumber === 0 ? NO_DOUBLES : readDoubles(report, snapshot, walk, sliceFromMs);
    const endMs = toEndMs(period);
    const asked =
      walk.sliceNumber === 0 ? fromWireDate(askedStartOf.get(snapshot.id) ?? '', period.zone) : null;
    const startMs = typeof asked === 'number' ? asked : period.fromMs;
    const isEarlier = ({ dateMs }: DetailRecord): boolean =>
      dateMs !== null && dateMs >= startMs && dateMs < period.fromMs;
    const mayBeLeftOut = (record: DetailRecord): boolean =>
      (record.dateMs !== null && record.dateMs >= endMs) ||
      isEarlier(record) ||
      (doubles.size > 0 && doubles.has(toKey(record)));
    // Nearly every page has none, and needs no list of places.
    if (!read.records.some(mayBeLeftOut)) return [];
    return listPlaced(read).flatMap(({ place: index, record }): SetAside[] => {
      const { dateMs } = record;
      if (dateMs !== null && dateMs >= endMs && dateMs < endMs + SECOND_MS) {
        return [{ index, reason: LEFT_OUT_REASONS.later, text: '' }];
      }
      if (isEarlier(record)) return [{ index, reason: LEFT_OUT_REASONS.earlier, text: '' }];
      const alike = doubles.get(toKey(record));
      if (alike === undefined || alike.size === 0) return [];
      const identity = identify(record);
      return takeOne(alike, identity) ? [{ index, reason: LEFT_OUT_REASONS.double, text: identity }] : [];
    });
  };
  return { findLeftOut, forget: (snapshotId) => void remembered.delete(snapshotId) };
}

function toKey({ dateText, sessionId }: DetailRecord): string {
  return `${dateText}\n${sessionId}`;
}
