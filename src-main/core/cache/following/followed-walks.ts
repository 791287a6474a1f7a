import { createHash } from 'node:crypto';
import { AppError } from '../../../common/contract/errors.ts';
import { sumUpAnnounced, type Announced } from '../../../common/reporting/reading/judge-totals.ts';
import type { ReadPage } from '../../../common/reporting/reading/read-page.ts';
import { LEFT_OUT_REASONS } from '../read/left-out-reasons.ts';
import type { WalkRow } from '../write/page-writes.ts';
import { identifyAside } from '../write/record-identity.ts';

/** A walk over a part of a followed day: what it has met so far is kept in memory, since not every page is stored. */
export interface FollowedWalk {
  /** True for a page whose entries came before in this walk. */
  isRepeated(read: ReadPage, hadAll: () => boolean): boolean;
  wasSeen(cursor: string): boolean;
  wasEmpty(): boolean;
  announced(newest: number | null): Announced;
  /** Remembers a page that was taken in. */
  note(page: { readonly cursorSent: string; readonly read: ReadPage; readonly goesOn: boolean }): void;
}

/** Shorter pages may be alike by chance. */
const MIN_REPEATED_RECORDS = 10;
/** More walks than ever run at once. */
const MAX_WALKS = 16;

/** Keeps in mind the walks over parts of followed days that are under way. */
export function createFollowedWalks() {
  const walks = new Map<number, { readonly walkNumber: number; readonly walk: FollowedWalk }>();
  return {
    /** The walk that a page is of. Throws AppError `app.cancelled` in the middle of one that nothing is known of. */
    openFollowed(snapshotId: number, { walkNumber }: WalkRow, cursorSent: string): FollowedWalk {
      const underWay = walks.get(snapshotId);
      if (underWay?.walkNumber === walkNumber && cursorSent !== '') return underWay.walk;
      // What it has met so far is gone with the thread that knew it: the next slice begins anew.
      if (cursorSent !== '') throw new AppError('app.cancelled', 'The walk was interrupted.', { snapshotId });
      const walk = createWalk();
      walks.delete(snapshotId);
      walks.set(snapshotId, { walkNumber, walk });
      for (const [oldest] of walks) if (walks.size > MAX_WALKS) walks.delete(oldest);
      return walk;
    },
    /** Drops what is remembered of a walk: a page of it was not stored, so that the next slice begins anew. */
    forget: (snapshotId: number): void => void walks.delete(snapshotId),
  };
}

function createWalk(): FollowedWalk {
  const seen = new Set<string>();
  const contents = new Set<string>();
  const totals: (number | null)[] = [];
  let isEmpty = false;
  return {
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
}

/** True for a page with entries that can't be read. */
export function hasUnreadable({ setAside }: Pick<ReadPage, 'setAside'>): boolean {
  const leftOut: readonly string[] = Object.values(LEFT_OUT_REASONS);
  return setAside.some(({ reason }) => !leftOut.includes(reason));
}

/** The entries of a page as they came, as one text. */
function digest({ records, setAside }: ReadPage): string {
  const hash = createHash('sha256');
  for (const record of records) hash.update(JSON.stringify(record));
  for (const entry of setAside) hash.update(identifyAside(entry));
  return hash.digest('hex');
}
