import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError } from '../../../common/contract/errors.ts';
import type { RecordOrder } from '../../../common/model/record.ts';
import type { FilterField, RecordFilter } from '../../../common/model/record-filter.ts';
import { readRows, streamIds, type EngineDatabase } from './engine-database.ts';
import { findColumn } from './engine-tables.ts';
import { toFilterSql, type BoundValue } from './filter-sql.ts';
import { createRecordList, type RecordList } from './record-list.ts';
import { toSourceSql, type RecordScope } from './record-scope.ts';

/** Rows that are there at once, before the whole order is. */
const FIRST_ROWS = 200;
const NO_ROWS = new Float64Array();
/** Views kept; the one that was used longest ago goes first. */
const MAX_VIEWS = 16;
/** Bytes that the lists of all views may take together, the newest one apart. */
const MAX_LIST_BYTES = 160_000_000;

/** A question about records, answered row by row. */
export interface RecordView {
  readonly scope: RecordScope;
  readonly filter: RecordFilter;
  readonly order: RecordOrder;
  readonly rowCount: number;
}

interface OpenView extends RecordView {
  readonly first: Float64Array;
  readonly list: RecordList;
  /** The list is in the order received, and its end is the view's beginning. */
  readonly isReversed: boolean;
  /** Settles when the list is whole; rejects when the reading ended before. */
  readonly whole: Promise<void>;
  close(): void;
}

export interface RecordViews {
  /** Opens a view; its first rows can be read at once, others as soon as the order is known. An abort ends the reading. */
  open(
    scope: RecordScope,
    filter: RecordFilter,
    order: RecordOrder,
    signal: AbortSignal,
  ): Promise<{ viewId: string; rowCount: number }>;
  /** Ids of the rows [start, end); fewer at the end. Throws AppError `cache.view-closed`. */
  readIds(viewId: string, start: number, end: number): Promise<Float64Array>;
  /** Throws AppError `cache.view-closed`. */
  get(viewId: string): RecordView;
  close(viewId: string): void;
  /** Closes every view with records of a snapshot, since these are others now. */
  closeOf(snapshotId: number): void;
  closeAll(): void;
}

/** Keeps views over the engine; `mark` makes their names differ from those of another process. */
export function createRecordViews(database: EngineDatabase, mark: string): RecordViews {
  const views = new Map<string, OpenView>();
  let lastView = 0;

  const find = (viewId: string): OpenView => {
    const view = views.get(viewId);
    if (view === undefined) throw new AppError('cache.view-closed', 'The view is closed.', { viewId });
    views.delete(viewId);
    views.set(viewId, view);
    return view;
  };
  const makeRoom = (newest: string): void => {
    const held = (): number => [...views.values()].reduce((sum, { list }) => sum + list.sizeBytes, 0);
    for (const [viewId, view] of views) {
      if (viewId === newest || (views.size <= MAX_VIEWS && held() <= MAX_LIST_BYTES)) return;
      view.close();
      views.delete(viewId);
    }
  };

  const close = (viewId: string): void => {
    views.get(viewId)?.close();
    views.delete(viewId);
  };

  return {
    async open(scope, filter, order, signal) {
      const connection = await database.connect();
      const where = toFilterSql(filter, scope.direction);
      const values = [...where.values];
      const sorted = toOrderSql(order, scope);
      const columns = ['record_id', ...sorted.columns];
      const source = toSourceSql(scope, columns, where);
      const interrupt = (): void => connection.interrupt();
      signal.addEventListener('abort', interrupt, { once: true });
      const end = (): void => {
        signal.removeEventListener('abort', interrupt);
        connection.closeSync();
      };
      const list = createRecordList();
      let isClosed = false;
      const fill = async (): Promise<void> => {
        try {
          const order = sorted.columns.length === 0 ? '' : ` ORDER BY ${sorted.order}`;
          for await (const ids of streamIds(connection, `SELECT record_id FROM ${source}${order}`, values)) {
            if (isClosed) return;
            list.append(ids);
          }
        } finally {
          end();
        }
      };
      // Texts are read once, for rows and count together, since that is what takes the time.
      const isTextSearch = filter.conditions.some(({ text }) => text !== undefined);
      const start = isTextSearch
        ? null
        : await readStart(connection, source, sorted.order, values).catch((error: unknown) => {
            end();
            throw error;
          });
      const whole = fill();
      // Whoever reads rows awaits it; a view that nobody reads on must not end the process.
      whole.catch(() => undefined);
      if (isTextSearch) await whole;
      const { rowCount, first } = start ?? { rowCount: list.rowCount, first: NO_ROWS };
      const viewId = `view-${mark}-${++lastView}`;
      const close = (): void => {
        isClosed = true;
        connection.interrupt();
      };
      const isReversed = sorted.columns.length === 0 && sorted.isDescending;
      views.set(viewId, { scope, filter, order, rowCount, first, list, isReversed, whole, close });
      void whole.then(() => makeRoom(viewId)).catch(() => undefined);
      makeRoom(viewId);
      return { viewId, rowCount };
    },
    async readIds(viewId, start, end) {
      const view = find(viewId);
      const { first, list, rowCount, isReversed } = view;
      const until = Math.min(end, rowCount);
      if (until <= first.length) return first.slice(start, until);
      if (isReversed || list.rowCount < until) await view.whole;
      if (!isReversed) return list.slice(start, until);
      return list.slice(rowCount - until, rowCount - start).reverse();
    },
    get: find,
    close,
    closeOf(snapshotId) {
      for (const [viewId, { scope }] of [...views]) {
        if (scope.parts.some((part) => part.snapshotId === snapshotId)) close(viewId);
      }
    },
    closeAll() {
      for (const view of views.values()) view.close();
      views.clear();
    },
  };
}

