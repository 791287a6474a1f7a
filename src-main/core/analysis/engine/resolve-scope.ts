import type { DuckDBConnection } from '@duckdb/node-api';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { StatusSample } from '../../../common/model/connections/status.ts';
import { toEndMs } from '../../../common/model/period.ts';
import { fromRecordId } from '../../../common/model/records/record.ts';
import type { RecordScope } from '../../../common/model/records/record-filter.ts';
import type { Summary } from '../../../common/model/records/histogram.ts';
import type { DetailKind, Direction } from '../../../common/reporting/reports.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { dividePeriod, isOverlapping, type Segment, type OwnedSpan } from '../divide-period.ts';
import { readRows } from './engine-database.ts';
import { ENGINE_COLUMNS } from './engine-tables.ts';
import type { EngineFeed } from './feed/create-engine-feed.ts';
import type { FeedSource } from './feed/feed-source.ts';
import { NO_CONDITION } from './filter-sql.ts';
import type { MarkSource } from './own-values.ts';
import { toSourceSql, type ResolvedScope, type ScopePart } from './resolved-scope.ts';

/** The cache as the engine reads it. */
export interface EngineSource extends FeedSource, MarkSource {
  /** Throws AppError `cache.snapshot-not-found`. */
  getSnapshot(snapshotId: number): Snapshot;
  listSnapshots(connectionId: string): readonly Snapshot[];
  /** The groups of a snapshot that the service reported. */
  readSummary(snapshot: Snapshot): Summary;
  /** Status samples of a connection in [fromMs, untilMs], oldest first. */
  listStatus(connectionId: string, fromMs: number, untilMs: number): StatusSample[];
  countStatus(connectionId: string, fromMs: number, untilMs: number): number;
}

interface ScopeResolver {
  /** Says which records a question is about; all of them have been fed when it returns. */
  resolve(connection: DuckDBConnection, scope: RecordScope): Promise<ResolvedScope>;
  /** Everything cached of a report, whatever the period. */
  resolveAll(connection: DuckDBConnection, connectionId: string, report: DetailKind): Promise<ResolvedScope>;
}

/** Prepares the choice of records; what they need that has not been fed yet is fed first. */
export function createScopeResolver(
  source: EngineSource,
  feed: EngineFeed,
  follow: () => Promise<void>,
): ScopeResolver {
  const waitFor = async (snapshots: readonly Snapshot[]): Promise<void> => {
    if (feed.isUndecided || !snapshots.every((snapshot) => feed.isFed(snapshot))) await follow();
  };
  const findWholeParts = createWholeParts();
  const findOwners = createMomentOwners();
  const findRepeated = createUndatedRecords();
  const toWhole = ({ id, recordCount }: Snapshot): ScopePart => ({
    snapshotId: id,
    recordCount,
    spans: null,
    withUndated: true,
  });
  const resolvePeriod = async (
    connection: DuckDBConnection,
    own: readonly Snapshot[],
    direction: Direction,
    span: TimeSpan,
  ): Promise<ResolvedScope> => {
    const isTouched = ({ period }: Snapshot): boolean =>
      period.fromMs < span.toMs && toEndMs(period) > span.fromMs;
    await waitFor(own.filter(isTouched));
    const { segments, counted } = await dividePeriod(own, span, async (candidates, stretch) => {
      await waitFor(candidates);
      return findOwners(connection, direction, candidates, stretch);
    });
    // Records that nobody can place in time belong to a period that holds the whole of what was asked for.
    const inside = counted.filter(
      ({ period }) => period.fromMs >= span.fromMs && toEndMs(period) <= span.toMs,
    );
    const repeated = await findRepeated(connection, direction, inside);
    const parts = toParts(segments, counted, (snapshot) =>
      inside.includes(snapshot) ? (repeated.get(snapshot.id) ?? []) : null,
    );
    return { direction, parts: await findWholeParts(connection, direction, parts, counted) };
  };

  return {
    async resolve(connection, scope) {
      if ('snapshotId' in scope) {
        const snapshot = source.getSnapshot(scope.snapshotId);
        await waitFor([snapshot]);
        return { direction: toDirection(snapshot.report), parts: [toWhole(snapshot)] };
      }
      const own = source.listSnapshots(scope.connectionId).filter(({ report }) => report === scope.report);
      return resolvePeriod(connection, own, toDirection(scope.report), scope);
    },
    async resolveAll(connection, connectionId, report) {
      const own = source.listSnapshots(connectionId).filter((snapshot) => snapshot.report === report);
      const fromMs = Math.min(...own.map(({ period }) => period.fromMs));
      const toMs = Math.max(...own.map(({ period }) => toEndMs(period)));
      const direction = toDirection(report);
      if (own.length === 0) return { direction, parts: [] };
      return resolvePeriod(connection, own, direction, { fromMs, toMs });
    },
  };
}

