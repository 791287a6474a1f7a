import type { Remark, Snapshot } from '../../../common/model/cache/snapshot.ts';
import { judgeTotals, type Announced } from '../../../common/reporting/reading/judge-totals.ts';
import type { ReadPage } from '../../../common/reporting/reading/read-page.ts';
import { isDetailKind } from '../../../common/reporting/reports.ts';
import { SECOND_MS } from '../../../common/time/durations.ts';
import { findOutside } from '../../analysis/pages/find-outside.ts';
import { LEFT_OUT_REASONS } from '../read/left-out-reasons.ts';
import type { WalkRow } from './page-writes.ts';

interface RemarkedPage {
  readonly walk: WalkRow;
  readonly read: ReadPage;
  /** Why the walk ends with it; null while it goes on. */
  readonly head: { readonly end: string | null };
  readonly sizeAsked: number;
  readonly removedSecrets: number;
  readonly knownEntries: number;
  readonly isRepeat: boolean;
  /** What the walk's pages announced, this one included. */
  readonly announced: () => Announced;
  /** Records at the page's beginning that are the end of the page before. */
  readonly overlap: number;
  /** Of a followed day: its walks overlap, and who follows judges what they announce. */
  readonly followed: object | null;
}

/** Services that cut an answer short do so at a round number of records. */
const ROUND = 10;
const MIN_OVERLAPPING_PAGES = 2;

/** What was tolerated in the page itself, and what only shows between pages (decisions 8 and 10). */
export function listPageRemarks(snapshot: Snapshot, page: RemarkedPage): Remark[] {
  const { walk, read, head, knownEntries, isRepeat, sizeAsked } = page;
  const isKnown = knownEntries > 0 && knownEntries === read.recordCount;
  const asked =
    page.followed === null
      ? snapshot.period
      : { ...snapshot.period, fromMs: walk.sliceFromMs - SECOND_MS, toMs: walk.sliceToMs - SECOND_MS };
  const remarks = isKnown ? [] : [...read.remarks, ...findOutside(read.records, asked)];
  if (page.removedSecrets > 0) remarks.push({ code: 'secrets-removed', count: page.removedSecrets });
  if (page.followed !== null) return remarks;
  for (const code of Object.values(LEFT_OUT_REASONS)) {
    const count = read.setAside.filter(
      ({ index, reason }) => reason === code && index >= knownEntries,
    ).length;
    if (count > 0 && !isRepeat) remarks.push({ code, count });
  }
  const total = read.totalDocument;
  const before =
    walk.walkEntryCount === 0 || snapshot.totalDocument === null
      ? null
      : snapshot.totalDocument - walk.sliceTotalBefore;
  if (before !== null && total !== null && before !== total) {
    remarks.push({ code: 'total-changed', count: 1, detail: `${before} → ${total}` });
  }
  if (head.end === 'cursor-repeated') {
    remarks.push({ code: isRepeat ? 'page-repeated' : 'cursor-repeated', count: 1 });
  }
  if (head.end === null) {
    // Where all announced records have come, the next page is only asked for to see the end.
    if (read.recordCount < sizeAsked && walk.walkEntryCount + read.recordCount !== total) {
      remarks.push({ code: 'short-page', count: 1, detail: `${read.recordCount} / ${sizeAsked}` });
    }
    return remarks;
  }
  const announced = page.announced();
  if (isPerhapsCut(snapshot, page, announced)) remarks.push({ code: 'end-not-stated', count: 1 });
  const received = walk.walkEntryCount + (isRepeat ? 0 : read.recordCount);
  const overlap = isRepeat ? walk.walkOverlapRecords : walk.walkOverlapRecords + page.overlap;
  if (isOverlapping(received, announced, overlap, isAlwaysOverlapping(page))) {
    remarks.push({ code: 'pages-overlap', count: overlap });
  }
  return [...remarks, ...judgeTotals(received, announced).remarks];
}

/** Exactly as many too much came as pages began with the end of the one before, or all of them did. */
function isOverlapping(
  received: number,
  { last, largest }: Announced,
  overlap: number,
  isAlways: boolean,
): boolean {
  if (overlap === 0) return false;
  if (last === null || largest === null) return isAlways;
  return received > largest && received - largest === overlap;
}

/** True where every page of the walk after its first began with the end of the one before, and there were several. */
function isAlwaysOverlapping({ walk, read, overlap, isRepeat }: RemarkedPage): boolean {
  const isCounted = !isRepeat && read.records.length > 0;
  const pages = walk.walkPageCount + (isCounted ? 1 : 0);
  const overlapping = walk.walkOverlapPages + (isCounted && overlap > 0 ? 1 : 0);
  return overlapping >= MIN_OVERLAPPING_PAGES && overlapping === pages - 1;
}

/** One page with neither a total nor a cursor, and as long as a cut one: nothing says that this is all. */
function isPerhapsCut(snapshot: Snapshot, page: RemarkedPage, { last }: Announced): boolean {
  const { walk, read, sizeAsked } = page;
  const { recordCount } = read;
  if (walk.walkEntryCount > 0 || last !== null || read.hasCursorField || recordCount === 0) return false;
  return recordCount === sizeAsked || (isDetailKind(snapshot.report) && recordCount % ROUND === 0);
}
