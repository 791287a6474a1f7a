import { AppError } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { toLookBackMs } from '../../common/model/connections/connection.ts';
import { toEndMs } from '../../common/model/period.ts';
import { judgeTotals, sumUpAnnounced } from '../../common/reporting/reading/read-envelope.ts';
import { DETAIL_KINDS, type DetailKind, mapKinds } from '../../common/reporting/reports.ts';
import { toWireDate } from '../../common/reporting/wire-documents.ts';
import { listBucketEdges } from '../../common/time/civil-time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Cache } from '../cache/cache.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Ledger } from '../coverage/ledger.ts';
import { findSettledToMs, layOut, toPlain } from '../coverage/read-holdings.ts';
import { adaptPageSize, type PageSizing, toFirstSizing, toPeriod } from '../downloads/slice-period.ts';
import { walkReport } from '../downloads/walk-report.ts';

/** A day of the service's clock, or what downloads leave of one, and what is cached of it. */
export interface FollowedDay extends TimeSpan {
  /** The snapshot that it grows in; null before its first slice. */
  readonly snapshotId: number | null;
  /** Read to their end up to here, exclusive; the day's beginning where nothing is. */
  readonly coveredToMs: number;
  /** Late records were looked for up to here, exclusive. */
  readonly settledToMs: number;
}

/** A span to ask for. */
interface FollowedStep extends TimeSpan {
  readonly day: FollowedDay;
}

interface Situation {
  /** Days that are not settled, oldest first; the last one is today. */
  readonly days: readonly FollowedDay[];
  readonly nowMs: number;
  readonly lookBackMs: number;
  /** The most time to ask for at once. */
  readonly sliceMs: number;
}

/** Late records are looked for in spans of this length, not at each turn. */
const LOOK_AGAIN_MS = 300_000;

/** The days of a zone's clock that [fromMs, nowMs) touches, oldest first. */
export function listDays(
  fromMs: number,
  nowMs: number,
  zone: string,
): Pick<FollowedDay, 'fromMs' | 'toMs'>[] {
  const edges = listBucketEdges(fromMs, Math.max(nowMs, fromMs + 1), DAY_MS, zone);
  return edges.slice(1).map((toMs, place) => ({ fromMs: edges[place] ?? toMs, toMs }));
}

/** Time that is still to be fetched. */
function measureBehind(days: readonly FollowedDay[], nowMs: number): number {
  return days.reduce((sum, day) => sum + Math.max(0, toTarget(day, nowMs) - day.coveredToMs), 0);
}

/** Up to where a day is settled once [fromMs, toMs) was read, by requests that began at `atMs`. */
export function toSettled(
  { day, fromMs, toMs }: FollowedStep,
  { atMs, lookBackMs }: { readonly atMs: number; readonly lookBackMs: number },
): number {
  if (fromMs > day.settledToMs) return day.settledToMs;
  return Math.max(day.settledToMs, Math.min(toMs, toWholeSecond(atMs - lookBackMs)));
}

/**
 * What one turn asks for, in order. What is new of today comes first, from the last covered second; after a gap from
 * where late records may have come since, so that they need no walk of their own. Where nothing is left of that, a
 * span whose look-back is over is looked at once more. Days before follow when today is up to date, the newest first,
 * each from its beginning: it grows without holes.
 */
