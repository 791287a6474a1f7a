import type { DuckDBConnection } from '@duckdb/node-api';
import { readRows } from '../engine-database.ts';
import { toSourceSql, type ResolvedScope, type ScopePart } from '../resolved-scope.ts';
import { NO_CONDITION } from '../filter-sql.ts';
import type { ViewOrder } from './view-order.ts';
import { toRecordId } from '../../../../common/model/records/record-ids.ts';

/** Records that follow one another by date and in the order received. */
export interface RecordRun {
  readonly firstId: number;
  readonly count: number;
}

interface FoundRun extends RecordRun {
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/**
 * Returns the records of a scope in the order received, or oldest first, as runs, where those of each part are one: no
 * list of them has to be read then, however many there are. Null for other orders, and where dates are mixed up.
 * `isInOrder` says whether a snapshot's records came in the order of their dates.
 */
export async function findRuns(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { columns, leading, isLastFirst }: ViewOrder,
  isInOrder: (snapshotId: number) => boolean,
): Promise<RecordRun[] | null> {
  const { parts } = scope;
  const isByDate = leading.kind === 'date' && columns.length === 1 && isLastFirst === leading.isDescending;
  if (leading.kind !== 'received' && !isByDate) return null;
  const isRun = ({ snapshotId, spans }: ScopePart): boolean =>
    spans === null ? isInOrder(snapshotId) || !isByDate : isInOrder(snapshotId) && spans.length === 1;
  if (!parts.every(isRun)) return null;
  const needsNoDates = !isByDate || parts.length < 2;
  if (needsNoDates && parts.every(({ spans }) => spans === null)) return parts.map(toWholeRun);
  const runs = await readRuns(connection, scope);
  const isApart = (run: FoundRun, next: FoundRun | undefined): boolean =>
    next === undefined || (run.lastMs ?? 0) < (next.firstMs ?? 0);
  return !isByDate || runs.every((run, place) => isApart(run, runs[place + 1])) ? runs : null;
}

function toWholeRun({ snapshotId, recordCount, fromSeq = 0 }: ScopePart): RecordRun {
  return { firstId: toRecordId(snapshotId, fromSeq), count: recordCount - fromSeq };
}

/** Parts that have records, in order; a statement for each reads no more than its own dates. */
async function readRuns(connection: DuckDBConnection, scope: ResolvedScope): Promise<FoundRun[]> {
  const selects = scope.parts.map((part, place) => {
    const source = toSourceSql({ ...scope, parts: [part] }, ['record_id', 'date_ms'], NO_CONDITION);
    return `SELECT ${place} AS place, min(record_id), count(*), min(date_ms), max(date_ms) FROM ${source}`;
  });
  const rows = await readRows<[number, number | null, number, number | null, number | null]>(
    connection,
    `FROM (${selects.join(' UNION ALL ')}) ORDER BY place`,
  );
  return rows.flatMap(([, firstId, count, firstMs, lastMs]) =>
    firstId === null ? [] : [{ firstId, count, firstMs, lastMs }],
  );
}
