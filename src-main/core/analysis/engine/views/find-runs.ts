import type { DuckDBConnection } from '@duckdb/node-api';
import { readRows } from '../engine-database.ts';
import { splitPart, toSourceSql, type ResolvedScope, type ScopePart } from '../resolved-scope.ts';
import { NO_CONDITION } from '../filter-sql.ts';
import type { SnapshotOrders, ViewOrder } from './view-order.ts';
import { toRecordId } from '../../../../common/model/records/record-ids.ts';

/** Records that follow one another by date and as they are stored. */
export interface RecordRun {
  readonly firstId: number;
  readonly count: number;
}

interface FoundRun extends RecordRun {
  readonly part: ScopePart;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/**
 * Returns the records of a scope in the order received, or oldest first, as runs, where those of each part are some: no
 * list of them has to be read then, however many there are. Null for other orders, and where dates are mixed up.
 */
export async function findRuns(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { columns, leading, isLastFirst }: ViewOrder,
  { isInOrder, listRunStarts }: SnapshotOrders,
): Promise<RecordRun[] | null> {
  const isByDate = leading.kind === 'date' && columns.length === 1 && isLastFirst === leading.isDescending;
  if (leading.kind !== 'received' && !isByDate) return null;
  const isRun = ({ snapshotId, spans }: ScopePart): boolean =>
    spans === null ? isInOrder(snapshotId) || !isByDate : isInOrder(snapshotId) && spans.length === 1;
  if (!scope.parts.every(isRun)) return null;
  const toRuns = (part: ScopePart): readonly ScopePart[] => splitPart(part, listRunStarts(part.snapshotId));
  // Whole snapshots are compared as such: only where a part of one begins has to be looked up run by run.
  const parts = scope.parts.flatMap((part) => (part.spans === null ? [part] : toRuns(part)));
  const toWhole = (part: ScopePart): RecordRun[] => (part.spans === null ? toRuns(part).map(toWholeRun) : []);
  const needsNoDates = !isByDate || parts.length < 2;
  if (needsNoDates && parts.every(({ spans }) => spans === null)) return parts.flatMap(toWhole);
  const runs = await readRuns(connection, { ...scope, parts });
  const isApart = (run: FoundRun, next: FoundRun | undefined): boolean =>
    next === undefined ||
    (run.lastMs ?? 0) < (next.firstMs ?? 0) ||
    (run.part.snapshotId === next.part.snapshotId && run.lastMs === next.firstMs);
  if (isByDate && !runs.every((run, place) => isApart(run, runs[place + 1]))) return null;
  return runs.flatMap((run) => (run.part.spans === null ? toWhole(run.part) : [run]));
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
  return rows.flatMap(([place, firstId, count, firstMs, lastMs]) => {
    const part = scope.parts[place];
    return firstId === null || part === undefined ? [] : [{ part, firstId, count, firstMs, lastMs }];
  });
}
