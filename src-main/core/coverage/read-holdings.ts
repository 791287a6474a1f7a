import { isStated, type Snapshot } from '../../common/model/cache/snapshot.ts';
import { type Period, toEndMs } from '../../common/model/period.ts';
import { isDetailKind, type ReportKind } from '../../common/reporting/reports.ts';
import { SECOND_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { listInstants } from '../../common/time/civil-time.ts';
import type { Cache } from '../cache/cache.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import { hasBrokenEnd, listShortcomings } from '../downloads/walk-report.ts';

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
export type HoldingSource = Pick<
  Cache,
  'listSnapshots' | 'listDownloads' | 'getSnapshot' | 'getDownload' | 'readReach'
>;

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
    return snapshots
      .filter((each) => each.report === report && each.isLook !== true)
      .map((each) => toHolding({ snapshot: each, row: null }, lookBackMs));
  }
  const rows = (await cache.listDownloads([connectionId])).filter(
    ({ snapshot }) => snapshot.report === report,
  );
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
  // Only what was imported can be stated.
  const isByWord = snapshot.imported !== undefined && isStated(snapshot);
  const partial = reached.map((span): CoverageFact => ({ ...span, state: 'partial' }));
  return {
    snapshot,
    row,
    facts: [...states, ...partial]
      .filter(({ fromMs, toMs }) => toMs > fromMs)
      .map((fact) => (isByWord ? { ...fact, isStated: true } : fact)),
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
function toReadFacts({ fromMs, toMs }: TimeSpan, snapshot: Snapshot, lookBackMs: number): CoverageFact[] {
  const { period, stillOpen, startedAtMs, imported } = snapshot;
  const isFollowed = snapshot.settledToMs !== undefined;
  const settledToMs = isFollowed ? findSettledToMs(snapshot, lookBackMs) : null;
  const isKnownOver =
    !stillOpen && (settledToMs === null ? imported !== undefined : settledToMs === snapshot.settledToMs);
  const wasOver = isFollowed || imported !== undefined ? isKnownOver : period.toMs < startedAtMs - lookBackMs;
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

/** The better comes first: where several snapshots hold a moment, the best state counts. */
const STATES = ['settled', 'open', 'partial', 'failed', 'missing'] as const;

/**
 * What is known of a moment. `settled`: read to its end, and the connection's look-back had passed by then. `open`: read to
 * its end, late records may still come. `partial`: some records are there. `failed`: requested, and nothing came.
 */
export type CoverageState = (typeof STATES)[number];

/** A span in which coverage is the same throughout. */
export interface CoverageSpan extends TimeSpan {
  readonly state: CoverageState;
  /** What is fetching it now: the id of a task, or the name that following goes by; null for nothing. */
  readonly fetching: string | null;
  /** False while some of its records are stored but not yet in the engine. */
  readonly ready: boolean;
  /** True where nothing but a person's word says that all was read. */
  readonly isStated?: boolean;
}

/** Something that is known of a span, beside other things that are known of it. */
export interface CoverageFact extends TimeSpan {
  readonly state?: CoverageState;
  readonly fetching?: string | null;
  readonly ready?: boolean;
  /** A person stated it. */
  readonly isStated?: boolean;
}

/** Cuts overlapping facts into spans side by side that fill [fromMs, toMs). */
export function layOut(facts: readonly CoverageFact[], { fromMs, toMs }: TimeSpan): CoverageSpan[] {
  if (toMs <= fromMs) return [];
  const changes = facts
    .filter((fact) => fact.toMs > fact.fromMs && fact.toMs > fromMs && fact.fromMs < toMs)
    .flatMap((fact) => [
      { atMs: Math.max(fromMs, fact.fromMs), fact, begins: true },
      { atMs: Math.min(toMs, fact.toMs), fact, begins: false },
    ])
    .sort((a, b) => a.atMs - b.atMs);
  const held = new Map<CoverageState, number>();
  /** The same by more than a person's word. */
  const known = new Map<CoverageState, number>();
  const fetching: string[] = [];
  const spans: CoverageSpan[] = [];
  let unready = 0;
  let sinceMs = fromMs;
  const closeUntil = (atMs: number): void => {
    if (atMs <= sinceMs) return;
    const state = STATES.find((each) => (held.get(each) ?? 0) > 0) ?? 'missing';
    const isByWord = isRead({ state }) && (known.get('settled') ?? 0) + (known.get('open') ?? 0) <= 0;
    spans.push({
      ...{ fromMs: sinceMs, toMs: atMs, state, fetching: fetching[0] ?? null, ready: unready === 0 },
      ...(isByWord ? { isStated: true } : {}),
    });
    sinceMs = atMs;
  };
  for (const { atMs, fact, begins } of changes) {
    closeUntil(atMs);
    const by = begins ? 1 : -1;
    if (fact.state !== undefined) held.set(fact.state, (held.get(fact.state) ?? 0) + by);
    if (fact.state !== undefined && fact.isStated !== true)
      known.set(fact.state, (known.get(fact.state) ?? 0) + by);
    if (fact.ready === false) unready += begins ? 1 : -1;
    if (typeof fact.fetching !== 'string') continue;
    if (begins) fetching.push(fact.fetching);
    else fetching.splice(fetching.indexOf(fact.fetching), 1);
  }
  closeUntil(toMs);
  return join(spans, isAlike);
}

/** Joins neighbours that are alike; the first one's other fields stay. */
export function join<Span extends TimeSpan>(
  spans: readonly Span[],
  areAlike: (a: Span, b: Span) => boolean,
): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last?.toMs === span.fromMs && areAlike(last, span))
      joined[joined.length - 1] = { ...last, toMs: span.toMs };
    else joined.push(span);
  }
  return joined;
}

