import { toEndMs } from '../../common/model/period.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import type { Cache } from '../cache/cache.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import type { SavedConnection } from '../connections/connection-document.ts';
import { listDays, type FollowedDay } from './plan-steps.ts';

/**
 * Returns the days of a followed report that are not settled, oldest first: from the day on which following began, or
 * from the first day that is not settled. A cache that knows nothing about following begins with today.
 */
export async function listFollowedDays(
  cache: Pick<Cache, 'listDownloads' | 'listFollowedMarks' | 'keepFollowedMark'>,
  connection: SavedConnection,
  report: DetailKind,
  nowMs: number,
): Promise<FollowedDay[]> {
  const { id: connectionId, serviceZone: zone, followedSinceMs = nowMs } = connection;
  const marks = await cache.listFollowedMarks(connectionId);
  const mark = marks.find((each) => each.report === report);
  const fromMs = Math.min(nowMs, Math.max(mark?.doneToMs ?? nowMs, followedSinceMs));
  const rows = (await cache.listDownloads(connectionId)).filter((row) => isOwn(row, connection, report));
  const days = listDays(fromMs, nowMs, zone).map((day): FollowedDay => {
    const own = rows
      .map(({ snapshot }) => snapshot)
      .filter(({ period }) => period.fromMs === day.fromMs)
      .sort((a, b) => b.period.toMs - a.period.toMs)[0];
    const coveredToMs = own === undefined ? day.fromMs : Math.max(day.fromMs, toEndMs(own.period));
    return { ...day, snapshotId: own?.id ?? null, coveredToMs, settledToMs: own?.settledToMs ?? day.fromMs };
  });
  const open = days.findIndex((day) => day.settledToMs < day.toMs);
  const left = open === -1 ? days.slice(-1) : days.slice(open);
  const doneToMs = left[0]?.fromMs ?? nowMs;
  if (mark?.doneToMs !== doneToMs) await cache.keepFollowedMark({ connectionId, report, doneToMs });
  return left;
}

/** A day grows only with what the same service says, in the zone that its period is in (decision 35). */
function isOwn(
  { snapshot, baseAddress, reportIdentifier }: DownloadRow,
  connection: SavedConnection,
  report: DetailKind,
): boolean {
  const isFollowed =
    snapshot.settledToMs !== undefined && snapshot.imported === undefined && snapshot.state === 'complete';
  if (!isFollowed || snapshot.report !== report || snapshot.tenant !== connection.tenant) return false;
  // The local service stays the same one, whichever port it was given.
  const isHere = connection.kind === 'local' || baseAddress === connection.baseAddress;
  const identifier = connection.reportIdentifiers[report];
  return (
    isHere &&
    snapshot.period.zone === connection.serviceZone &&
    reportIdentifier.toLowerCase() === identifier.toLowerCase()
  );
}
