import { toEndMs } from '../../common/model/period.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import { slicePeriod } from './slice-period.ts';
import { hasBrokenEnd, listShortcomings } from './walk-report.ts';

/** Up to where the slices of a download were read to their end; exclusive. */
export function toWalkedEnd({ snapshot, sliceDays, sliceNumber, nextCursor }: DownloadRow): number {
  const slice = slicePeriod(snapshot.period, sliceDays)[sliceNumber] ?? snapshot.period;
  return nextCursor === null && !hasBrokenEnd(snapshot) ? toEndMs(slice) : slice.fromMs;
}

/** The same, where nothing is known to lack in them; else the beginning of the period. */
export function toSoundEnd(row: DownloadRow): number {
  const isSound = listShortcomings(row.snapshot).length === 0;
  return isSound ? toWalkedEnd(row) : row.snapshot.period.fromMs;
}
