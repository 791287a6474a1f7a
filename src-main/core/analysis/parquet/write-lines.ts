import { statSync } from 'node:fs';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { OTHER_FIELDS_NAME } from '../../../common/model/exports/export-options.ts';
import { listFields, REPORT_KINDS } from '../../../common/reporting/reports.ts';
import { OTHER_FIELDS_COLUMN, UTC_COLUMN } from '../../../common/sql/sql-tables.ts';
import { nameZonedField } from '../../../common/time/civil-time.ts';
import { toUnreadable } from '../../../common/words/to-unreadable.ts';
import { type CallContext, serveCalls, type ServerPort } from '../../calls/calls.ts';
import { quoteText, readRows } from '../engine/engine-database.ts';
import { quoteName } from '../engine/files/line-sql.ts';

const MEMORY_MB = 512;
const MAX_COLUMNS = 1_000;
const WATCH_MS = 200;
/** Lines are written as they are: nothing is quoted or parted. */
const LINES = "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '', USE_TMP_FILE false";

export interface ParquetQuestion {
  readonly path: string;
  /** The file that is written, one record a line. */
  readonly target: string;
  /** More bytes than this are not written. */
  readonly maxBytes: number;
}

/** Progress of the writing, from 0 to 1. */
export interface ParquetProgress {
  readonly share: number;
}

/** What a Parquet file holds, besides its rows. */
export interface ParquetLines {
  /** What an export of Channelscope says of itself, as JSON; null in any other file. */
  readonly about: string | null;
  readonly rowCount: number;
  /** Names of the columns. */
  readonly names: readonly string[];
  /** Those of them whose numbers are spelled otherwise than JavaScript does. */
  readonly fractions: readonly string[];
  readonly bytes: number;
}

/**
 * Writes the rows of a Parquet file as lines of JSON, in their order. The file may come from anywhere: it is read by a
 * database of its own that reaches nothing but this file and the target's folder. Throws `imports.unreadable`.
 */