/**
 * Parts of a scope from the segments of a period. `findRepeated` says which records without a date a snapshot leaves to
 * another one; null where all of them are out of the period. They go with the first part of their snapshot.
 */
function toParts(
  segments: readonly Segment[],
  counted: readonly Snapshot[],
  findRepeated: (snapshot: Snapshot) => readonly number[] | null,
): ScopePart[] {
  const seen = new Set<number>();
  const byId = new Map(counted.map((snapshot) => [snapshot.id, snapshot]));
  const toPart = (snapshot: Snapshot, spans: Segment['spans']): ScopePart => {
    const { id: snapshotId, recordCount } = snapshot;
    const repeatedIds = seen.has(snapshotId) ? null : findRepeated(snapshot);
    seen.add(snapshotId);
    const part = { snapshotId, recordCount, spans, withUndated: repeatedIds !== null };
    return repeatedIds === null || repeatedIds.length === 0 ? part : { ...part, repeatedIds };
  };
  const parts = segments.flatMap(({ snapshotId, spans }) => {
    const snapshot = byId.get(snapshotId);
    return snapshot === undefined ? [] : [toPart(snapshot, spans)];
  });
  const others = counted.filter(({ id }) => !seen.has(id)).map((snapshot) => toPart(snapshot, []));
  return [...parts, ...others.filter(({ withUndated }) => withUndated)];
}

function toDirection(report: Snapshot['report']): Direction {
  return report.startsWith('inbound') ? 'inbound' : 'outbound';
}

/** Snapshots whose dates are known, before all are forgotten together. */
const MAX_KNOWN_SNAPSHOTS = 2000;
/** Snapshots that one statement asks about. */
const MAX_ASKED = 50;

