import { createHash } from 'node:crypto';
import { AppError } from '../../../common/contract/errors.ts';
import type { Period } from '../../../common/model/period.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { sumUpAnnounced, type Announced } from '../../../common/reporting/reading/judge-totals.ts';
import { readPage, type ReadPage, type SetAside } from '../../../common/reporting/reading/read-page.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds, type DetailKind } from '../../../common/reporting/reports.ts';
import { SECOND_MS } from '../../../common/time/durations.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { IS_UNREADABLE, LEFT_OUT_REASONS } from '../read/left-out-reasons.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import type { StoredPages } from '../read/stored-pages.ts';
import type { WalkRow } from '../write/page-writes.ts';
import { identify, listPlaced, takeOne } from '../write/record-identity.ts';

/** A walk over a part of a followed day; what it has met so far is kept in memory, since not every page is stored. */
export interface FollowedWalk {
  /** What the walk asks for: the second before its span too, in which records may still have come. */
  readonly asked: Pick<Period, 'fromMs' | 'toMs'>;
  /** The page without the entries that the day holds as often, or that lie outside it; call it once for a page. */
  takeNew(read: ReadPage): ReadPage;
  /** True for a page whose entries came before in this walk. */
  isRepeated(read: ReadPage, hadAll: () => boolean): boolean;
  wasSeen(cursor: string): boolean;
  wasEmpty(): boolean;
  announced(newest: number | null): Announced;
  /** Remembers a page that was taken in. */
  note(page: { readonly cursorSent: string; readonly read: ReadPage; readonly goesOn: boolean }): void;
}

interface Slice {
  readonly fromMs: number;
  readonly toMs: number;
}
interface KnownPage {
  readonly pageNumber: number;
  readonly firstSeq: number;
  readonly recordCount: number;
}
type Seqs = Pick<Set<number>, 'has' | 'size'>;

/** A service may compare to the second, and asks reach a second further on both sides (decision 5). */
const MARGIN_MS = 2 * SECOND_MS;
/** Shorter pages may be alike by chance. */
const MIN_REPEATED_RECORDS = 10;
/** More walks than ever run at once. */
const MAX_WALKS = 16;

/**
 * Prepares walks over parts of followed days. Parts overlap where late records are looked for: what the day holds as
 * often as it comes is left out, and a record that comes more often than it is held is new (decision 26).
 */