export async function writeParquetLines(
  { path, target, maxBytes }: ParquetQuestion,
  folder: string,
  { signal, progress }: CallContext<ParquetProgress>,
): Promise<ParquetLines> {
  const instance = await DuckDBInstance.create(':memory:', {
    // One thread writes rows in their order without keeping any.
    threads: '1',
    memory_limit: `${MEMORY_MB}MB`,
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  let isTooLarge = false;
  const interrupt = (): void => connection.interrupt();
  const timer = setInterval(() => {
    progress({ share: Math.max(0, connection.progress.percentage) / 100 });
    const bytes = statSync(target, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes <= maxBytes) return;
    isTooLarge = true;
    interrupt();
  }, WATCH_MS);
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    await close(connection, path, folder);
    const from = `read_parquet(${quoteText(path)}, hive_partitioning = false, binary_as_string = true)`;
    const described = await readRows<[string, string]>(connection, `DESCRIBE SELECT * FROM ${from}`);
    const columns = described.map(([name, type]): ParquetColumn => ({ name, type }));
    if (columns.length > MAX_COLUMNS) throw toUnreadable('parquet-columns', { most: MAX_COLUMNS });
    const names = nameRecordColumns(columns);
    const about = await readAbout(connection, path);
    const [rowCount = 0] =
      (
        await readRows<[number]>(
          connection,
          `COPY (SELECT ${toLineSql(columns, names)} FROM ${from}) TO ${quoteText(target)} (${LINES})`,
        )
      )[0] ?? [];
    signal.throwIfAborted();
    const fractions = columns.flatMap((column, place) => (isFraction(column) ? (names[place] ?? []) : []));
    const bytes = statSync(target, { throwIfNoEntry: false })?.size ?? 0;
    isTooLarge ||= bytes > maxBytes;
    if (isTooLarge) throw toUnreadable('too-large');
    return { about, rowCount, names, fractions, bytes };
  } catch (error) {
    throw isTooLarge ? toUnreadable('too-large', {}, error) : toReadable(error);
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', interrupt);
    connection.closeSync();
    instance.closeSync();
  }
}

/** Lets statements reach this file and the folder alone, from now on. */
async function close(connection: DuckDBConnection, path: string, folder: string): Promise<void> {
  await connection.run("SET GLOBAL TimeZone = 'UTC'");
  await connection.run(`SET GLOBAL allowed_paths = [${quoteText(path)}]`);
  await connection.run(`SET GLOBAL allowed_directories = [${quoteText(folder)}]`);
  await connection.run('SET GLOBAL enable_external_access = false');
  await connection.run('SET GLOBAL lock_configuration = true');
  await connection.run('PRAGMA enable_progress_bar');
  await connection.run('PRAGMA disable_print_progress_bar');
}

async function readAbout(connection: DuckDBConnection, path: string): Promise<string | null> {
  const [row] = await readRows<[string]>(
    connection,
    `SELECT decode(value) FROM parquet_kv_metadata(${quoteText(path)}) WHERE decode(key) = 'channelscope'`,
  );
  return row?.[0] ?? null;
}

/** DuckDB tells its errors apart by their text alone. */
function toReadable(error: unknown): unknown {
  const text = String(error);
  if (error instanceof Error && error.name === 'AppError') return error;
  if (text.includes('INTERRUPT Error')) return error;
  if (/No space left/i.test(text)) return toUnreadable('too-large', {}, error);
  if (text.includes('Out of Memory Error')) {
    return toUnreadable('parquet-memory', { most: MEMORY_MB }, error);
  }
  if (/encrypt/i.test(text)) return toUnreadable('encrypted', {}, error);
  return toUnreadable('parquet-damaged', {}, error);
}

/** A column of a Parquet file, its type as DuckDB names it. */
interface ParquetColumn {
  readonly name: string;
  readonly type: string;
}

const WHOLE = /^U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/;
const FRACTION = /^(?:FLOAT|DOUBLE)$/;

/** True for a column of numbers whose digits JavaScript writes in its own way. */
function isFraction({ type }: ParquetColumn): boolean {
  return FRACTION.test(type);
}

/**
 * The names under which the columns are read. Files of a dataset have those of the SQL screen, for which the service's
 * own are put; a file with such columns beside others keeps all of its names.
 */
function nameRecordColumns(columns: readonly ParquetColumn[]): readonly string[] {
  const names = columns.map(({ name }) => name);
  const own = new Map<string, string>([
    [UTC_COLUMN, nameZonedField('Date', 'UTC')],
    [OTHER_FIELDS_COLUMN, OTHER_FIELDS_NAME],
  ]);
  for (const kind of REPORT_KINDS) {
    for (const [, { column, wireName }] of listFields(kind)) own.set(column, wireName);
  }
  return names.every((name) => own.has(name)) ? names.map((name) => own.get(name) ?? name) : names;
}

/** An expression for a record as one line of JSON, each column under its name in `names`. */
function toLineSql(columns: readonly ParquetColumn[], names: readonly string[]): string {
  const members = columns.map((column, place) => {
    const key = `${place === 0 ? '' : ','}${JSON.stringify(names[place])}:`;
    return `${quoteText(key)}, coalesce(${toJsonSql(column)}, 'null')`;
  });
  return `concat('{', ${[...members, "'}'"].join(', ')})`;
}

/** The JSON of a value; instants are written as services write them, in UTC where the column says that they are. */
function toJsonSql({ name, type }: ParquetColumn): string {
  const sql = quoteName(name);
  if (WHOLE.test(type) || type.startsWith('DECIMAL')) return `CAST(${sql} AS VARCHAR)`;
  if (FRACTION.test(type)) {
    const text = `CAST(${sql} AS VARCHAR)`;
    return `CASE WHEN isfinite(${sql}) THEN ${text} ELSE '"' || ${text} || '"' END`;
  }
  if (type === 'TIMESTAMP WITH TIME ZONE') return toInstantSql(`make_timestamp(epoch_us(${sql}))`, 'Z');
  if (type.startsWith('TIMESTAMP')) return toInstantSql(`CAST(${sql} AS TIMESTAMP)`, '');
  return `CAST(to_json(${sql}) AS VARCHAR)`;
}

function toInstantSql(sql: string, zone: string): string {
  const write = (fraction: string): string => `strftime(${sql}, '"%Y-%m-%dT%H:%M:%S.${fraction}${zone}"')`;
  return `CASE WHEN epoch_us(${sql}) % 1000 = 0 THEN ${write('%g')} ELSE ${write('%f')} END`;
}

/** What a process that reads one Parquet file is started with. */
export interface ParquetStart {
  /** The folder that it writes to. */
  readonly parquetFolder: string;
}

/** Serves the reading of Parquet at a port. */
export function serveParquet(port: ServerPort, { parquetFolder }: ParquetStart): Promise<void> {
  const operations = {
    writeLines: (question: ParquetQuestion, context: CallContext<ParquetProgress>) =>
      writeParquetLines(question, parquetFolder, context),
  };
  return serveCalls(port, () => ({ operations, started: null }));
}