function isAlike(a: CoverageSpan, b: CoverageSpan): boolean {
  return a.state === b.state && a.fetching === b.fetching && a.ready === b.ready && a.isStated === b.isStated;
}

/** Whether all that the service had of a moment was read; late records may still come. */
export function isRead({ state }: Pick<CoverageSpan, 'state'>): boolean {
  return state === 'settled' || state === 'open';
}

/** What was not read to its end, with neighbours joined. */
export function listLacking(spans: readonly CoverageSpan[]): TimeSpan[] {
  return toPlain(spans.filter((span) => !isRead(span)));
}

/** What was read to its end, with neighbours joined. */
export function listRead(spans: readonly CoverageSpan[]): TimeSpan[] {
  return toPlain(spans.filter(isRead));
}

/** The sum of the lengths of spans, in milliseconds. */
export function measureSpans(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}

/** Spans without what else is known of them, with neighbours joined. */
export function toPlain(spans: readonly TimeSpan[]): TimeSpan[] {
  return join(
    spans.map(({ fromMs, toMs }) => ({ fromMs, toMs })),
    () => true,
  );
}

/** A bucket of a span, and which share of it each state has; what is left was never fetched. */
interface CoverageBucket extends TimeSpan, Readonly<Record<Exclude<CoverageState, 'missing'>, number>> {
  /** The share that a person's word alone says is complete, which is among the settled one. */
  readonly stated?: number;
}

/** Divides the span that coverage fills into equal buckets. */
export function toBuckets(spans: readonly CoverageSpan[], count: number): CoverageBucket[] {
  const fromMs = spans[0]?.fromMs ?? 0;
  const lengthMs = (spans.at(-1)?.toMs ?? 0) - fromMs;
  const edge = (place: number): number => Math.round(fromMs + (place * lengthMs) / count);
  const buckets = Array.from(
    { length: count },
    (_, place): { -readonly [Name in keyof CoverageBucket]: CoverageBucket[Name] } => ({
      fromMs: edge(place),
      toMs: edge(place + 1),
      settled: 0,
      open: 0,
      partial: 0,
      failed: 0,
    }),
  );
  let first = 0;
  for (const { fromMs: sinceMs, toMs: untilMs, state, isStated: isByWord } of spans) {
    if (state === 'missing') continue;
    while ((buckets[first]?.toMs ?? Infinity) <= sinceMs) first += 1;
    for (let place = first; place < buckets.length; place += 1) {
      const bucket = buckets[place];
      if (bucket === undefined || bucket.fromMs >= untilMs) break;
      const overlapMs = Math.min(untilMs, bucket.toMs) - Math.max(sinceMs, bucket.fromMs);
      const share = Math.max(0, overlapMs) / Math.max(1, bucket.toMs - bucket.fromMs);
      bucket[state] += share;
      if (isByWord === true) bucket.stated = (bucket.stated ?? 0) + share;
    }
  }
  return buckets;
}
