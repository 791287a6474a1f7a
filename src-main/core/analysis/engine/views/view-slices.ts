import type { DuckDBConnection } from '@duckdb/node-api';
import { isBodyField } from '../../../../common/model/records/body-path.ts';
import { type RecordOrder, toRecordId } from '../../../../common/model/records/record.ts';
import { toTextOrderSql } from '../../../../common/sql/view-statements.ts';
import { readRows } from '../engine-database.ts';
import { findColumn } from '../engine-tables.ts';
import { NO_CONDITION, type SqlCondition } from '../filter-sql.ts';
import {
  countAtMost,
  type ResolvedScope,
  type ScopePart,
  splitPart,
  toRowsInOrderSql,
  toSourceSql,
} from '../resolved-scope.ts';

/** Shorter lists are kept plainly: runs pay only where there is something to save. */
const MIN_RUN_ROWS = 4096;

/** An ordered list of record ids that grows at its end. */
export interface RecordList {
  readonly rowCount: number;
  append(ids: Float64Array): void;
  /** Appends ids that follow one another: rising from the first, or (step -1) falling. */
  appendRun(firstId: number, count: number, step: 1 | -1): void;
  /** Ids at the places [start, end); fewer at the end of the list. */
  slice(start: number, end: number): Float64Array;
  /** Bytes held. */
  readonly sizeBytes: number;
}

/**
 * A list that keeps ids which follow one another, rising or falling, as runs: a whole snapshot in the order received, or
 * newest first, is one run, whatever its length. Where runs are short the ids are kept plainly, eight bytes each.
 */
