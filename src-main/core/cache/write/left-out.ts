import { createHash } from 'node:crypto';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { toEndMs } from '../../../common/model/period.ts';
import { toRecordId } from '../../../common/model/records/record.ts';
import { readPage, type ReadPage, type SetAside } from '../../../common/reporting/reading/read-page.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds, type DetailKind } from '../../../common/reporting/reports.ts';
import { fromWireDate } from '../../../common/reporting/wire-documents.ts';
import { SECOND_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import type { Database } from '../../../node/open-database.ts';
import { IS_UNREADABLE, LEFT_OUT_REASONS } from '../read/download-rows.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import type { PageRange, StoredPages } from '../read/stored-pages.ts';
import type { WalkRow } from './page-writes.ts';

type SnapshotOwner = Pick<Snapshot, 'id' | 'report' | 'period' | 'settledToMs'>;
/** A slice beside another one, with the places of its records; it was read to its end before. */
interface Neighbour {
  readonly sliceNumber: number;
  readonly firstSeq: number;
  readonly endSeq: number;
}
type HeldPage = PageRange & { readonly knownEntries: number };
/** How often each record or entry that other slices hold may still come again, by what is quickly compared. */
type Doubles = Map<string, Map<string, number>>;
/** What may come again of a page, by its place among the records that were stored of it. */
type Edge = ReadonlyMap<number, { readonly key: string; readonly identity: string }>;

const NO_DOUBLES: Doubles = new Map();
/** A turn of following asks a second further on both sides, and a service may compare to the second (decision 5). */
const FOLLOWED_MARGIN_MS = 2 * SECOND_MS;
/** More records near a cut than this are no records at a cut. */
const MAX_CANDIDATES = 100_000;
/** Snapshots whose doubles are kept in mind; more than are ever downloaded or followed at once. */
const MAX_REMEMBERED = 32;
/** Pages of a snapshot whose edges are kept in mind; the slice beside the next one was nearly always read lately. */
const MAX_EDGED_PAGES = 2000;
/** More records at the edges of a page are read again from it. */
const MAX_EDGE_RECORDS = 50;

/** What is left out of the page's records, beside the entries that can't be read; both stand in its page. */
export function leaveOut(read: ReadPage, leftOut: readonly SetAside[]): ReadPage {
  if (leftOut.length === 0) return read;
  const places = new Set(leftOut.map(({ index }) => index));
  const records = listPlaced(read).flatMap(({ place, record }) => (places.has(place) ? [] : [record]));
  const unreadable = read.setAside.filter(({ index }) => !places.has(index));
  return { ...read, records, setAside: [...unreadable, ...leftOut].sort((a, b) => a.index - b.index) };
}

/**
 * Prepares the finding of what a page holds beyond its share. A download asks up to and including the second after its
 * period, and slices share the second at the cut (decision 5), so that a service which excludes an end, or compares to the
 * millisecond, loses nothing; those of a followed day overlap where late records are looked for. What another slice holds as
 * often is a double, and what comes more often is new (decision 26); what lies in the second after the whole period, or
 * before it where that was asked for, is of another one.
 */
export function prepareLeavingOut(
  database: Database,
  pages: StoredPages,
): {
  /** Call it once for a page, in the transaction that stores it. */
  findLeftOut(snapshot: SnapshotOwner, walk: WalkRow, read: ReadPage): SetAside[];
  /** Keeps in mind what lies at the edges of a page, whose stored records these are: opening it again takes long. */
  noteStored(snapshotId: number, pageNumber: number, records: readonly DetailRecord[]): void;
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
  const pagesOf = (condition: string) =>
    database.prepare<(number | string)[], HeldPage>(
      `SELECT page_number AS pageNumber, p.first_seq AS firstSeq, record_count AS recordCount,
         known_entries AS knownEntries
       FROM pages AS p JOIN slices AS l USING (snapshot_id, slice_number) WHERE snapshot_id = ? AND ${condition}`,
    );
  const pagesOfSlice = pagesOf('slice_number = ? AND record_count > 0');
  const pagesMeeting = pagesOf('slice_number < ? AND to_ms >= ? AND from_ms <= ?');
  const asideOf = database.prepare<[number, number], SetAside & { readonly isUnreadable: number }>(
    `SELECT place AS "index", reason, text, ${IS_UNREADABLE} AS isUnreadable
     FROM set_aside WHERE snapshot_id = ? AND page_number = ?`,
  );
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
  const idsOf = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number, number, number, number], number>(
        `SELECT record_id FROM ${RECORD_TABLES[kind].name}
         WHERE record_id >= ? AND record_id < ? AND (date_ms IS NULL OR (date_ms >= ? AND date_ms < ?))`,
      )
      .pluck(),
  );
  const remembered = new Map<number, { readonly walkNumber: number; readonly doubles: Doubles }>();
  const edges = new Map<number, Map<number, Edge>>();

  /** Counts the records of a page with these dates, and those without one. */
  const countPage = (
    doubles: Doubles,
    { id, report, period }: SnapshotOwner & { readonly report: DetailKind },
    page: HeldPage,
    near: TimeSpan,
  ): number => {
    const { pageNumber, firstSeq, recordCount, knownEntries } = page;
    const from = toRecordId(id, firstSeq);
    const ids = idsOf[report].all(from, from + recordCount, near.fromMs, near.toMs);
    if (ids.length === 0) return 0;
    const places = ids.map((recordId) => recordId - from);
    const edge = edges.get(id)?.get(pageNumber);
    const known = places.flatMap((place) => edge?.get(place) ?? []);
    if (known.length === places.length) {
      for (const { key, identity } of known) addTo(doubles, key, identity);
      return ids.length;
    }
    const wanted = new Set(places);
    const aside = new Set(asideOf.all(id, pageNumber).map(({ index }) => index));
    const stored = listPlaced(readPage(pages.readBody(id, pageNumber), { report, zone: period.zone })).filter(
      ({ place }) => place >= knownEntries && !aside.has(place),
    );
    for (const [at, { record }] of stored.entries())
      if (wanted.has(at)) addTo(doubles, toKey(record), identify(record));
    return ids.length;
  };
  /**
   * Counts what the slices beside a walk's hold that a service may return again: what lies within a second of the cut, and
   * where nothing does, as with a service whose clock is another, in the nearest second in which there is anything.
   */
  const countAtCuts = (
    doubles: Doubles,
    snapshot: SnapshotOwner & { readonly report: DetailKind },
    walk: WalkRow,
  ): void => {
    const { id, report } = snapshot;
    const count = (which: typeof before, toNear: (span: TimeSpan) => TimeSpan): void => {
      const found = which.get(id, walk.startDate, walk.sliceNumber);
      if (found === undefined || found.firstSeq >= found.endSeq) return;
      const { oldestMs, newestMs } = extremes[report].get(
        toRecordId(id, found.firstSeq),
        toRecordId(id, found.endSeq),
      ) ?? { oldestMs: null, newestMs: null };
      const near = toNear({ fromMs: oldestMs ?? 0, toMs: newestMs ?? 0 });
      let room = MAX_CANDIDATES;
      for (const page of pagesOfSlice.all(id, found.sliceNumber)) {
        if (room > 0) room -= countPage(doubles, snapshot, page, near);
      }
    };
    count(before, ({ toMs }) => ({
      fromMs: Math.min(toWholeSecond(toMs), walk.sliceFromMs - SECOND_MS),
      toMs: Infinity,
    }));
    count(after, ({ fromMs }) => ({
      fromMs: -Infinity,
      toMs: Math.max(toWholeSecond(fromMs), walk.sliceToMs + SECOND_MS) + SECOND_MS,
    }));
    for (const identity of leftOutBefore.all(id, walk.walkNumber)) {
      for (const alike of doubles.values()) takeOne(alike, identity);
    }
  };
  /** Counts what the slices of a followed day hold of the span that is gone through again. */
  const countMeeting = (
    doubles: Doubles,
    snapshot: SnapshotOwner & { readonly report: DetailKind },
    { sliceNumber, sliceFromMs, sliceToMs }: WalkRow,
  ): void => {
    const near = { fromMs: sliceFromMs - FOLLOWED_MARGIN_MS, toMs: sliceToMs + FOLLOWED_MARGIN_MS };
    for (const page of pagesMeeting.all(snapshot.id, sliceNumber, near.fromMs, near.toMs)) {
      for (const entry of asideOf.all(snapshot.id, page.pageNumber)) {
        if (entry.isUnreadable === 1) addTo(doubles, entry.reason, identifyAside(entry));
      }
      countPage(doubles, snapshot, page, near);
    }
  };
  const readDoubles = (snapshot: SnapshotOwner & { readonly report: DetailKind }, walk: WalkRow): Doubles => {
    if (walk.sliceNumber === 0) return NO_DOUBLES;
    const { walkNumber } = walk;
    const known = remembered.get(snapshot.id);
    if (known?.walkNumber === walkNumber) return known.doubles;
    const doubles: Doubles = new Map();
    if (snapshot.settledToMs === undefined) countAtCuts(doubles, snapshot, walk);
    else countMeeting(doubles, snapshot, walk);
    remembered.delete(snapshot.id);
    remembered.set(snapshot.id, { walkNumber, doubles });
    dropOldest(remembered, MAX_REMEMBERED);
    return doubles;
  };

  return {
    findLeftOut(snapshot, walk, read) {
      const { report, settledToMs } = snapshot;
      if (!isDetailKind(report)) return [];
      const doubles = readDoubles({ ...snapshot, report }, walk);
      const { earlier, later } = findOutside(snapshot, walk);
      const take = (key: string, toIdentity: () => string): string | null => {
        const alike = doubles.get(key);
        if (alike === undefined || alike.size === 0) return null;
        const identity = toIdentity();
        return takeOne(alike, identity) ? identity : null;
      };
      const mayBeLeftOut = (record: DetailRecord): boolean =>
        holds(later, record) || holds(earlier, record) || (doubles.size > 0 && doubles.has(toKey(record)));
      const isDouble = (entry: SetAside): boolean => take(entry.reason, () => identifyAside(entry)) !== null;
      const unreadable = read.setAside.filter(isDouble);
      const leftOut = unreadable.map(({ index }) => ({ index, reason: LEFT_OUT_REASONS.double, text: '' }));
      // Nearly every page has none, and needs no list of places.
      if (!read.records.some(mayBeLeftOut)) return leftOut;
      const records = listPlaced(read).flatMap(({ place: index, record }): SetAside[] => {
        if (holds(later, record)) return [{ index, reason: LEFT_OUT_REASONS.later, text: '' }];
        if (holds(earlier, record)) return [{ index, reason: LEFT_OUT_REASONS.earlier, text: '' }];
        const identity = take(toKey(record), () => identify(record));
        // A walk over a download goes on after a restart: it reads there what it has taken.
        const text = settledToMs === undefined ? (identity ?? '') : '';
        return identity === null ? [] : [{ index, reason: LEFT_OUT_REASONS.double, text }];
      });
      return [...leftOut, ...records];
    },
    noteStored(snapshotId, pageNumber, records) {
      const ofPages = edges.get(snapshotId) ?? new Map<number, Edge>();
      ofPages.set(pageNumber, findEdge(records));
      dropOldest(ofPages, MAX_EDGED_PAGES);
      edges.delete(snapshotId);
      edges.set(snapshotId, ofPages);
      dropOldest(edges, MAX_REMEMBERED);
    },
    forget(snapshotId) {
      remembered.delete(snapshotId);
      edges.delete(snapshotId);
    },
  };
}