/** The number of rows, and the first of them. */
async function readStart(
  connection: DuckDBConnection,
  source: string,
  order: string,
  values: readonly BoundValue[],
): Promise<{ rowCount: number; first: Float64Array }> {
  const count = `SELECT count(*) FROM ${source}`;
  const [[rowCount] = [0]] = await readRows<[number]>(connection, count, values);
  const rows = `SELECT record_id FROM ${source} ORDER BY ${order} LIMIT ${FIRST_ROWS}`;
  return { rowCount, first: await readIds(connection, rows, values) };
}

async function readIds(
  connection: DuckDBConnection,
  sql: string,
  values: readonly BoundValue[],
): Promise<Float64Array> {
  const list = createRecordList();
  for await (const ids of streamIds(connection, sql, values)) list.append(ids);
  return list.slice(0, list.rowCount);
}

type SortColumn = RecordOrder[number]['column'];
const ORDER_FIELDS: Readonly<Record<Exclude<SortColumn, 'received'>, FilterField>> = {
  dateMs: 'dateMs',
  responseCode: 'responseCode',
  channel: 'channel',
  service: 'service',
  origin: 'origin',
  client: 'client',
  responseTimeMs: 'responseTimeMs',
  botLatencyMs: 'botLatencyMs',
  actionId: 'actionId',
  error: 'error',
};

/**
 * The order of a view: nothing first, texts without regard to case. Where all its columns tie, records are in the order
 * received, turned around when the leading column descends, so that an order whose columns are all turned around is the
 * exact reverse. Columns that the report lacks, and those after `received`, decide nothing.
 */
function toOrderSql(order: RecordOrder, scope: RecordScope) {
  const columns: string[] = [];
  const keys: string[] = [];
  let isDescending = order[0]?.descending === true;
  for (const { column, descending } of order) {
    if (column === 'received') {
      isDescending = descending;
      break;
    }
    const found = findColumn(ORDER_FIELDS[column], scope.direction);
    if (found === null || columns.includes(found.name)) continue;
    columns.push(found.name);
    keys.push(...toSortKeys(found.name, found.type.toString() === 'VARCHAR', descending));
  }
  const direction = isDescending ? 'DESC' : 'ASC';
  return {
    columns,
    isDescending,
    order: [...keys, `part ${direction}`, `record_id ${direction}`].join(', '),
  };
}

function toSortKeys(name: string, isText: boolean, descending: boolean): string[] {
  const key = isText ? `lower(${name})` : name;
  // Action numbers are sent as text but are meant as numbers.
  const keys = name === 'action_id' ? [`TRY_CAST(${name} AS BIGINT)`, key] : [key];
  const direction = descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST';
  return keys.map((sql) => `${sql} ${direction}`);
}