interface Dates {
  /** Of the records with a date; null where none has one. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/**
 * Returns parts in which one that leaves out no record of its snapshot has no spans any more: no statement then looks at
 * the date of each of its records, and how many they are is known.
 */
type FindWholeParts = (
  connection: DuckDBConnection,
  direction: Direction,
  parts: readonly ScopePart[],
  snapshots: readonly Snapshot[],
) => Promise<ScopePart[]>;

/** Creates a FindWholeParts that asks for the dates of a snapshot only once. */
export function createWholeParts(): FindWholeParts {
  const known = new Map<string, Dates>();
  return async (connection, direction, parts, snapshots) => {
    const keys = new Map(snapshots.map((snapshot) => [snapshot.id, toRecordsKey(snapshot)]));
    const findDates = ({ snapshotId }: ScopePart): Dates | undefined => known.get(keys.get(snapshotId) ?? '');
    const unknown = parts.filter((part) => isCandidate(part) && findDates(part) === undefined);
    if (known.size + unknown.length > MAX_KNOWN_SNAPSHOTS) known.clear();
    for (let from = 0; from < unknown.length; from += MAX_ASKED) {
      for (const [snapshotId, dates] of await readDates(
        connection,
        direction,
        unknown.slice(from, from + MAX_ASKED),
      ))
        known.set(keys.get(snapshotId) ?? '', dates);
    }
    return parts.map((part) => {
      const dates = isCandidate(part) ? findDates(part) : undefined;
      return dates !== undefined && isWithin(dates, part) ? { ...part, spans: null, dates } : part;
    });
  };
}

/** A part without the records that have no date is never all of a snapshot. */
function isCandidate({ spans, withUndated, repeatedIds = [], recordCount }: ScopePart): boolean {
  return spans?.length === 1 && withUndated && repeatedIds.length === 0 && recordCount > 0;
}

function isWithin({ firstMs, lastMs }: Dates, { spans }: ScopePart): boolean {
  const [span] = spans ?? [];
  if (firstMs === null || lastMs === null || span === undefined) return true;
  return firstMs >= span.fromMs && lastMs < span.toMs;
}

async function readDates(
  connection: DuckDBConnection,
  direction: Direction,
  parts: readonly ScopePart[],
): Promise<[snapshotId: number, Dates][]> {
  const selects = parts.map((part) => {
    const whole = { direction, parts: [{ ...part, spans: null }] };
    const source = toSourceSql(whole, ['date_ms'], { sql: 'true', values: [] });
    return `SELECT ${part.snapshotId}, min(date_ms), max(date_ms) FROM ${source}`;
  });
  const rows = await readRows<[number, number | null, number | null]>(
    connection,
    selects.join(' UNION ALL '),
  );
  return rows.map(([snapshotId, firstMs, lastMs]) => [snapshotId, { firstMs, lastMs }]);
}

/** Spans whose owners are known, before all are forgotten together. */
const MAX_KNOWN_SPANS = 500;
/** Spans that one stretch is cut into: each stands in every statement about the period. */
const MAX_SPANS = 1000;
/** Snapshots that are compared with one another: those fetched last, and the one that may be complete. */
const MAX_CANDIDATES = 100;
/** How long a moment is: where the owner changes too often, snapshots are compared second by second, and so on. */
const MOMENTS_MS = [1, SECOND_MS, MINUTE_MS, HOUR_MS];

/** Finds the owner of each moment; see FindOwners. */
type FindMomentOwners = (
  connection: DuckDBConnection,
  direction: Direction,
  candidates: readonly Snapshot[],
  span: TimeSpan,
) => Promise<readonly OwnedSpan[]>;

/** What is asked of the same records has the same key. */
function toRecordsKey({ id, startedAtMs, recordCount, reading }: Snapshot): string {
  return [id, startedAtMs, recordCount, reading].join(' ');
}

/** Creates a FindMomentOwners that looks at the same records only once. */
function createMomentOwners(): FindMomentOwners {
  const known = new Map<string, readonly OwnedSpan[]>();
  return async (connection, direction, all, span) => {
    const candidates = all.filter((_, place) => place < MAX_CANDIDATES - 1 || place === all.length - 1);
    const key = [span.fromMs, span.toMs, ...candidates.map(toRecordsKey)].join(',');
    const found = known.get(key) ?? (await readOwners(connection, direction, candidates, span));
    if (known.size >= MAX_KNOWN_SPANS) known.clear();
    known.set(key, found);
    return found;
  };
}

async function readOwners(
  connection: DuckDBConnection,
  direction: Direction,
  candidates: readonly Snapshot[],
  span: TimeSpan,
): Promise<OwnedSpan[]> {
  for (const momentMs of [...MOMENTS_MS, span.toMs - span.fromMs]) {
    const runs = await readRuns(connection, direction, { candidates, span, momentMs });
    if (runs.length <= MAX_SPANS) return toOwnedSpans(runs, candidates, span);
  }
  return toOwnedSpans([], candidates, span);
}

/** Where a run of moments with the same owner begins, and the place of that owner among the candidates. */
type Run = readonly [atMs: number, place: number];

function readRuns(
  connection: DuckDBConnection,
  direction: Direction,
  question: {
    readonly candidates: readonly Snapshot[];
    readonly span: TimeSpan;
    readonly momentMs: number;
  },
): Promise<Run[]> {
  const { candidates, span, momentMs } = question;
  const parts = candidates.map(({ id, recordCount }) => ({
    snapshotId: id,
    recordCount,
    spans: [span],
    withUndated: false,
  }));
  // The number of the part is the place of its candidate.
  const source = toSourceSql({ direction, parts }, ['date_ms'], NO_CONDITION);
  return readRows<Run>(
    connection,
    `WITH counted AS (
       SELECT (date_ms - ${span.fromMs}) // ${momentMs} AS moment, part, count(*) AS records
       FROM ${source} GROUP BY ALL
     ), owned AS (
       SELECT moment, arg_max(part, records * ${MAX_CANDIDATES} - part) AS owner FROM counted GROUP BY moment
     ), followed AS (
       SELECT moment, owner, lag(owner) OVER (ORDER BY moment) AS owner_before FROM owned
     )
     SELECT moment * ${momentMs} + ${span.fromMs}, owner FROM followed
     WHERE owner IS DISTINCT FROM owner_before ORDER BY moment LIMIT ${MAX_SPANS + 1}`,
  );
}

/** Moments without records belong to the run before them: whose they are changes nothing. */
function toOwnedSpans(runs: readonly Run[], candidates: readonly Snapshot[], span: TimeSpan): OwnedSpan[] {
  const [, ...later] = runs;
  return [span.fromMs, ...later.map(([atMs]) => atMs)].flatMap((fromMs, place) => {
    const owner = candidates[runs[place]?.[1] ?? 0];
    const toMs = later[place]?.[0] ?? span.toMs;
    return owner === undefined ? [] : [{ fromMs, toMs, snapshotId: owner.id }];
  });
}

/** Answers that are known, before all are forgotten together. */
const MAX_KNOWN_ANSWERS = 500;
const UNDATED = { sql: 'date_ms IS NULL', values: [] };

/**
 * Finds the records without a date that a later snapshot holds as well, by the snapshot: equal ones of overlapping
 * snapshots count once (decision 33), and the n-th of some equal ones is the n-th of the others (decision 26).
 */
type FindRepeated = (
  connection: DuckDBConnection,
  direction: Direction,
  latestFirst: readonly Snapshot[],
) => Promise<ReadonlyMap<number, readonly number[]>>;

const NOTHING: ReadonlyMap<number, readonly number[]> = new Map();

/** Creates a FindRepeated that looks at the same records only once. */
function createUndatedRecords(): FindRepeated {
  const counts = new Map<string, number>();
  const answers = new Map<string, ReadonlyMap<number, readonly number[]>>();
  const countUndated = async (
    connection: DuckDBConnection,
    direction: Direction,
    snapshot: Snapshot,
  ): Promise<number> => {
    const key = toRecordsKey(snapshot);
    const known = counts.get(key);
    if (known !== undefined) return known;
    const source = toUndatedSql(direction, [snapshot], 'record_id');
    const [[count] = [0]] = await readRows<[number]>(connection, `SELECT count(*) FROM ${source}`);
    if (counts.size >= MAX_KNOWN_ANSWERS) counts.clear();
    counts.set(key, count);
    return count;
  };
  return async (connection, direction, latestFirst) => {
    const overlapping = latestFirst.filter((one) =>
      latestFirst.some((other) => one !== other && isOverlapping(one, other)),
    );
    const holding: Snapshot[] = [];
    for (const snapshot of overlapping) {
      if ((await countUndated(connection, direction, snapshot)) > 0) holding.push(snapshot);
    }
    if (holding.length < 2) return NOTHING;
    const key = holding.map(toRecordsKey).join(',');
    const found = answers.get(key) ?? (await readRepeated(connection, direction, holding));
    if (answers.size >= MAX_KNOWN_ANSWERS) answers.clear();
    answers.set(key, found);
    return found;
  };
}

async function readRepeated(
  connection: DuckDBConnection,
  direction: Direction,
  latestFirst: readonly Snapshot[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const pairs = latestFirst.flatMap((one, later) =>
    latestFirst.flatMap((other, earlier) =>
      later < earlier && isOverlapping(one, other) ? [`(${later}, ${earlier})`] : [],
    ),
  );
  if (pairs.length === 0) return NOTHING;
  const names = ENGINE_COLUMNS[direction].map(({ name }) => name).filter((name) => name !== 'record_id');
  const fields = `md5(to_json(struct_pack(${names.map((name) => `${name} := ${name}`).join(', ')}))::VARCHAR)`;
  const source = toUndatedSql(direction, latestFirst, ['record_id', ...names].join(', '));
  const rows = await readRows<[number]>(
    connection,
    `WITH undated AS (SELECT record_id, part, ${fields} AS fields FROM ${source}),
     numbered AS MATERIALIZED (
       SELECT *, row_number() OVER (PARTITION BY part, fields ORDER BY record_id) AS number FROM undated
     ), pairs(later_part, own_part) AS (VALUES ${pairs.join(', ')})
     SELECT DISTINCT own.record_id FROM numbered AS own
     JOIN pairs ON pairs.own_part = own.part
     JOIN numbered AS other ON other.part = pairs.later_part AND other.fields = own.fields AND other.number = own.number
     ORDER BY own.record_id`,
  );
  const repeated = new Map<number, number[]>();
  for (const [recordId] of rows) {
    const { snapshotId } = fromRecordId(recordId);
    const own = repeated.get(snapshotId) ?? [];
    own.push(recordId);
    repeated.set(snapshotId, own);
  }
  return repeated;
}

function toUndatedSql(direction: Direction, snapshots: readonly Snapshot[], columns: string): string {
  const parts = snapshots.map(({ id, recordCount }) => ({
    snapshotId: id,
    recordCount,
    spans: null,
    withUndated: true,
  }));
  return toSourceSql({ direction, parts }, [columns], UNDATED);
}