export function createRecordList(): RecordList {
  let rowCount = 0;
  let runCount = 0;
  /** First id of each run, the place where it begins, and 1 or -1, the way it goes. */
  let firstIds = new Float64Array(64);
  let places = new Float64Array(64);
  let steps = new Float64Array(64);
  let lastId = -1;
  let lastLength = 0;
  /** Ids one by one; null while runs are kept. */
  let plain: Float64Array<ArrayBuffer> | null = null;

  const findRun = (place: number): number => {
    let low = 0;
    let high = runCount - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((places[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const readRuns = (start: number, end: number): Float64Array<ArrayBuffer> => {
    const ids = new Float64Array(Math.max(0, end - start));
    let run = findRun(start);
    for (let index = 0; index < ids.length; index += 1) {
      const place = start + index;
      if (run + 1 < runCount && (places[run + 1] ?? 0) <= place) run += 1;
      ids[index] = (firstIds[run] ?? 0) + (place - (places[run] ?? 0)) * (steps[run] ?? 1);
    }
    return ids;
  };
  const addRun = (id: number): void => {
    if (runCount === firstIds.length) {
      firstIds = grow(firstIds, runCount + 1);
      places = grow(places, runCount + 1);
      steps = grow(steps, runCount + 1);
    }
    firstIds[runCount] = id;
    places[runCount] = rowCount;
    steps[runCount] = 1;
    runCount += 1;
    lastLength = 0;
  };
  const appendToRuns = (ids: Float64Array): void => {
    for (const id of ids) {
      if (lastLength === 1 && id === lastId - 1) steps[runCount - 1] = -1;
      else if (runCount === 0 || id !== lastId + (steps[runCount - 1] ?? 1)) addRun(id);
      lastId = id;
      lastLength += 1;
      rowCount += 1;
    }
  };

  return {
    get rowCount() {
      return rowCount;
    },
    get sizeBytes() {
      return plain === null ? firstIds.byteLength * 3 : plain.byteLength;
    },
    append(ids) {
      if (plain !== null) {
        if (plain.length < rowCount + ids.length) plain = grow(plain, rowCount + ids.length);
        plain.set(ids, rowCount);
        rowCount += ids.length;
        return;
      }
      appendToRuns(ids);
      if (rowCount < MIN_RUN_ROWS || runCount * 3 < rowCount) return;
      plain = readRuns(0, rowCount);
      firstIds = new Float64Array(0);
      places = firstIds;
      steps = firstIds;
    },
    appendRun(firstId, count, step) {
      if (count === 0) return;
      if (plain !== null) {
        this.append(Float64Array.from({ length: count }, (_none, place) => firstId + place * step));
        return;
      }
      addRun(firstId);
      steps[runCount - 1] = step;
      lastId = firstId + (count - 1) * step;
      lastLength = count;
      rowCount += count;
    },
    slice(start, end) {
      const from = Math.min(Math.max(0, start), rowCount);
      const until = Math.min(Math.max(from, end), rowCount);
      return plain === null ? readRuns(from, until) : plain.slice(from, until);
    },
  };
}

function grow(array: Float64Array<ArrayBuffer>, least: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(Math.max(least, Math.ceil(array.length * 1.5), 64));
  grown.set(array);
  return grown;
}

/** Rows of a view that come after those of the slice before, read by a statement of their own. */
export interface ViewSlice {
  readonly scope: ResolvedScope;
  /** Leaves the rows of other slices out; 'true' where the scope does. */
  readonly sql: string;
  /** Rows come in the order received, and belong into the view the other way around. */
  readonly isReversed: boolean;
}

/** Sizes of slices in records. */
export interface SliceSizes {
  readonly first: number;
  readonly most: number;
}

/** The first slice is read in a few milliseconds; sorting one of the largest takes some 25 MB. */
export const SLICE_SIZES: SliceSizes = { first: 131_072, most: 524_288 };
/** Each slice of dates asks for one more bound, and each bound is looked up in a row group of its own. */
const MAX_DATE_SLICES = 16;

/**
 * Divides a view, so that its first rows are there before all of it has been read, and no more than a slice has to be
 * sorted at once: by place in the order received, by ranges of dates, or, for a column of texts, into those that are
 * empty and the others. Orders by numbers are one slice.
 */
export async function listSlices(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { leading }: ViewOrder,
  sizes: SliceSizes,
): Promise<ViewSlice[]> {
  const { kind, column, isDescending } = leading;
  if (kind === 'received') return sliceByPlace(scope, isDescending, sizes);
  const conditions =
    kind === 'date'
      ? toDateConditions(await findDateBounds(connection, scope, sizes))
      : kind === 'text'
        ? [`(${column} IS NULL OR ${column} = '')`, `${column} <> ''`]
        : ['true'];
  if (isDescending) conditions.reverse();
  return conditions.map((sql) => ({ scope, sql, isReversed: false }));
}

/** The statement that reads the ids of a slice in the order of its view. */
export function toSliceSql({ scope, sql }: ViewSlice, order: ViewOrder, where: SqlCondition): string {
  const conditions = [sql, where.sql].filter((condition) => condition !== 'true');
  const all = {
    sql: conditions.length === 0 ? 'true' : conditions.join(' AND '),
    values: where.values,
  };
  if (order.columns.length + order.made.length === 0)
    return `SELECT record_id FROM ${toRowsInOrderSql(scope, ['record_id'], all)}`;
  const source = toSourceSql(scope, ['record_id', ...order.columns, ...order.made], all);
  return `SELECT record_id FROM ${source} ORDER BY ${order.sql}`;
}

function sliceByPlace(scope: ResolvedScope, isDescending: boolean, { first, most }: SliceSizes): ViewSlice[] {
  const slices: ViewSlice[] = [];
  let size = first;
  let room = size;
  let parts: ScopePart[] = [];
  const end = (): void => {
    if (parts.length === 0) return;
    if (isDescending) parts.reverse();
    slices.push({ scope: { ...scope, parts }, sql: 'true', isReversed: isDescending });
    parts = [];
    size = Math.min(size * 2, most);
    room = size;
  };
  for (const part of isDescending ? scope.parts.toReversed() : scope.parts) {
    let { fromSeq = 0, recordCount: untilSeq } = part;
    while (fromSeq < untilSeq) {
      const rows = Math.min(room, untilSeq - fromSeq);
      const range = isDescending
        ? { fromSeq: untilSeq - rows, recordCount: untilSeq }
        : { fromSeq, recordCount: fromSeq + rows };
      parts.push({ ...part, ...range });
      if (isDescending) untilSeq -= rows;
      else fromSeq += rows;
      room -= rows;
      if (room === 0) end();
    }
  }
  end();
  return slices;
}

/** Dates of records that lie at even distances in the order received; rising, each once. */
async function findDateBounds(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { first }: SliceSizes,
): Promise<number[]> {
  const total = countAtMost(scope);
  const count = Math.min(MAX_DATE_SLICES, Math.ceil(total / first));
  if (count < 2) return [];
  const ids = Array.from({ length: count - 1 }, (_none, place) =>
    findId(scope.parts, Math.floor((total * (place + 1)) / count)),
  );
  const lookUps = ids.map((id) => `SELECT date_ms FROM ${scope.direction} WHERE record_id = ${id}`);
  const rows = await readRows<[number | null]>(
    connection,
    `SELECT DISTINCT date_ms FROM (${lookUps.join(' UNION ALL ')}) WHERE date_ms IS NOT NULL ORDER BY date_ms`,
  );
  return rows.flatMap(([dateMs]) => dateMs ?? []);
}

/** The id of the record at a place among all records of the snapshots that the parts are of. */
function findId(parts: readonly ScopePart[], place: number): number {
  let before = 0;
  for (const { snapshotId, recordCount, fromSeq = 0 } of parts) {
    const count = recordCount - fromSeq;
    if (place < before + count) return toRecordId(snapshotId, fromSeq + place - before);
    before += count;
  }
  return 0;
}

/** Conditions that every record meets one of, by rising date; those without a date come first. */
function toDateConditions(bounds: readonly number[]): string[] {
  const conditions = [undefined, ...bounds].map((fromMs, place) => {
    const untilMs = bounds[place];
    const dates = [
      ...(fromMs === undefined ? [] : [`date_ms >= ${fromMs}`]),
      ...(untilMs === undefined ? [] : [`date_ms < ${untilMs}`]),
    ].join(' AND ');
    return fromMs === undefined && dates !== '' ? `(date_ms IS NULL OR ${dates})` : dates;
  });
  return bounds.length === 0 ? ['true'] : conditions;
}

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
  { columns, made, leading, isLastFirst }: ViewOrder,
  { isInOrder, listRunStarts }: SnapshotOrders,
): Promise<RecordRun[] | null> {
  const isByDate =
    leading.kind === 'date' &&
    columns.length === 1 &&
    made.length === 0 &&
    isLastFirst === leading.isDescending;
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

/** How the records of snapshots lie, by the number of the snapshot. */
export interface SnapshotOrders {
  /** Whether they came in the order of their dates, run after run. */
  isInOrder(snapshotId: number): boolean;
  /** Where its runs begin, in the order of time. */
  listRunStarts(snapshotId: number): readonly number[];
}

/** An order that knows how the paths among its columns are read; those without a value decide nothing. */
export type PathOrder = readonly (RecordOrder[number] & { readonly value?: string })[];

/** The order of a view as SQL. */
export interface ViewOrder {
  /** Columns that it compares; neither these nor others for the order received. */
  readonly columns: readonly string[];
  /** Values that it compares beside them, each with the name that `sql` has for it. */
  readonly made: readonly string[];
  /** What is compared first. */
  readonly leading: {
    readonly kind: 'received' | 'date' | 'text' | 'number' | 'path';
    /** Of a path that is no column the expression. */
    readonly column: string;
    readonly isDescending: boolean;
  };
  /** Where all columns tie, the record received last comes first. */
  readonly isLastFirst: boolean;
  readonly sql: string;
}

/**
 * The order of a view: nothing first, texts as a dictionary has them, without regard to case. Where all its columns tie, records are in the order
 * received, turned around when the leading column descends, so that an order whose columns are all turned around is the
 * exact reverse. Columns that the report lacks, and those after `received`, decide nothing.
 */
export function toViewOrder(order: PathOrder, scope: ResolvedScope): ViewOrder {
  const columns: string[] = [];
  const made: string[] = [];
  const keys: string[] = [];
  let leading: ViewOrder['leading'] | null = null;
  let isDescending = order[0]?.descending === true;
  for (const { column, descending, language, value } of order) {
    if (column === 'received') {
      isDescending = descending;
      break;
    }
    if (isBodyField(column)) {
      if (value === undefined) continue;
      const name = `order_${made.length}`;
      leading ??= { kind: 'path', column: value, isDescending: descending };
      made.push(`${value} AS ${name}`);
      const direction = toDirectionSql(descending);
      // A number is one however it is written; nothing comes first, then texts.
      const parts = [`body_number(${name})`, toTextOrderSql(`nullif(${name}, '')`, language)];
      keys.push(...parts.map((key) => `${key} ${direction}`));
      continue;
    }
    const found = findColumn(column, scope.direction);
    if (found === null || columns.includes(found.name)) continue;
    const isText = found.type === 'VARCHAR';
    const kind = isText ? 'text' : column === 'dateMs' ? 'date' : 'number';
    leading ??= { kind, column: found.name, isDescending: descending };
    columns.push(found.name);
    const key = isText ? toTextOrderSql(found.name, language) : found.name;
    keys.push(...toSortKeys(found.name, key, descending));
  }
  const direction = isDescending ? 'DESC' : 'ASC';
  // The place of the only part decides nothing, and would keep storage from being skipped by the id.
  const part = scope.parts.length > 1 ? [`part ${direction}`] : [];
  return {
    columns,
    made,
    leading: leading ?? { kind: 'received', column: 'record_id', isDescending },
    isLastFirst: isDescending,
    sql: [...keys, ...part, `record_id ${direction}`].join(', '),
  };
}

/**
 * The scope that an order is read from: parts are split into runs where records may come in the order received. What has the
 * same date is of the same run, so that an order by date needs no more parts.
 */
export function toOrderedScope(
  scope: ResolvedScope,
  order: PathOrder,
  { listRunStarts }: Pick<SnapshotOrders, 'listRunStarts'>,
): ResolvedScope {
  if (toViewOrder(order, scope).leading.kind === 'date') return scope;
  return {
    ...scope,
    parts: scope.parts.flatMap((part) => splitPart(part, listRunStarts(part.snapshotId))),
  };
}

function toSortKeys(name: string, key: string, descending: boolean): string[] {
  // Action numbers are sent as text but are meant as numbers.
  const keys = name === 'action_id' ? [`TRY_CAST(${name} AS BIGINT)`, key] : [key];
  return keys.map((sql) => `${sql} ${toDirectionSql(descending)}`);
}

function toDirectionSql(descending: boolean): string {
  return descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST';
}