/** What a walk may bring of the time before and after its own. */
function findOutside(
  { period, settledToMs }: SnapshotOwner,
  { sliceFromMs, sliceToMs, startDate }: WalkRow,
): { readonly earlier: TimeSpan; readonly later: TimeSpan } {
  if (settledToMs !== undefined) {
    return {
      earlier: { fromMs: period.fromMs - FOLLOWED_MARGIN_MS, toMs: period.fromMs },
      later: { fromMs: sliceToMs, toMs: sliceToMs + FOLLOWED_MARGIN_MS },
    };
  }
  const endMs = toEndMs(period);
  const isFirst = sliceFromMs === period.fromMs && startDate !== period.startDate;
  const asked = isFirst ? fromWireDate(startDate, period.zone) : null;
  return {
    earlier: { fromMs: typeof asked === 'number' ? asked : period.fromMs, toMs: period.fromMs },
    later: { fromMs: endMs, toMs: endMs + SECOND_MS },
  };
}

/** The records of a page's first and last two seconds, and those without a date; none where they are many. */
function findEdge(records: readonly DetailRecord[]): Edge {
  let oldestMs = Infinity;
  let newestMs = -Infinity;
  for (const { dateMs } of records) {
    if (dateMs === null) continue;
    oldestMs = Math.min(oldestMs, dateMs);
    newestMs = Math.max(newestMs, dateMs);
  }
  const isAtEdge = ({ dateMs }: DetailRecord): boolean =>
    dateMs === null || dateMs < oldestMs + 2 * SECOND_MS || dateMs > newestMs - 2 * SECOND_MS;
  const places: number[] = [];
  for (const [place, record] of records.entries()) if (isAtEdge(record)) places.push(place);
  if (places.length > MAX_EDGE_RECORDS) return new Map();
  return new Map(
    places.flatMap((place) => {
      const record = records[place];
      return record === undefined ? [] : [[place, { key: toKey(record), identity: identify(record) }]];
    }),
  );
}