export function planSteps({ days, nowMs, lookBackMs, ...pace }: Situation): FollowedStep[] {
  // A request can't say parts of a second: it would be made an hour longer, and the day not grow by it.
  const sliceMs = toWholeSecond(pace.sliceMs);
  const lookedToMs = toWholeSecond(nowMs - lookBackMs);
  const goOn = (day: FollowedDay): FollowedStep | null => {
    const targetMs = toTarget(day, nowMs);
    if (day.coveredToMs >= targetMs) return null;
    const fromMs = lookedToMs >= day.coveredToMs ? day.settledToMs : day.coveredToMs;
    // What was covered before is gone through at once, or the slice would bring nothing new.
    return { day, fromMs, toMs: Math.min(targetMs, Math.max(fromMs, day.coveredToMs) + sliceMs) };
  };
  const lookAgain = (day: FollowedDay): FollowedStep | null => {
    const { settledToMs } = day;
    const untilMs = Math.min(day.coveredToMs, lookedToMs, settledToMs + Math.max(sliceMs, LOOK_AGAIN_MS));
    const isDue = untilMs - settledToMs >= LOOK_AGAIN_MS || (untilMs === day.toMs && settledToMs < day.toMs);
    return isDue ? { day, fromMs: settledToMs, toMs: untilMs } : null;
  };
  const newestFirst = days.toReversed();
  const [today] = newestFirst;
  if (today === undefined) return [];
  const first = goOn(today);
  if (first !== null && first.toMs < toTarget(today, nowMs)) return [first];
  const own = first === null ? [] : [first];
  for (const day of newestFirst) {
    // Today's own step says more about its newest part than this plan knows.
    const step = (day === today ? null : goOn(day)) ?? lookAgain(day);
    if (step !== null && !(day === today && first !== null && first.fromMs < step.toMs))
      return [...own, step];
  }
  return own;
}

function toTarget({ toMs }: Pick<FollowedDay, 'toMs'>, nowMs: number): number {
  return Math.min(toMs, toWholeSecond(nowMs));
}

function toWholeSecond(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}

export interface TurnParts {
  readonly cache: SpanReading['cache'] & DayParts['cache'];
  readonly ledger: DayParts['ledger'];
  readonly connections: Pick<ConnectionStore, 'get' | 'clientFor'>;
  readonly emit: Emit;
  now(): number;
}

/** What a turn left behind. */
export interface TurnResult {
  /** Time that is still to be fetched. */
  readonly behindMs: number;
  /** Where the days begin that are not settled. */
  readonly pendingFromMs: number;
}

/** The turns of one connection; what they learn about its service is kept from one to the next. */
export interface Turns {
  /** Rejects with what failed; what was read by then is kept. */
  run(signal: AbortSignal): Promise<TurnResult>;
  /** Where the days of a report begin that are not settled. */
  findPending(report: DetailKind): Promise<number>;
  /** Smaller pages and shorter spans, after a failure that may be for their size. */
  shrink(isTooMuch: boolean): void;
}

interface ReportPace {
  sliceMs: number;
  /** When it was last asked for, and brought nothing. */
  quietSinceMs: number | null;
}

const MIN_SLICE_MS = 60_000;
const FIRST_SLICE_MS = HOUR_MS;
const MAX_SLICE_MS = DAY_MS;
/** A span of about as many records keeps a turn short. */
const WANTED_RECORDS = 20_000;
/** A report that brings nothing is asked for once a minute at most. */
const QUIET_MS = 45_000;

