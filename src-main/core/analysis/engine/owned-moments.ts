import type { DuckDBConnection } from '@duckdb/node-api';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import type { OwnedSpan } from '../divide-period.ts';
import { readRows } from './engine-database.ts';
import { NO_CONDITION } from './filter-sql.ts';
import { toSourceSql } from './resolved-scope.ts';

/** Spans whose owners are known, before all are forgotten together. */
const MAX_KNOWN = 500;
/** Spans that one stretch is cut into: each stands in every statement about the period. */
const MAX_SPANS = 1000;
/** Snapshots that are compared with one another: those fetched last, and the one that may be complete. */
const MAX_CANDIDATES = 100;
/** How long a moment is: where the owner changes too often, snapshots are compared second by second, and so on. */
const MOMENTS_MS = [1, SECOND_MS, MINUTE_MS, HOUR_MS];

/** Finds the owner of each moment; see FindOwners. */
export type FindMomentOwners = (
  connection: DuckDBConnection,
  direction: Direction,
  candidates: readonly Snapshot[],
  span: TimeSpan,
) => Promise<readonly OwnedSpan[]>;

/** What is asked of the same records has the same key. */
export function toRecordsKey({ id, startedAtMs, recordCount, reading }: Snapshot): string {
  return [id, startedAtMs, recordCount, reading].join(' ');
}

/** Creates a FindMomentOwners that looks at the same records only once. */
export function createMomentOwners(): FindMomentOwners {
  const known = new Map<string, readonly OwnedSpan[]>();
  return async (connection, direction, all, span) => {
    const candidates = all.filter((_, place) => place < MAX_CANDIDATES - 1 || place === all.length - 1);
    const key = [span.fromMs, span.toMs, ...candidates.map(toRecordsKey)].join(',');
    const found = known.get(key) ?? (await readOwners(connection, direction, candidates, span));
    if (known.size >= MAX_KNOWN) known.clear();
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