function dropOldest(map: Map<number, unknown>, limit: number): void {
  for (const [oldest] of map) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}

function holds({ fromMs, toMs }: TimeSpan, { dateMs }: DetailRecord): boolean {
  return dateMs !== null && dateMs >= fromMs && dateMs < toMs;
}

function addTo(doubles: Doubles, key: string, identity: string): void {
  const alike = doubles.get(key) ?? new Map<string, number>();
  doubles.set(key, alike.set(identity, (alike.get(identity) ?? 0) + 1));
}

function toWholeSecond(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}

function toKey({ dateText, sessionId }: DetailRecord): string {
  return `${dateText}\n${sessionId}`;
}

/** The readable records of a page with their places among its entries. */
function listPlaced({
  records,
  setAside,
}: Pick<ReadPage, 'records' | 'setAside'>): { place: number; record: DetailRecord }[] {
  const aside = new Set(setAside.map(({ index }) => index));
  let place = -1;
  return records.map((record) => {
    do place += 1;
    while (aside.has(place));
    return { place, record };
  });
}

/** All fields of a record, as one text: what tells it from others, where they are not equal (decision 26). */
function identify(record: DetailRecord): string {
  return createHash('sha256').update(JSON.stringify(record)).digest('hex');
}

/** The same for an entry that can't be read. */
export function identifyAside({ reason, text }: SetAside): string {
  return `${reason}\n${text}`;
}

/** Takes one of what is counted; false where there was none to take. */
function takeOne(counts: Map<string, number>, identity: string): boolean {
  const count = counts.get(identity) ?? 0;
  if (count === 0) return false;
  if (count === 1) counts.delete(identity);
  else counts.set(identity, count - 1);
  return true;
}
