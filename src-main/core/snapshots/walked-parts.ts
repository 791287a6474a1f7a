import { toEndMs } from '../../common/model/period.ts';
import { isDetailKind, type ReportKind } from '../../common/reporting/reports.ts';
import { SECOND_MS } from '../../common/time/durations.ts';
import type { WalkedPart } from '../analysis/read-coverage.ts';
import type { Cache } from '../cache/cache.ts';
import { slicePeriod } from '../downloads/slice-period.ts';
import { hasBrokenEnd, listShortcomings } from '../downloads/walk-report.ts';
import { toWalkedEnd } from '../downloads/walked-end.ts';

/**
 * Returns what downloads that are not over hold of their periods, by snapshot: the slices that were read to their end,
 * and of the one after them the part that its records reach, where they come in the order of time or against it.
 */
export async function listWalkedParts(
  cache: Pick<Cache, 'listDownloads' | 'readReach'>,
  connectionId: string,
  report: ReportKind,
): Promise<ReadonlyMap<number, WalkedPart>> {
  if (!isDetailKind(report)) return new Map();
  const rows = (await cache.listDownloads(connectionId)).filter(
    ({ snapshot }) => snapshot.report === report && snapshot.state !== 'complete',
  );
  const parts = new Map<number, WalkedPart>();
  for (const row of rows) {
    const { id: snapshotId, period, recordCount } = row.snapshot;
    if (hasBrokenEnd(row.snapshot)) continue;
    const walkedToMs = toWalkedEnd(row);
    const slice = slicePeriod(period, row.sliceDays)[row.sliceNumber] ?? period;
    // A walk that was read to its end, and is not complete, lacks records nobody knows where.
    if (walkedToMs >= toEndMs(period)) continue;
    const isSound = listShortcomings(row.snapshot).length === 0;
    const wanted = { snapshotId, report, fromSeq: row.sliceFirstSeq, toSeq: recordCount };
    const reach = row.nextCursor === null ? null : await cache.readReach(wanted);
    const hasRecords = row.nextCursor !== null && recordCount > row.sliceFirstSeq;
    parts.set(snapshotId, {
      walkedToMs,
      isSound,
      reached: hasRecords ? toReached(slice.fromMs, toEndMs(slice), reach) : null,
    });
  }
  return parts;
}

function toReached(
  fromMs: number,
  toMs: number,
  reach: { readonly firstMs: number; readonly lastMs: number } | null,
): WalkedPart['reached'] {
  if (reach === null) return { fromMs, toMs };
  const second = Math.floor(reach.lastMs / SECOND_MS) * SECOND_MS;
  // Of the newest second, or the oldest one, more may come.
  if (reach.lastMs >= reach.firstMs) return { fromMs, toMs: Math.min(toMs, Math.max(fromMs, second)) };
  return { fromMs: Math.max(fromMs, Math.min(toMs, second + SECOND_MS)), toMs };
}
