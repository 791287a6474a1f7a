import { setTimeout as wait } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError } from '../../../../common/contract/errors.ts';
import { isBodyField } from '../../../../common/model/records/body-path.ts';
import { listLeaves } from '../../../../common/query/filter-tree.ts';
import { countRecords } from '../count-records.ts';
import { streamIds, type EngineDatabase } from '../engine-database.ts';
import { toFilterSql, type SqlCondition } from '../filter-sql.ts';
import type { FilteredRecords, ResolvedScope } from '../resolved-scope.ts';
import {
  createRecordList,
  findRuns,
  listSlices,
  type PathOrder,
  type RecordList,
  type RecordRun,
  SLICE_SIZES,
  type SliceSizes,
  type SnapshotOrders,
  toOrderedScope,
  toSliceSql,
  toViewOrder,
  type ViewOrder,
  type ViewSlice,
} from './view-slices.ts';

/** Rows that are there before the whole order is. */
const FIRST_ROWS = 200;
/** After this time a search shows the rows that it has found, however few. */
const FIRST_WAIT_MS = 250;
/** Views kept; the one that was used longest ago goes first. */
const MAX_VIEWS = 16;
/** Bytes that the lists of all views may take together, the newest one apart. */
const MAX_LIST_BYTES = 80_000_000;
/** Scopes whose records have been counted. */
const MAX_TOTALS = 32;

/** A view that has been opened. */
interface OpenedView {
  readonly viewId: string;
  /** Rows of the view, or those found so far. */
  readonly rowCount: number;
  /** False while a search in texts goes on. */
  readonly isCounted: boolean;
  /** Records of the scope, whatever the filter. */
  readonly totalCount: number;
}

interface OpenView {
  readonly scope: ResolvedScope;
  readonly reading: ViewReading;
  /** Rows of the view; null where the list will tell. */
  readonly rowCount: number | null;
  /** Rows that are known before the list has them. */
  readonly first: Float64Array;
  close(): void;
}

interface RecordViews {
  /** Views that are open. */
  readonly size: number;
  /**
   * Opens a view; its first rows can be read at once, others as soon as they have been found. A search in texts takes
   * long: it may not have found all rows by then, and `count` tells when it has. An abort ends the reading.
   */
  open(records: FilteredRecords, order: PathOrder, signal: AbortSignal): Promise<OpenedView>;
  /** The number of rows, once all have been found. Throws AppError `cache.view-closed`. */
  count(viewId: string): Promise<number>;
  /** Ids of the rows [start, end); fewer at the end. Throws AppError `cache.view-closed`. */
  readIds(viewId: string, start: number, end: number): Promise<Float64Array>;
  /** The records that a view is about. Throws AppError `cache.view-closed`. */
  getScope(viewId: string): ResolvedScope;
  /** The same; null for a view that is closed. */
  findScope(viewId: string): ResolvedScope | null;
  close(viewId: string): void;
  /** Closes every view with records of a snapshot, since these are others now. */
  closeOf(snapshotId: number): void;
  /** Resolves once nothing is read any more. */
  closeAll(): Promise<void>;
}

