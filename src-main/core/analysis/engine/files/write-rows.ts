import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import type { SqlCell } from '../../../../common/model/records/sql.ts';
import { quoteName } from './file-column.ts';
import { PARQUET_OPTIONS, toMetadataSql } from './parquet-options.ts';
import { writeFile, type EngineFile } from './write-file.ts';

/** A column of rows that are no records; its type as SQL names it. */
export interface RowColumn {
  readonly name: string;
  readonly type: string;
}

/** Types that a text can be turned into without loss. */
const PLAIN_TYPES =
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE|BOOLEAN|DATE|TIMESTAMP(?:_S|_MS|_NS|TZ)?|DECIMAL\(\d{1,2},\d{1,2}\))$/;
/** Parquet has no whole numbers of their size. */
const LARGE_TYPES = new Set(['HUGEINT', 'UHUGEINT']);

/** Writes rows as Parquet. A value that its column's type can't hold leaves that whole column text. */
export async function writeRowsAsParquet(
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
