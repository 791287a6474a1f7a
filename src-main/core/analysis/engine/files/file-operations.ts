import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import type { CsvDialect } from '../../../../common/model/exports/export-options.ts';
import type { RecordFilter, RecordScope } from '../../../../common/model/records/record-filter.ts';
import type { RecordOrder } from '../../../../common/model/records/record.ts';
import type { SqlCell } from '../../../../common/model/records/sql.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { OTHER_FIELDS_COLUMN } from '../../../../common/sql/sql-tables.ts';
import { type ClockOffset, listClockOffsets } from '../../../../common/sql/filter-statement.ts';
import { DAY_MS } from '../../../../common/time/durations.ts';
import type { CallContext } from '../../../calls/calls.ts';
import type { ReadPath } from '../bodies/read-path.ts';
import { isOutOfMemory, quoteText, readRows } from '../engine-database.ts';
import { DATE_TEXT_COLUMN } from '../engine-tables.ts';
import type { AskFiltered } from '../measures/measure-operations.ts';
import type { EngineSource } from '../resolve-scope.ts';
import type { ResolvedScope } from '../resolved-scope.ts';
import type { PathOrder } from '../views/view-slices.ts';
import {
  type FileColumn,
  findCellKind,
  LARGEST_NUMBER,
  type LineSql,
  prepareRecordRows,
  quoteName,
  type RecordRows,
  SMALLEST_NUMBER,
  toCellSql,
  toCsvSql,
  toJsonSql,
  toNdjsonSql,
  toValueSql,
} from './line-sql.ts';
import { type EngineFile, type FileProgress, writeFile } from './write-file.ts';

interface RecordFile {
  readonly scope: RecordScope;
  readonly filter: RecordFilter;
  readonly order: RecordOrder;
  readonly columns: readonly FileColumn[];
  readonly format: { readonly kind: 'parquet' } | TextFormat;
  /** What the file is, as JSON. */
  readonly about: string;
}

/** Rows of a result that are read at once. */
const RESULT_ROWS = 10_000;

