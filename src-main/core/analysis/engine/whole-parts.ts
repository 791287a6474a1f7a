import type { DuckDBConnection } from '@duckdb/node-api';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { readRows } from './engine-database.ts';
import { toRecordsKey } from './owned-moments.ts';
import { toSourceSql, type ScopePart } from './resolved-scope.ts';

/** Snapshots whose dates are known, before all are forgotten together. */
const MAX_KNOWN = 2000;
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
export type FindWholeParts = (
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
    if (known.size + unknown.length > MAX_KNOWN) known.clear();
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
