import { toEndMs } from '../../../common/model/period.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { readPage, type ReadPage, type SetAside } from '../../../common/reporting/reading/read-page.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds, type DetailKind } from '../../../common/reporting/reports.ts';
import { fromWireDate } from '../../../common/reporting/wire-dates.ts';
import { SECOND_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { LEFT_OUT_REASONS } from '../read/left-out-reasons.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import type { PageRange, StoredPages } from '../read/stored-pages.ts';
import type { WalkRow } from './page-writes.ts';
import { identify, listPlaced, takeOne } from './record-identity.ts';

type SnapshotOwner = Pick<Snapshot, 'id' | 'report' | 'period'>;
/** A slice beside another one, with the places of its records; it was read to its end before. */
interface Neighbour {
  readonly sliceNumber: number;
  readonly firstSeq: number;
  readonly endSeq: number;
}
/** How often each record that the slices beside it hold near the cut may still come again, by what is quickly compared. */
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
 * compares to the millisecond, loses nothing. What a slice beside it holds as often is a double (decision 26); what
 * lies in the second after the whole period, or before it where filling a gap asked for that, is of another one.
 */
export function prepareLeavingOut(
  database: Database,
  pages: StoredPages,
): {
  /** Call it once for a page, in the transaction that stores it. */
  findLeftOut(snapshot: SnapshotOwner, walk: WalkRow, read: ReadPage): SetAside[];
  /** Drops what is remembered of a snapshot: its page was not stored, and what it took is there to be taken again. */
  forget(snapshotId: number): void;
} {
  // What was read is numbered lower, and begins where the records of those before end.
  const beside = (which: string): ReturnType<typeof database.prepare<[number, string, number], Neighbour>> =>
    database.prepare<[number, string, number], Neighbour>(
      `SELECT l.slice_number AS sliceNumber, l.first_seq AS firstSeq, n.first_seq AS endSeq
       FROM (SELECT * FROM slices WHERE snapshot_id = ? AND start_date ${which} LIMIT 1) AS l
         JOIN slices AS n ON n.snapshot_id = l.snapshot_id AND n.slice_number = l.slice_number + 1
       WHERE l.slice_number < ?`,
    );
  const before = beside('< ? ORDER BY start_date DESC');
  const after = beside('> ? ORDER BY start_date');
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
  const extremes = mapKinds(DETAIL_KINDS, (kind) =>
    database.prepare<
      [number, number],
      { readonly oldestMs: number | null; readonly newestMs: number | null }
    >(
      `SELECT min(date_ms) AS oldestMs, max(date_ms) AS newestMs FROM ${RECORD_TABLES[kind].name}
       WHERE record_id >= ? AND record_id < ?`,
    ),
  );
  const candidates = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number, number, number, number], number>(
        `SELECT record_id FROM ${RECORD_TABLES[kind].name}
         WHERE record_id >= ? AND record_id < ? AND (date_ms IS NULL OR (date_ms >= ? AND date_ms < ?))
         LIMIT ${MAX_CANDIDATES}`,
      )
      .pluck(),
  );
  const remembered = new Map<number, { readonly walkNumber: number; readonly doubles: Doubles }>();

  /** Records of a slice with these dates, and those without one. */
  const readRecords = (
    kind: DetailKind,
    { id, period }: SnapshotOwner,
    { firstSeq: from, endSeq }: Neighbour,
    near: TimeSpan,
  ): DetailRecord[] => {
    const ids = candidates[kind].all(toRecordId(id, from), toRecordId(id, endSeq), near.fromMs, near.toMs);
    const wanted = ids.map((recordId) => recordId - toRecordId(id, 0));
    if (wanted.length === 0) return [];
    const seqs = new Set(wanted);
    return pagesOf.all(id, from, endSeq).flatMap(({ pageNumber, firstSeq, recordCount, knownEntries }) => {
      if (!wanted.some((seq) => seq >= firstSeq && seq < firstSeq + recordCount)) return [];
      const bytes = pages.readBody(id, pageNumber);
      const aside = new Set(asideOf.all(id, pageNumber));
      return listPlaced(readPage(bytes, { report: kind, zone: period.zone }))
        .filter(({ place }) => place >= knownEntries && !aside.has(place))
        .flatMap(({ record }, at) => (seqs.has(firstSeq + at) ? [record] : []));
    });
  };
  /**
   * Records of the slices beside a walk's that a service may return again: those within a second of the cut, and where
   * none lie there, as with a service whose clock is another, those of the nearest second in which there are any.
   */
  const findCandidates = (kind: DetailKind, snapshot: SnapshotOwner, walk: WalkRow): DetailRecord[] => {
    const find = (which: typeof before, toNear: (span: TimeSpan) => TimeSpan): DetailRecord[] => {
      const found = which.get(snapshot.id, walk.startDate, walk.sliceNumber);
      if (found === undefined || found.firstSeq >= found.endSeq) return [];
      const { oldestMs, newestMs } = extremes[kind].get(
        toRecordId(snapshot.id, found.firstSeq),
        toRecordId(snapshot.id, found.endSeq),
      ) ?? { oldestMs: null, newestMs: null };
      return readRecords(kind, snapshot, found, toNear({ fromMs: oldestMs ?? 0, toMs: newestMs ?? 0 }));
    };
    const ofBefore = find(before, ({ toMs }) => ({
      fromMs: Math.min(toWholeSecond(toMs), walk.sliceFromMs - SECOND_MS),
      toMs: Infinity,
    }));
    const ofAfter = find(after, ({ fromMs }) => ({
      fromMs: -Infinity,
      toMs: Math.max(toWholeSecond(fromMs), walk.sliceToMs + SECOND_MS) + SECOND_MS,
    }));
    return [...ofBefore, ...ofAfter];
  };
  const readDoubles = (kind: DetailKind, snapshot: SnapshotOwner, walk: WalkRow): Doubles => {
    const { walkNumber } = walk;
    const known = remembered.get(snapshot.id);
    if (known?.walkNumber === walkNumber) return known.doubles;
    const doubles: Doubles = new Map();
    for (const record of findCandidates(kind, snapshot, walk)) {
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

  const findLeftOut = (snapshot: SnapshotOwner, walk: WalkRow, read: ReadPage): SetAside[] => {
    const { report, period } = snapshot;
    if (!isDetailKind(report)) return [];
    const doubles = walk.sliceNumber === 0 ? NO_DOUBLES : readDoubles(report, snapshot, walk);
    const endMs = toEndMs(period);
    const isFirst = walk.sliceFromMs === period.fromMs && walk.startDate !== period.startDate;
    const asked = isFirst ? fromWireDate(walk.startDate, period.zone) : null;
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

function toWholeSecond(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}

function toKey({ dateText, sessionId }: DetailRecord): string {
  return `${dateText}\n${sessionId}`;
}