/** Returns the engine's operations that write files into its folder; each says how far it is. */
export function createFileOperations(options: {
  readonly folder: string;
  readonly ask: AskFiltered;
  readonly connect: <Value>(
    context: CallContext<FileProgress>,
    work: (connection: DuckDBConnection) => Promise<Value>,
  ) => Promise<Value>;
  readonly source: EngineSource;
  readonly findPaths: (
    connectionId: string,
    direction: Direction,
    paths: readonly string[],
  ) => Promise<readonly ReadPath[]>;
  readonly resolveOrder: (order: RecordOrder, scope: RecordScope, direction: Direction) => Promise<PathOrder>;
  /** Reads rows of an open result; fewer at its end. */
  readonly readResult: (
    place: { readonly resultId: string; readonly offset: number; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<SqlCell[][]>;
}) {
  const { folder, ask, connect, source, findPaths, resolveOrder, readResult } = options;
  return {
    /**
     * Writes records; null, and no file, where texts have to be written row by row (see `prepareText`), or are too long. Throws AppErrors
     * as `prepareRecordRows` and `writeFile` do.
     */
    writeRecords: (question: RecordFile, context: CallContext<FileProgress>): Promise<EngineFile | null> =>
      ask(question, context, async (connection, records) => {
        const { scope, columns, about, format } = question;
        const { connectionId } = 'snapshotId' in scope ? source.getSnapshot(scope.snapshotId) : scope;
        const { direction } = records.scope;
        const asked = columns.flatMap(({ value }) => (value.kind === 'path' ? [value.path] : []));
        const paths = await findPaths(connectionId, direction, asked);
        const order = await resolveOrder(question.order, scope, direction);
        const parts = { connection, records, order, columns, source, connectionId, paths };
        const rows = await prepareRecordRows(parts);
        const lines =
          format.kind === 'parquet'
            ? toParquetSql(columns, direction, about)
            : await prepareText(connection, rows, { direction, columns, format, about });
        if (lines === null) return null;
        const { values, total } = rows;
        context.progress({ done: 0, total });
        const { select, copyOptions } = copyInOrder(lines.select, rows);
        const writing = writeFile({
          connection,
          folder,
          select,
          values,
          total,
          copyOptions: lines.copyOptions + copyOptions,
          end: lines.end,
          signal: context.signal,
          onProgress: context.progress,
        });
        return writing.catch((error: unknown) => {
          // Long texts take several times as much memory here as where they are written row by row.
          if (format.kind !== 'parquet' && isOutOfMemory(error)) return null;
          throw error;
        });
      }),
    /** Writes rows of an open result of SQL as Parquet; `places` are those of the columns in the result. */
    writeResult: (
      question: { resultId: string; places: readonly number[]; columns: readonly RowColumn[]; about: string },
      context: CallContext<FileProgress>,
    ): Promise<EngineFile> => {
      const { resultId, places, columns, about } = question;
      return connect(context, (connection) => {
        async function* readRows(): AsyncGenerator<SqlCell[]> {
          for (let offset = 0; ; offset += RESULT_ROWS) {
            const read = await readResult({ resultId, offset, limit: RESULT_ROWS }, context.signal);
            for (const row of read) yield places.map((place) => row[place] ?? null);
            if (read.length < RESULT_ROWS) return;
          }
        }
        const rows = readRows();
        return writeRowsAsParquet({ connection, folder, columns, rows, about, ...toRun(context) });
      });
    },
    /** Writes rows of a file as Parquet, each line of it the cells of one as a JSON array. */
    writeLines: (
      question: { path: string; columns: readonly RowColumn[]; about: string },
      context: CallContext<FileProgress>,
    ): Promise<EngineFile> => {
      const { path, ...rest } = question;
      return connect(context, async (connection) => {
        async function* readRows(): AsyncGenerator<SqlCell[]> {
          for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
            context.signal.throwIfAborted();
            yield JSON.parse(line) as SqlCell[];
          }
        }
        return writeRowsAsParquet({ connection, folder, ...rest, rows: readRows(), ...toRun(context) });
      });
    },
    /** Writes a few rows as Parquet, such as the groups of a summary. */
    writeRows: (
      question: { rows: readonly (readonly SqlCell[])[]; columns: readonly RowColumn[]; about: string },
      context: CallContext<FileProgress>,
    ): Promise<EngineFile> =>
      connect(context, (connection) =>
        writeRowsAsParquet({ connection, folder, ...question, ...toRun(context) }),
      ),
  };
}

function toParquetSql(columns: readonly FileColumn[], direction: Direction, about: string): LineSql {
  const selected = columns.map(({ name, value }) => `${toValueSql(value, direction)} AS ${quoteName(name)}`);
  return { select: selected.join(', '), copyOptions: `${PARQUET_OPTIONS}, ${toMetadataSql(about)}` };
}

function toRun({
  signal,
}: CallContext<FileProgress>): Pick<Parameters<typeof writeFile>[0], 'signal' | 'onProgress'> {
  return { signal, onProgress: () => undefined };
}

/** How a file's rows are selected and copied. */
interface OrderedCopy {
  /** The statement whose rows are copied. */
  readonly select: string;
  /** Options of COPY beside those of the format. */
  readonly copyOptions: string;
}

/**
 * Has rows copied in the order in which they are stored, or in that of `order`. Where several threads copy, they hold the
 * rows of many batches until their turn comes, which takes hundreds of megabytes and half as much of the processors' time
 * again. Numbering the rows takes one thread, from which they come in their order; it has nothing to put in order then.
 */
export function copyInOrder(
  columns: string,
  { from, order }: { readonly from: string; readonly order: string },
): OrderedCopy {
  // Rows that were sorted come from several threads again.
  if (order !== '') return { select: `SELECT ${columns} ${from}${order}`, copyOptions: '' };
  const numbered = `(SELECT *, row_number() OVER () AS row_place ${from})`;
  return {
    select: `SELECT ${columns} FROM ${numbered} WHERE row_place > 0`,
    copyOptions: ', PRESERVE_ORDER false',
  };
}

/** A column of rows that are no records; its type as SQL names it. */
interface RowColumn {
  readonly name: string;
  readonly type: string;
}

/** Types that a text can be turned into without loss. */
const PLAIN_TYPES =
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE|BOOLEAN|DATE|TIMESTAMP(?:_S|_MS|_NS|TZ)?|DECIMAL\(\d{1,2},\d{1,2}\))$/;
/** Parquet has no whole numbers of their size. */
const LARGE_TYPES = new Set(['HUGEINT', 'UHUGEINT']);