export function prepareFollowedWalks(
  database: Database,
  pages: StoredPages,
): {
  openFollowed(snapshot: Snapshot, walk: WalkRow, cursorSent: string): FollowedWalk;
  /** Drops what is remembered of a walk: a page of it was not stored, so that the next slice begins anew. */
  forget(snapshotId: number): void;
} {
  const spanOf = database.prepare<[number, number], Slice>(
    `SELECT from_ms AS fromMs, to_ms AS toMs FROM slices WHERE snapshot_id = ? AND slice_number = ?`,
  );
  const pagesOf = database.prepare<[number, number, number, number], KnownPage>(
    `SELECT p.page_number AS pageNumber, p.first_seq AS firstSeq, p.record_count AS recordCount
     FROM slices AS f JOIN pages AS p USING (snapshot_id, slice_number)
     WHERE f.snapshot_id = ? AND f.slice_number < ? AND f.to_ms >= ? AND f.from_ms <= ?`,
  );
  const asideOf = database.prepare<[number, number], SetAside & { readonly isUnreadable: number }>(
    `SELECT place AS "index", reason, text, ${IS_UNREADABLE} AS isUnreadable
     FROM set_aside WHERE snapshot_id = ? AND page_number = ?`,
  );
  const idsOf = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number, number, number, number], number>(
        `SELECT record_id FROM ${RECORD_TABLES[kind].name}
         WHERE record_id >= ? AND record_id < ? AND (date_ms IS NULL OR (date_ms >= ? AND date_ms < ?))`,
      )
      .pluck(),
  );
  const walks = new Map<number, { readonly walkNumber: number; readonly walk: FollowedWalk }>();

  const countKnown = (
    kind: DetailKind,
    { id, period: { zone } }: Snapshot,
    walk: WalkRow,
    { fromMs, toMs }: Slice,
  ): Map<string, number> => {
    const [lo, hi] = [fromMs - MARGIN_MS, toMs + MARGIN_MS];
    const counts = new Map<string, number>();
    const add = (identity: string): void => void counts.set(identity, (counts.get(identity) ?? 0) + 1);
    for (const { pageNumber, firstSeq, recordCount } of pagesOf.all(id, walk.sliceNumber, lo, hi)) {
      const from = toRecordId(id, firstSeq);
      const seqs: Seqs = new Set(
        idsOf[kind].all(from, from + recordCount, lo, hi).map((recordId) => recordId - toRecordId(id, 0)),
      );
      const setAside = asideOf.all(id, pageNumber);
      for (const entry of setAside) if (entry.isUnreadable === 1) add(identifyAside(entry));
      if (seqs.size === 0) continue;
      const places = new Set(setAside.map(({ index }) => index));
      const stored = listPlaced(readPage(pages.readBody(id, pageNumber), { report: kind, zone }));
      const own = stored.filter(({ place }) => !places.has(place));
      for (const [at, { record }] of own.entries()) if (seqs.has(firstSeq + at)) add(identify(record));
    }
    return counts;
  };

  const begin = (kind: DetailKind, snapshot: Snapshot, row: WalkRow): FollowedWalk => {
    const span = spanOf.get(snapshot.id, row.sliceNumber);
    if (span === undefined) {
      throw new AppError('app.invalid-input', 'No slice has begun.', { snapshotId: snapshot.id });
    }
    const known = countKnown(kind, snapshot, row, span);
    const seen = new Set<string>();
    const contents = new Set<string>();
    const totals: (number | null)[] = [];
    let isEmpty = false;
    const endMs = span.toMs;
    const startMs = snapshot.period.fromMs;
    const judge = (dateMs: number | null, identity: () => string): SetAside['reason'] | null => {
      if (dateMs !== null && dateMs >= endMs && dateMs < endMs + MARGIN_MS) return LEFT_OUT_REASONS.later;
      if (dateMs !== null && dateMs < startMs && dateMs >= startMs - MARGIN_MS) {
        return LEFT_OUT_REASONS.earlier;
      }
      return known.size > 0 && takeOne(known, identity()) ? LEFT_OUT_REASONS.double : null;
    };
    return {
      asked: { fromMs: span.fromMs - SECOND_MS, toMs: span.toMs - SECOND_MS },
      takeNew(read) {
        const setAside = read.setAside.map((entry) =>
          takeOne(known, identifyAside(entry))
            ? { index: entry.index, reason: LEFT_OUT_REASONS.double, text: '' }
            : entry,
        );
        const records: DetailRecord[] = [];
        for (const { place, record } of listPlaced(read)) {
          const reason = judge(record.dateMs, () => identify(record));
          if (reason === null) records.push(record);
          else setAside.push({ index: place, reason, text: '' });
        }
        return { ...read, records, setAside: setAside.sort((a, b) => a.index - b.index) };
      },
      isRepeated(read, hadAll) {
        if (read.recordCount === 0 || contents.size === 0 || !contents.has(digest(read))) return false;
        return read.recordCount >= MIN_REPEATED_RECORDS || hadAll();
      },
      wasSeen: (cursor) => seen.has(cursor),
      wasEmpty: () => isEmpty,
      announced: (newest) => sumUpAnnounced([...totals, newest]),
      note({ cursorSent, read, goesOn }) {
        seen.add(cursorSent.toWellFormed());
        if (goesOn) contents.add(digest(read));
        totals.push(read.totalDocument);
        isEmpty = read.recordCount === 0;
      },
    };
  };

  const openFollowed = (snapshot: Snapshot, row: WalkRow, cursorSent: string): FollowedWalk => {
    const { id, report } = snapshot;
    const underWay = walks.get(id);
    if (underWay?.walkNumber === row.walkNumber && cursorSent !== '') return underWay.walk;
    // What it has met so far is gone with the thread that knew it: the next slice begins anew.
    if (cursorSent !== '' || !isDetailKind(report)) {
      throw new AppError('app.cancelled', 'The walk was interrupted.', { snapshotId: id });
    }
    const walk = begin(report, snapshot, row);
    walks.delete(id);
    walks.set(id, { walkNumber: row.walkNumber, walk });
    for (const [oldest] of walks) if (walks.size > MAX_WALKS) walks.delete(oldest);
    return walk;
  };
  return { openFollowed, forget: (snapshotId) => void walks.delete(snapshotId) };
}

/** True for a page with entries that can't be read. */
export function hasUnreadable({ setAside }: Pick<ReadPage, 'setAside'>): boolean {
  const leftOut: readonly string[] = Object.values(LEFT_OUT_REASONS);
  return setAside.some(({ reason }) => !leftOut.includes(reason));
}

function identifyAside({ reason, text }: SetAside): string {
  return `${reason}\n${text}`;
}

/** The entries of a page as they came, as one text. */
function digest({ records, setAside }: ReadPage): string {
  const hash = createHash('sha256');
  for (const record of records) hash.update(JSON.stringify(record));
  for (const entry of setAside) hash.update(identifyAside(entry));
  return hash.digest('hex');
}
