import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { toEndMs, type Period } from '../../common/model/period.ts';
import { isDetailKind, type ReportKind } from '../../common/reporting/reports.ts';
import { SECOND_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { listInstants } from '../../common/time/time-zones.ts';
import type { Cache } from '../cache/cache.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import { hasBrokenEnd, listShortcomings } from '../downloads/walk-report.ts';
import { layOut, measureSpans, toPlain, type CoverageFact, type CoverageState } from './coverage-spans.ts';

/** What a snapshot says about the time of its report. */
export interface Holding {
  readonly snapshot: Snapshot;
  /** The download that fills it; null for a summary. */
  readonly row: DownloadRow | null;
  readonly facts: readonly CoverageFact[];
  /** What its download still has to read while it is under way. */
  readonly unread: readonly TimeSpan[];
}

/** A connection and a report. */
export interface CoverageSubject {
  readonly connectionId: string;
  readonly report: ReportKind;
}

/** What the ledger reads of the cache. */
export type HoldingSource = Pick<Cache, 'listSnapshots' | 'listDownloads' | 'getSnapshot' | 'getDownload' | 'readReach'>;

/** Where the walks over the slices of a download stand. */
interface Walked {
  /** What was read to its end, in order, and what wasn't. */
  readonly read: readonly TimeSpan[];
  readonly unread: readonly TimeSpan[];
  readonly isSound: boolean;
}

/** Reads what each snapshot of a subject holds. Late records may come `lookBackMs` after their time (decision 27). */
export async function readHoldings(
  cache: HoldingSource,
  { connectionId, report }: CoverageSubject,
  lookBackMs: number,
): Promise<Holding[]> {
  if (!isDetailKind(report)) {
    const snapshots = await cache.listSnapshots(connectionId);
    // A look is no download.
    return snapshots.filter((each) => each.report === report && each.isLook !== true).map((each) => toHolding({ snapshot: each, row: null }, lookBackMs));
  }
  const rows = (await cache.listDownloads(connectionId)).filter(({ snapshot }) => snapshot.report === report);
  return Promise.all(rows.map((row) => readHolding(cache, row, lookBackMs)));
}

/** Reads what one snapshot holds. Throws `cache.snapshot-not-found`. */
export async function readOneHolding(
  cache: HoldingSource,
  snapshot: Snapshot,
  lookBackMs: number,
): Promise<Holding> {
  if (!isDetailKind(snapshot.report)) return toHolding({ snapshot, row: null }, lookBackMs);
  return readHolding(cache, await cache.getDownload(snapshot.id), lookBackMs);
}

/** Reads what the snapshot of a download holds. */
export async function readHolding(
  cache: Pick<Cache, 'readReach'>,
  row: DownloadRow,
  lookBackMs: number,
): Promise<Holding> {
  const { snapshot } = row;
  const walked = findWalked(row);
  if (walked === null) return toHolding({ snapshot, row }, lookBackMs);
  const reached = await readReached(cache, row);
  return toHolding({ snapshot, row }, lookBackMs, walked, reached);
}

/** Null where nothing is known of the walk but that it isn't whole: any of its records may be missing. */
function findWalked({ snapshot, readSpans }: DownloadRow): Walked | null {
  const { period, state } = snapshot;
  if (state === 'complete' || hasBrokenEnd(snapshot)) return null;
  const whole = { fromMs: period.fromMs, toMs: toEndMs(period) };
  const spans = layOut(
    readSpans.map((span) => ({ ...span, state: 'settled' as const })),
    whole,
  );
  const unread = toPlain(spans.filter((span) => span.state === 'missing'));
  // A walk that was read to its end, and is not complete, lacks records nobody knows where.
  if (unread.length === 0) return null;
  const read = toPlain(spans.filter((span) => span.state === 'settled'));
  return { read, unread, isSound: listShortcomings(snapshot).length === 0 };
}

/** What the records of an unfinished slice reach, where they come in the order of time or against it. */
async function readReached(
  cache: Pick<Cache, 'readReach'>,
  { snapshot, sliceFirstSeq, nextCursor, sliceFromMs: fromMs, sliceToMs: toMs }: DownloadRow,
): Promise<TimeSpan[]> {
  const { id: snapshotId, report, recordCount } = snapshot;
  if (nextCursor === null || recordCount <= sliceFirstSeq || !isDetailKind(report)) return [];
  const reach = await cache.readReach({ snapshotId, report, fromSeq: sliceFirstSeq, toSeq: recordCount });
  if (reach === null) return [{ fromMs, toMs }];
  const second = Math.floor(reach.lastMs / SECOND_MS) * SECOND_MS;
  // Of the newest second, or the oldest one, more may come.
  return reach.lastMs >= reach.firstMs
    ? [{ fromMs, toMs: Math.min(toMs, Math.max(fromMs, second)) }]
    : [{ fromMs: Math.max(fromMs, Math.min(toMs, second + SECOND_MS)), toMs }];
}

function toHolding(
  { snapshot, row }: Pick<Holding, 'snapshot' | 'row'>,
  lookBackMs: number,
  walked?: Walked,
  reached: readonly TimeSpan[] = [],
): Holding {
  const whole = { fromMs: snapshot.period.fromMs, toMs: toEndMs(snapshot.period) };
  const sure = isDetailKind(snapshot.report) ? whole : toSureSpan(snapshot.period);
  const states = [
    ...listStates(snapshot, sure, lookBackMs, walked),
    ...(measureSpans([sure]) < measureSpans([whole]) ? listUnsure(snapshot, whole) : []),
  ];
  const partial = reached.map((span): CoverageFact => ({ ...span, state: 'partial' }));
  return {
    snapshot,
    row,
    facts: [...states, ...partial].filter(({ fromMs, toMs }) => toMs > fromMs),
    unread: walked?.unread ?? [whole],
  };
}

/**
 * What a period holds whichever of two hours the service took its ends for, where its clock shows one twice. Downloads ask
 * for an hour more there; a summary of more than its period would be another one's.
 */
function toSureSpan({ fromMs, toMs, zone }: Period): TimeSpan {
  const from = Math.max(...listInstants(fromMs, zone));
  return { fromMs: from, toMs: Math.max(from, Math.min(...listInstants(toMs, zone)) + SECOND_MS) };
}

function listUnsure({ state }: Snapshot, whole: TimeSpan): CoverageFact[] {
  return [{ ...whole, state: state === 'failed' ? 'failed' : 'partial' }];
}

function listStates(
  snapshot: Snapshot,
  whole: TimeSpan,
  lookBackMs: number,
  walked: Walked | undefined,
): CoverageFact[] {
  const of = (state: CoverageState): CoverageFact[] => [{ ...whole, state }];
  const failed = snapshot.state === 'failed' ? of('failed') : [];
  if (walked !== undefined) {
    const states = walked.read.flatMap((read): CoverageFact[] =>
      walked.isSound ? toReadFacts(read, snapshot, lookBackMs) : [{ ...read, state: 'partial' }],
    );
    return [...failed, ...states];
  }
  if (snapshot.state === 'complete') return toReadFacts(whole, snapshot, lookBackMs);
  return snapshot.recordCount > 0 && failed.length === 0 ? of('partial') : failed;
}

/**
 * Up to where late records of a followed day were looked for: nowhere where that was with a shorter look-back than the
 * connection has by now.
 */
export function findSettledToMs(
  {
    period: { fromMs },
    settledToMs = fromMs,
    settledLookBackMs = 0,
    imported,
  }: Pick<Snapshot, 'period' | 'settledToMs' | 'settledLookBackMs' | 'imported'>,
  lookBackMs: number,
): number {
  return settledLookBackMs >= lookBackMs || imported !== undefined ? settledToMs : fromMs;
}

/**
 * What was read to its end: settled up to a look-back before it was requested, which is the one that the connection has
 * now; a followed day says itself how far it is. Nothing late comes into what was imported.
 */
function toReadFacts(
  { fromMs, toMs }: TimeSpan,
  snapshot: Snapshot,
  lookBackMs: number,
): CoverageFact[] {
  const { period, stillOpen, startedAtMs, imported } = snapshot;
  const isFollowed = snapshot.settledToMs !== undefined;
  const settledToMs = isFollowed ? findSettledToMs(snapshot, lookBackMs) : null;
  const isKnownOver =
    !stillOpen && (settledToMs === null ? imported !== undefined : settledToMs === snapshot.settledToMs);
  const wasOver =
    isFollowed || imported !== undefined ? isKnownOver : period.toMs < startedAtMs - lookBackMs;
  if (wasOver) return [{ fromMs, toMs, state: 'settled' }];
  // Of the second that the look-back ends in, records may still arrive.
  const settledUntilMs = settledToMs ?? Math.floor((startedAtMs - lookBackMs) / SECOND_MS) * SECOND_MS;
  const middleMs = Math.min(toMs, Math.max(fromMs, settledUntilMs));
  // What was later than the start of the download was never requested in full.
  const openToMs = isFollowed ? toMs : Math.min(toMs, Math.max(middleMs, startedAtMs));
  return [
    { fromMs, toMs: middleMs, state: 'settled' },
    { fromMs: middleMs, toMs: openToMs, state: 'open' },
  ];
}