/** Writes rows as Parquet. A value that its column's type can't hold leaves that whole column text. */
async function writeRowsAsParquet(
  options: {
    readonly columns: readonly RowColumn[];
    readonly rows: Iterable<readonly SqlCell[]> | AsyncIterable<readonly SqlCell[]>;
    readonly about: string;
  } & Pick<Parameters<typeof writeFile>[0], 'connection' | 'folder' | 'signal' | 'onProgress'>,
): Promise<EngineFile> {
  const { columns, rows, about, connection } = options;
  const texts = columns.map((_column, place) => `c${place} VARCHAR`);
  await connection.run(`CREATE TEMP TABLE written_rows (${texts.join(', ')})`);
  const appender = await connection.createAppender('written_rows', 'main', 'temp');
  let total = 0;
  for await (const row of rows) {
    appendRow(appender, row, columns.length);
    total += 1;
  }
  appender.closeSync();
  const selected: string[] = [];
  for (const [place, { name, type }] of columns.entries()) {
    selected.push(`${await toTyped(connection, `c${place}`, type)} AS ${quoteName(name)}`);
  }
  return writeFile({
    ...options,
    select: `SELECT ${selected.join(', ')} FROM written_rows`,
    values: [],
    total,
    copyOptions: `${PARQUET_OPTIONS}, ${toMetadataSql(about)}`,
  });
}

async function toTyped(connection: DuckDBConnection, column: string, named: string): Promise<string> {
  const type = LARGE_TYPES.has(named) ? 'DECIMAL(38,0)' : named;
  if (!PLAIN_TYPES.test(type)) return column;
  const reader = await connection.runAndReadAll(
    `SELECT count(*) FROM written_rows WHERE ${column} IS NOT NULL AND TRY_CAST(${column} AS ${type}) IS NULL`,
  );
  return Number(reader.getRows()[0]?.[0]) === 0 ? `CAST(${column} AS ${type})` : column;
}

function appendRow(appender: DuckDBAppender, row: readonly SqlCell[], width: number): void {
  for (let place = 0; place < width; place += 1) {
    const value = row[place] ?? null;
    if (value === null) appender.appendNull();
    else appender.appendVarchar(String(value));
  }
  appender.endRow();
}

/** Rows of a group, which is in memory until it is whole: half of what DuckDB takes, as large as readers like it. */
const GROUP_ROWS = 61_440;

/** How Parquet is written. */
const PARQUET_OPTIONS = `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP_ROWS}`;

/** The option that keeps what a file is, as JSON, in the file's own metadata. */
function toMetadataSql(about: string): string {
  return `KV_METADATA {channelscope: ${quoteText(about)}}`;
}

type TextFormat =
  | { readonly kind: 'csv'; readonly csv: CsvDialect }
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'json' };

/** What the lines of a file are to hold. */
interface TextFile {
  readonly direction: ResolvedScope['direction'];
  readonly columns: readonly FileColumn[];
  readonly format: TextFormat;
  /** What the file is, as JSON. */
  readonly about: string;
}

