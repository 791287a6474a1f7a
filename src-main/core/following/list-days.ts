import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { toEndMs } from '../../common/model/period.ts';
import { toLookBackMs } from '../../common/model/connections/connection.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { MINUTE_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Cache } from '../cache/cache.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import type { SavedConnection } from '../connections/connection-document.ts';
import { layOut, toPlain } from '../coverage/coverage-spans.ts';
import { findSettledToMs } from '../coverage/read-holdings.ts';
import type { Ledger } from '../coverage/create-ledger.ts';
import { listDays, type FollowedDay } from './plan-steps.ts';

/** What is held in shorter pieces is fetched again: a snapshot of its own for what is between them costs more. */
const MIN_HELD_MS = 15 * MINUTE_MS;

/** What the days of a followed report are read from. */
export interface DayParts {
  readonly cache: Pick<Cache, 'listDownloads' | 'listFollowedMarks' | 'keepFollowedMark'>;
  readonly ledger: Pick<Ledger, 'readHeld'>;
}

/**
 * Returns the days of a followed report that are not settled, oldest first: from the day on which following began, or
 * from the first day that is not settled. A cache that knows nothing about following begins with today. What downloads
 * hold and is settled is not followed: a day is cut there.
 */
export async function listFollowedDays(
  { cache, ledger }: DayParts,
  connection: SavedConnection,
  report: DetailKind,
  nowMs: number,
): Promise<FollowedDay[]> {
  const { id: connectionId, serviceZone: zone, followedSinceMs = nowMs } = connection;
  const marks = await cache.listFollowedMarks(connectionId);
  const mark = marks.find((each) => each.report === report);
  const fromMs = Math.min(nowMs, Math.max(mark?.doneToMs ?? nowMs, followedSinceMs));
  const own = (await cache.listDownloads(connectionId)).filter((row) => isOwn(row, connection, report));
  const [followed, downloaded] = [own.filter(isFollowed), own.filter((row) => !isFollowed(row))];
  const days = listDays(fromMs, nowMs, zone);
  const lookBackMs = toLookBackMs(connection);
  const whole = { fromMs: days[0]?.fromMs ?? nowMs, toMs: days.at(-1)?.toMs ?? nowMs };
  const known = await ledger.readHeld(connectionId, downloaded, whole);
  const held = toPlain(known.filter(({ state }) => state === 'settled')).filter(
    (span) => span.toMs - span.fromMs >= MIN_HELD_MS,
  );
  const parts = days.flatMap((day) =>
    listPieces(
      day,
      followed.map(({ snapshot }) => snapshot),
      held,
      lookBackMs,
    ),
  );
  const open = parts.findIndex((part) => part.settledToMs < part.toMs);
  const left = open === -1 ? parts.slice(-1) : parts.slice(open);
  const [first] = left;
  const firstDay = first === undefined ? days.at(-1) : days.findLast((day) => day.fromMs <= first.fromMs);
  const doneToMs = firstDay?.fromMs ?? nowMs;
  if (mark?.doneToMs !== doneToMs) await cache.keepFollowedMark({ connectionId, report, doneToMs });
  return left;
}

function isFollowed({ snapshot }: DownloadRow): boolean {
  return snapshot.settledToMs !== undefined;
}

/** The pieces of a day that are followed: what downloads don't hold of it, each in a snapshot of its own. */
function listPieces(
  day: TimeSpan,
  followed: readonly Snapshot[],
  held: readonly TimeSpan[],
  lookBackMs: number,
): FollowedDay[] {
  const own = followed.filter(({ period: { fromMs } }) => fromMs >= day.fromMs && fromMs < day.toMs);
  const taken = [...own.map(({ period }) => ({ fromMs: period.fromMs, toMs: toEndMs(period) })), ...held];
  const free = layOut(
    taken.map((span) => ({ ...span, state: 'settled' as const })),
    day,
  ).filter(({ state }) => state === 'missing');
  const grown = own.map((snapshot): FollowedDay => {
    const { id: snapshotId, period } = snapshot;
    const settledToMs = findSettledToMs(snapshot, lookBackMs);
    const coveredToMs = Math.max(period.fromMs, toEndMs(period));
    const toMs = free.find(({ fromMs }) => fromMs === coveredToMs)?.toMs ?? coveredToMs;
    return { snapshotId, fromMs: period.fromMs, toMs, coveredToMs, settledToMs };
  });
  const begun = free
    .filter(({ fromMs }) => !grown.some(({ coveredToMs }) => coveredToMs === fromMs))
    .map(({ fromMs, toMs }): FollowedDay => {
      return { snapshotId: null, fromMs, toMs, coveredToMs: fromMs, settledToMs: fromMs };
    });
  return [...grown, ...begun].sort((a, b) => a.fromMs - b.fromMs);
}

/** A day grows only with what the same service says, in the zone that its period is in; only that spares it (decision 35). */
function isOwn(
  { snapshot, baseAddress, reportIdentifier }: DownloadRow,
  connection: SavedConnection,
  report: DetailKind,
): boolean {
  const isReceived = snapshot.imported === undefined && snapshot.state === 'complete';
  if (!isReceived || snapshot.report !== report || snapshot.tenant !== connection.tenant) return false;
  // The local service stays the same one, whichever port it was given.
  const isHere = connection.kind === 'local' || baseAddress === connection.baseAddress;
  const identifier = connection.reportIdentifiers[report];
  return (
    isHere &&
    snapshot.period.zone === connection.serviceZone &&
    reportIdentifier.toLowerCase() === identifier.toLowerCase()
  );
}