/** Prepares the turns of a connection. */
export function createTurns(connectionId: string, parts: TurnParts): Turns {
  const { cache, connections, emit, now } = parts;
  const paces = mapKinds(DETAIL_KINDS, (): ReportPace => ({
    sliceMs: FIRST_SLICE_MS,
    quietSinceMs: null,
  })) as Record<DetailKind, ReportPace>;
  let sizing: PageSizing | null = null;

  const readSizing = (): PageSizing => {
    const { pageSize } = connections.get(connectionId);
    const known = sizing ?? toFirstSizing(pageSize);
    return { ...known, size: Math.min(known.size, pageSize) };
  };
  const read = async (report: DetailKind, step: FollowedStep, signal: AbortSignal): Promise<number> => {
    const connection = connections.get(connectionId);
    const pace = paces[report];
    const { snapshot, added, received } = await readSpan(step, {
      cache,
      client: connections.clientFor(connectionId),
      connection,
      report,
      lookBackMs: toLookBackMs(connection),
      signal,
      now,
      readPageSize: () => readSizing().size,
      onPage: (durationMs) => {
        sizing = adaptPageSize(readSizing(), { kind: 'received', durationMs }, connection.pageSize);
      },
    });
    const wantedMs = ((step.toMs - step.fromMs) * WANTED_RECORDS) / Math.max(1, received);
    pace.sliceMs = Math.min(MAX_SLICE_MS, Math.max(MIN_SLICE_MS, Math.min(wantedMs, pace.sliceMs * 2)));
    emit('snapshots/changed', snapshot);
    return added;
  };
  const follow = async (report: DetailKind, signal: AbortSignal): Promise<TurnResult> => {
    const pace = paces[report];
    const list = () => listFollowedDays(parts, connections.get(connectionId), report, now());
    const days = await list();
    const pendingFromMs = days[0]?.fromMs ?? now();
    const sinceMs = pace.quietSinceMs === null ? Infinity : Math.abs(now() - pace.quietSinceMs);
    if (sinceMs < QUIET_MS) return { behindMs: 0, pendingFromMs };
    const lookBackMs = toLookBackMs(connections.get(connectionId));
    const askedAtMs = now();
    let added = 0;
    for (const step of planSteps({ days, nowMs: askedAtMs, lookBackMs, sliceMs: pace.sliceMs })) {
      added += await read(report, step, signal);
    }
    const behindMs = measureBehind(await list(), now());
    pace.quietSinceMs = added === 0 && behindMs < QUIET_MS ? askedAtMs : null;
    return { behindMs, pendingFromMs };
  };

  return {
    async run(signal) {
      let behindMs = 0;
      let pendingFromMs = now();
      for (const report of DETAIL_KINDS) {
        const result = await follow(report, signal);
        behindMs = Math.max(behindMs, result.behindMs);
        pendingFromMs = Math.min(pendingFromMs, result.pendingFromMs);
      }
      return { behindMs, pendingFromMs };
    },
    async findPending(report) {
      const [first] = await listFollowedDays(parts, connections.get(connectionId), report, now());
      return first?.fromMs ?? now();
    },
    shrink(isTooMuch) {
      for (const pace of Object.values(paces)) pace.sliceMs = Math.max(MIN_SLICE_MS, pace.sliceMs / 2);
      const { pageSize } = connections.get(connectionId);
      if (isTooMuch) sizing = adaptPageSize(readSizing(), { kind: 'too-much' }, pageSize);
    },
  };
}

interface SpanReading {
  readonly cache: Pick<
    Cache,
    'createFollowedDay' | 'beginFollowedSlice' | 'endFollowedSlice' | 'storePage' | 'endWalk'
  >;
  readonly client: Pick<ReportingClient, 'fetchPage'>;
  readonly connection: SavedConnection;
  readonly report: DetailKind;
  readonly lookBackMs: number;
  readonly signal: AbortSignal;
  now(): number;
  readPageSize(): number;
  onPage(durationMs: number): void;
}

/**
 * Reads a span of a followed day to its end. Returns the day as it is afterwards, and the records that were new in it.
 * Rejects as a walk does, and with `client.unexpected-shape` where the report was not read to its end; what came by
 * then stays, and the day's period as it was.
 */