/** Keeps views over the engine; `mark` makes their names differ from those of another process. */
export function createRecordViews(
  database: EngineDatabase,
  mark: string,
  orders: SnapshotOrders,
  sizes: SliceSizes = SLICE_SIZES,
): RecordViews {
  const views = new Map<string, OpenView>();
  const totals = new Map<string, number>();
  let lastView = 0;

  const find = (viewId: string): OpenView => {
    const view = views.get(viewId);
    if (view === undefined) throw toClosed(viewId);
    views.delete(viewId);
    views.set(viewId, view);
    return view;
  };
  /** Waits for rows of a view; one that is closed meanwhile has none. */
  const found = async (viewId: string, rows: Promise<void>): Promise<void> => {
    try {
      await rows;
    } catch (error) {
      throw views.has(viewId) ? error : toClosed(viewId);
    }
  };
  const makeRoom = (newest: string): void => {
    const held = (): number =>
      [...views.values()].reduce((sum, { reading }) => sum + reading.list.sizeBytes, 0);
    for (const [viewId, view] of views) {
      if (viewId === newest || (views.size <= MAX_VIEWS && held() <= MAX_LIST_BYTES)) return;
      views.delete(viewId);
      view.close();
    }
  };
  const close = (viewId: string): void => {
    const view = views.get(viewId);
    views.delete(viewId);
    view?.close();
  };
  const countTotal = async (connection: DuckDBConnection, scope: ResolvedScope): Promise<number> => {
    const key = JSON.stringify(scope);
    const known = totals.get(key);
    if (known !== undefined) return known;
    const total = await countRecords(connection, scope);
    if (totals.size >= MAX_TOTALS) totals.clear();
    totals.set(key, total);
    return total;
  };

  const keep = (view: Pick<OpenView, 'scope' | 'reading' | 'rowCount' | 'first'>): string => {
    const viewId = `view-${mark}-${++lastView}`;
    views.set(viewId, { ...view, close: view.reading.end });
    void view.reading.whole.then(() => makeRoom(viewId)).catch(() => undefined);
    makeRoom(viewId);
    return viewId;
  };
  /** Opens a view of every record whose rows follow from those of its snapshots; null where they have to be read. */
  const openRuns = async (
    scope: ResolvedScope,
    order: ViewOrder,
    signal: AbortSignal,
  ): Promise<OpenedView | null> => {
    const reader = await connectUntil(database, signal);
    try {
      const runs = await findRuns(reader.connection, scope, order, orders);
      signal.throwIfAborted();
      if (runs === null) return null;
      const reading = toKnownView(runs, order.leading.isDescending);
      const { rowCount } = reading.list;
      const viewId = keep({ scope, reading, rowCount, first: NO_ROWS });
      return { viewId, rowCount, isCounted: true, totalCount: rowCount };
    } finally {
      reader.close();
    }
  };

  return {
    get size() {
      return views.size;
    },
    async open({ scope, filter }, order, signal) {
      signal.throwIfAborted();
      const ordered = toOrderedScope(scope, order, orders);
      const viewOrder = toViewOrder(order, ordered);
      const known = filter.conditions.length === 0 ? await openRuns(scope, viewOrder, signal) : null;
      if (known !== null) return known;
      const where = toFilterSql(filter, scope.direction);
      // Texts are read once, for rows and count together, since that is what takes the time.
      const isTextSearch = listLeaves(filter).some(
        ({ field, text, wildcard, regex }) => (text ?? wildcard ?? regex) !== undefined || isBodyField(field),
      );
      const reader = await connectUntil(database, signal);
      const counter = await connectUntil(database, signal);
      const start = async (): Promise<Pick<OpenView, 'first' | 'reading'>> => {
        const slices = await listSlices(reader.connection, ordered, viewOrder, sizes);
        const isQuick = isTextSearch || ['received', 'date'].includes(viewOrder.leading.kind);
        const first = isQuick ? NO_ROWS : await readFirst(reader.connection, slices, viewOrder, where);
        return { first, reading: readView(reader, slices, viewOrder, where) };
      };
      const count = async (): Promise<{ rowCount: number | null; totalCount: number }> => {
        const totalCount = await countTotal(counter.connection, scope);
        if (filter.conditions.length === 0) return { rowCount: totalCount, totalCount };
        if (isTextSearch) return { rowCount: null, totalCount };
        return { rowCount: await countRecords(counter.connection, scope, where), totalCount };
      };
      const [starting, counting] = [start(), count()];
      try {
        const [{ first, reading }, { rowCount, totalCount }] = await Promise.all([starting, counting]);
        signal.addEventListener('abort', reading.end, { once: true });
        signal.throwIfAborted();
        if (rowCount === null) {
          const some = wait(FIRST_WAIT_MS, undefined, { ref: false }).then(() => reading.waitFor(1));
          some.catch(() => undefined);
          await Promise.race([reading.waitFor(FIRST_ROWS), some]);
        }
        signal.throwIfAborted();
        const viewId = keep({ scope, reading, rowCount, first });
        const isCounted = rowCount !== null || reading.isWhole;
        return { viewId, rowCount: rowCount ?? reading.list.rowCount, isCounted, totalCount };
      } catch (error) {
        reader.interrupt();
        counter.interrupt();
        // No connection may be closed under a statement.
        const [started] = await Promise.allSettled([starting, counting]);
        if (started.status === 'fulfilled') started.value.reading.end();
        else reader.close();
        throw error;
      } finally {
        counter.close();
      }
    },
    async count(viewId) {
      const { reading } = find(viewId);
      await found(viewId, reading.waitFor(Infinity));
      return reading.list.rowCount;
    },
    async readIds(viewId, start, end) {
      const { first, reading, rowCount } = find(viewId);
      const until = Math.min(end, rowCount ?? end);
      if (until <= first.length) return first.slice(start, until);
      await found(viewId, reading.waitFor(until));
      return reading.list.slice(start, until);
    },
    getScope: (viewId) => find(viewId).scope,
    findScope: (viewId) => views.get(viewId)?.scope ?? null,
    close,
    closeOf(snapshotId) {
      totals.clear();
      for (const [viewId, { scope }] of [...views]) {
        if (scope.parts.some((part) => part.snapshotId === snapshotId)) close(viewId);
      }
    },
    async closeAll() {
      const readings = [...views.values()].map(({ reading }) => reading.whole);
      for (const viewId of [...views.keys()]) close(viewId);
      await Promise.allSettled(readings);
    },
  };
}

const NO_ROWS = new Float64Array();

