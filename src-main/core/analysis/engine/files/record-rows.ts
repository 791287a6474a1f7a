import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError } from '../../../../common/contract/errors.ts';
import { isOwnField } from '../../../../common/model/records/body-path.ts';
import type { RecordOrder } from '../../../../common/model/records/record.ts';
import { readRows } from '../engine-database.ts';
import { ENGINE_COLUMNS } from '../engine-tables.ts';
import { countRecords } from '../count-records.ts';
import { toFilterSql, type BoundValue } from '../filter-sql.ts';
import type { FeedSource } from '../feed/feed-source.ts';
import { findMarks, type MarkSource } from '../marked-records.ts';
import { toRowsInOrderSql, toSourceSql, type FilteredRecords } from '../resolved-scope.ts';
import { toOrderedScope, toViewOrder } from '../views/view-order.ts';
import type { ReadPath } from '../bodies/read-path.ts';
import { quoteName, type FileColumn } from './file-column.ts';

/** The records of a file, in its order. */
export interface RecordRows {
  /** FROM and what it names. */
  readonly from: string;
  /** ORDER BY, where the order is another one than that received. */
  readonly order: string;
  readonly values: readonly BoundValue[];
  /** How many there are. */
  readonly total: number;
}

/**
 * Finds the records of a file. Throws AppError `cache.page-damaged` where the file is to hold texts of records whose page
 * could not be read: the engine has everything else of them.
 */
export async function prepareRecordRows(options: {
  readonly connection: DuckDBConnection;
  readonly records: FilteredRecords;
  readonly order: RecordOrder;
  readonly columns: readonly FileColumn[];
  readonly source: MarkSource & Pick<FeedSource, 'listRunStarts'>;
  readonly connectionId: string;
  /** What reads the paths among the columns: the rows have each under its own name. */
  readonly paths: readonly ReadPath[];
}): Promise<RecordRows> {
  const { connection, records, order, columns, source, connectionId, paths } = options;
  const { filter } = records;
  const scope = toOrderedScope(records.scope, order, source);
  const where = toFilterSql(filter, scope.direction);
  const { columns: sorted, leading, sql } = toViewOrder(order, scope);
  const isEvery = filter.conditions.length === 0;
  const total = await (isEvery ? countRecords(connection, scope) : countRecords(connection, scope, where));
  const names = ENGINE_COLUMNS[scope.direction].map(({ name }) => name);
  // Without an order of their own they come in the order received.
  const isSorted = sorted.length > 0 || leading.isDescending;
  const plain = (isSorted ? toSourceSql : toRowsInOrderSql)(scope, names, where);
  const values = paths.map(({ path, sql }) => `${sql} AS ${quoteName(path)}`);
  const rows = values.length === 0 ? plain : `(SELECT *, ${values.join(', ')} FROM ${plain})`;
  if (columns.some(({ value }) => isOfPage(value))) await refuseDamaged(connection, rows, where.values);
  const ordered = isSorted ? ` ORDER BY ${sql}` : '';
  if (!columns.some(({ value }) => value.kind === 'mark' || value.kind === 'note')) {
    return { from: `FROM ${rows}`, order: ordered, values: where.values, total };
  }
  await connection.run('CREATE TEMP TABLE marked_records (marked_id BIGINT, mark VARCHAR, note VARCHAR)');
  for (const { id, mark, note } of await findMarks(connection, scope, source, connectionId)) {
    await connection.run('INSERT INTO marked_records VALUES ($1, $2, $3)', [BigInt(id), mark, note]);
  }
  return {
    from: `FROM ${rows} AS records LEFT JOIN marked_records AS marked ON marked_id = record_id`,
    order: ` ORDER BY ${sql}`,
    values: where.values,
    total,
  };
}

/** Texts of any length and unknown fields are in no column of the cache, only in its pages. */
function isOfPage(value: FileColumn['value']): boolean {
  if (value.kind === 'field') return value.name === 'payload' || value.name === 'response';
  return value.kind === 'other-fields' || (value.kind === 'path' && !isOwnField(value.path));
}

async function refuseDamaged(
  connection: DuckDBConnection,
  rows: string,
  values: readonly BoundValue[],
): Promise<void> {
  const [[count] = [0]] = await readRows<[number]>(
    connection,
    `SELECT count(*) FROM ${rows} WHERE payload IS NULL`,
    values,
  );
  if (count > 0) throw new AppError('cache.page-damaged', 'Stored pages are damaged.', { records: count });
}