async function readSpan(
  step: FollowedStep,
  reading: SpanReading,
): Promise<{ readonly snapshot: Snapshot; readonly added: number; readonly received: number }> {
  const { cache, client, connection, lookBackMs, signal, now } = reading;
  const { serviceZone: zone } = connection;
  const atMs = now();
  const snapshotId = step.day.snapshotId ?? (await createDay(step, reading, atMs)).id;
  // The second before is asked for as well: a service may leave out what lies at the very beginning (decision 5).
  const asked = toPeriod({ fromMs: step.fromMs - SECOND_MS, toMs: step.toMs - SECOND_MS }, zone);
  const begun = await cache.beginFollowedSlice({
    snapshotId,
    fromMs: Math.min(step.fromMs, asked.fromMs + SECOND_MS),
    toMs: Math.max(step.toMs, asked.toMs + SECOND_MS),
    startDate: asked.startDate,
    endDate: asked.endDate,
  });
  const totals: (number | null)[] = [];
  let received = 0;
  const end = await walkReport({
    client,
    cache,
    snapshot: begun,
    asked,
    cursor: '',
    received: 0,
    signal,
    readPageSize: reading.readPageSize,
    onRetry: () => undefined,
    onPage: (count, total, durationMs) => {
      received = count;
      totals.push(total);
      reading.onPage(durationMs);
    },
    onStored: () => undefined,
  });
  if (end === 'cursor-repeated' || judgeTotals(received, sumUpAnnounced(totals)).isShort) {
    throw new AppError('client.unexpected-shape', 'The report was not read to its end.', {
      reason: 'incomplete',
    });
  }
  // The step before in the same turn may have brought the day further than it was when the steps were planned.
  const day = {
    ...step.day,
    coveredToMs: Math.max(step.day.coveredToMs, toEndMs(begun.period)),
    settledToMs: Math.max(step.day.settledToMs, findSettledToMs(begun, lookBackMs)),
  };
  const coveredToMs = Math.max(day.coveredToMs, step.toMs);
  const settledToMs = toSettled({ ...step, day }, { atMs, lookBackMs });
  const snapshot = await cache.endFollowedSlice({
    snapshotId,
    period: { endDate: toWireDate(coveredToMs - SECOND_MS, zone), toMs: coveredToMs - SECOND_MS },
    settledToMs,
    lookBackMs,
    stillOpen: settledToMs < step.day.toMs,
    atMs: now(),
  });
  return { snapshot, added: snapshot.recordCount - begun.recordCount, received };
}

function createDay(
  { day }: FollowedStep,
  { cache, connection, report }: SpanReading,
  startedAtMs: number,
): Promise<Snapshot> {
  const { id, tenant, serviceZone: zone, baseAddress, reportIdentifiers } = connection;
  const [startDate, endDate] = [toWireDate(day.fromMs, zone), toWireDate(day.fromMs - SECOND_MS, zone)];
  return cache.createFollowedDay({
    connectionId: id,
    tenant,
    report,
    period: { startDate, endDate, fromMs: day.fromMs, toMs: day.fromMs - SECOND_MS, zone },
    startedAtMs,
    baseAddress,
    reportIdentifier: reportIdentifiers[report],
  });
}

/** What is held in shorter pieces is fetched again: a snapshot of its own for what is between them costs more. */
const MIN_HELD_MS = 15 * MINUTE_MS;

/** What the days of a followed report are read from. */
interface DayParts {
  readonly cache: Pick<Cache, 'listDownloads' | 'listFollowedMarks' | 'keepFollowedMark'>;
  readonly ledger: Pick<Ledger, 'readHeld'>;
}

/**
 * Returns the days of a followed report that are not settled, oldest first: from the day on which following began, or
 * from the first day that is not settled. A cache that knows nothing about following begins with today. What downloads
 * hold and is settled is not followed: a day is cut there.
 */
async function listFollowedDays(
  { cache, ledger }: DayParts,
  connection: SavedConnection,
  report: DetailKind,
  nowMs: number,
): Promise<FollowedDay[]> {
  const { id: connectionId, serviceZone: zone, followedSinceMs = nowMs } = connection;
  const marks = await cache.listFollowedMarks(connectionId);
  const mark = marks.find((each) => each.report === report);
  const fromMs = Math.min(nowMs, Math.max(mark?.doneToMs ?? nowMs, followedSinceMs));
  const own = (await cache.listDownloads([connectionId])).filter((row) => isOwn(row, connection, report));
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