function toClosed(viewId: string): AppError {
  return new AppError('cache.view-closed', 'The view is closed.', { viewId });
}

/** The first rows of a view, found without putting all of them in order. */
async function readFirst(
  connection: DuckDBConnection,
  slices: readonly ViewSlice[],
  order: ViewOrder,
  where: SqlCondition,
): Promise<Float64Array> {
  const list = createRecordList();
  for (const slice of slices) {
    const sql = `${toSliceSql(slice, order, where)} LIMIT ${FIRST_ROWS - list.rowCount}`;
    for await (const ids of streamIds(connection, sql, where.values)) list.append(ids);
    if (list.rowCount >= FIRST_ROWS) break;
  }
  return list.slice(0, list.rowCount);
}

/** A connection that reads one view. */
interface ViewConnection {
  readonly connection: DuckDBConnection;
  /** Ends the statement that runs. */
  interrupt(): void;
  close(): void;
}

/** Opens a connection whose statements an abort ends. */
async function connectUntil(database: EngineDatabase, signal: AbortSignal): Promise<ViewConnection> {
  const connection = await database.connect();
  let isOpen = true;
  const interrupt = (): void => {
    if (isOpen) connection.interrupt();
  };
  signal.addEventListener('abort', interrupt, { once: true });
  return {
    connection,
    interrupt,
    close() {
      signal.removeEventListener('abort', interrupt);
      if (isOpen) connection.closeSync();
      isOpen = false;
    },
  };
}

/** What is asked right after a view was opened, its charts and counts, comes before rows that nobody waits for. */
const REST_MS = 500;

/** The list of a view while it is being read. */
interface ViewReading {
  readonly list: RecordList;
  /** Settles when the list is whole; rejects when the reading ended before. */
  readonly whole: Promise<void>;
  /** Settles when the list has so many rows, or is whole; rejects when the reading ended before. */
  waitFor(rowCount: number): Promise<void>;
  readonly isWhole: boolean;
  end(): void;
}

/** A view of runs, oldest first, or turned around: there is nothing to read. */
function toKnownView(runs: readonly RecordRun[], isDescending: boolean): ViewReading {
  const list = createRecordList();
  for (const { firstId, count } of isDescending ? runs.toReversed() : runs) {
    if (isDescending) list.appendRun(firstId + count - 1, count, -1);
    else list.appendRun(firstId, count, 1);
  }
  const whole = Promise.resolve();
  return { list, whole, waitFor: () => whole, isWhole: true, end: () => undefined };
}

/**
 * Reads the slices of a view one after another into a list: first those that somebody waits for, the rest a moment
 * later. The connection is closed at the end.
 */
function readView(
  reader: ViewConnection,
  slices: readonly ViewSlice[],
  order: ViewOrder,
  where: SqlCondition,
): ViewReading {
  const { connection } = reader;
  const list = createRecordList();
  const waiting: { readonly rowCount: number; resolve(): void }[] = [];
  const restUntilMs = performance.now() + REST_MS;
  let rest = new AbortController();
  let isWhole = false;
  let isEnded = false;

  const append = (ids: Float64Array): void => {
    list.append(ids);
    for (const one of waiting.splice(0)) {
      if (one.rowCount <= list.rowCount) one.resolve();
      else waiting.push(one);
    }
  };
  const readSlice = async (slice: ViewSlice): Promise<void> => {
    const sql = toSliceSql(slice, order, where);
    if (!slice.isReversed) {
      for await (const ids of streamIds(connection, sql, where.values)) append(ids);
      return;
    }
    const received = createRecordList();
    for await (const ids of streamIds(connection, sql, where.values)) received.append(ids);
    append(received.slice(0, received.rowCount).reverse());
  };
  const takeRest = async (): Promise<void> => {
    const restMs = restUntilMs - performance.now();
    if (waiting.length > 0 || restMs <= 0) return;
    rest = new AbortController();
    await wait(restMs, undefined, { signal: rest.signal, ref: false }).catch(() => undefined);
  };
  const readAll = async (): Promise<void> => {
    try {
      for (const slice of slices) {
        await takeRest();
        if (isEnded) throw new AppError('app.cancelled', 'The reading has ended.');
        await readSlice(slice);
      }
      isWhole = true;
    } finally {
      reader.close();
    }
  };
  const whole = readAll();
  // Whoever reads rows awaits it; a view that nobody reads on must not end the process.
  whole.catch(() => undefined);
  return {
    list,
    whole,
    get isWhole() {
      return isWhole;
    },
    waitFor(rowCount) {
      if (list.rowCount >= rowCount) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<undefined>();
      waiting.push({ rowCount, resolve: () => resolve(undefined) });
      rest.abort();
      return Promise.race([promise, whole]);
    },
    end() {
      isEnded = true;
      rest.abort();
      reader.interrupt();
    },
  };
}