/** Changes of the clock are looked up day by day. */
const MAX_CLOCK_DAYS = 3660;
const FIRST_MS = Date.UTC(1000, 0, 1);
const LAST_MS = Date.UTC(9999, 11, 30);
/**
 * Characters whose presence is told, or that the engine has in the place of halves of surrogate pairs. They are looked
 * for where a text has others than those of ASCII.
 */
const TOLD = quoteText(String.raw`[\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{fffd}]`);

/**
 * Looks the records through and returns how their lines are written; null where something in them is not written here
 * with the same characters as row by row: halves of surrogate pairs, NUL, marks of direction, numbers of unusual size,
 * dates far apart, unknown fields that are named as known ones.
 */
async function prepareText(
  connection: DuckDBConnection,
  { from, values, total }: Pick<RecordRows, 'from' | 'values' | 'total'>,
  { direction, columns, format, about }: TextFile,
): Promise<LineSql | null> {
  if (format.kind === 'csv' && format.csv.quoting === 'needed') return null;
  const isNumber = ({ value }: FileColumn): boolean =>
    value.kind === 'field' && findCellKind(value.name, direction) === 'number';
  const unusual = columns.flatMap((column) => {
    const { value } = column;
    if (value.kind === 'moment') return [];
    const isDate = value.kind === 'field' && value.name === 'dateText';
    const sql = isDate ? DATE_TEXT_COLUMN : toValueSql(value, direction);
    return isNumber(column) ? [toOddNumber(sql)] : [toOddText(sql)];
  });
  if (format.kind !== 'csv') {
    const names = columns.map(({ name }) => quoteText(name)).join(', ');
    // Halves of surrogate pairs are valid in JSON, but not to the engine.
    unusual.push(
      `CASE WHEN ${OTHER_FIELDS_COLUMN} IS NULL THEN false
        WHEN json_valid(${OTHER_FIELDS_COLUMN}) THEN list_has_any(json_keys(${OTHER_FIELDS_COLUMN}), [${names}])
        ELSE true END`,
    );
  }
  const [found] = await readRows<[boolean | null, number | null, number | null]>(
    connection,
    `SELECT bool_or(${unusual.join(' OR ') || 'false'}), min(date_ms), max(date_ms) ${from}`,
    values,
  );
  const [isOdd = null, firstMs = null, lastMs = null] = found ?? [];
  if (isOdd === true) return null;
  const clocks = toClocks(columns, firstMs ?? 0, lastMs ?? 0);
  if (clocks === null) return null;
  const lines = columns.map((column) => ({ ...column, cell: toCellSql(column, direction, clocks) }));
  if (format.kind === 'csv') return toCsvSql(lines, format.csv);
  return format.kind === 'json' ? toJsonSql(lines, about, total) : toNdjsonSql(lines);
}

/** CASE, since both sides of AND are evaluated for every row, and the expression takes longer than all else. */
function toOddText(sql: string): string {
  return `CASE WHEN strlen(${sql}) <> length(${sql}) THEN regexp_matches(${sql}, ${TOLD}) ELSE false END
    OR contains(${sql}, chr(0))`;
}

function toOddNumber(sql: string): string {
  return `abs(${sql}) >= ${LARGEST_NUMBER} OR (${sql} <> 0 AND abs(${sql}) < ${SMALLEST_NUMBER})`;
}

/** Null where dates are too far apart, or out of the calendar. */
function toClocks(
  columns: readonly FileColumn[],
  firstMs: number,
  lastMs: number,
): ((zone: string) => readonly ClockOffset[]) | null {
  const hasMoments = columns.some(({ value }) => value.kind === 'moment');
  if (!hasMoments) return () => [];
  if (firstMs < FIRST_MS || lastMs > LAST_MS || lastMs - firstMs > MAX_CLOCK_DAYS * DAY_MS) return null;
  return (zone) => listClockOffsets(firstMs - DAY_MS, lastMs + DAY_MS, zone);
}
