import {
  type DuckDBConnection,
  DuckDBTimestampTZValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api';
import { AppError } from '../../../../common/contract/errors.ts';
import type { PeriodScope } from '../../../../common/model/records/record-filter.ts';
import {
  SQL_MAX_CELL_CHARACTERS,
  SQL_MAX_ROWS,
  SQL_SHOWN_CHARACTERS,
  type SqlCell,
  type SqlColumn,
  type SqlFailure,
  type SqlOutcome,
  type SqlQuestion,
} from '../../../../common/model/records/sql.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { toClockText } from '../../../../common/sql/filter-statement.ts';
import { toOffsetLabel } from '../../../../common/time/civil-time.ts';
import { isDiskFull, judgeEngine, readRows } from '../engine-database.ts';
import type { OwnColumn, OwnValues } from '../own-values.ts';
import type { EngineSource } from '../resolve-scope.ts';
import type { ResolvedScope } from '../resolved-scope.ts';
import { checkStatement, findForeignSource, toFailure } from './check-statement.ts';
import { makeTables, type OwnedQuestion } from './make-tables.ts';

interface StatementRun {
  readonly connection: DuckDBConnection;
  readonly question: OwnedQuestion & Pick<SqlQuestion, 'text'>;
  readonly signal: AbortSignal;
  readonly timeLimitMs: number;
  /** Rejects at once when the statement is cancelled, though records may have to be fed first. */
  readonly resolve: (scope: PeriodScope) => Promise<ResolvedScope>;
  /** Called when its time begins: before it is checked, and again when everything that it reads is there. */
  onStart(): void;
  /** Called when it waits for what it reads. */
  onWait(): void;
  readonly source: EngineSource;
  readonly listOwnColumns: OwnValues['listColumns'];
  readonly results: SqlResults;
}

/**
 * Runs a statement on a connection of its own that sees a period's records only, in a transaction that writes nothing.
 * Faults of the statement are outcomes; what is thrown means that the engine can't be trusted any more.
 */
export async function runStatement(run: StatementRun): Promise<SqlOutcome> {
  const { connection, question, signal, timeLimitMs, resolve, source } = run;
  let timer: NodeJS.Timeout | undefined;
  const clock = { isLate: false };
  const startClock = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      clock.isLate = true;
      connection.interrupt();
    }, timeLimitMs);
    run.onStart();
  };
  try {
    startClock();
    const checked = await checkStatement(connection, question.text);
    if (checked.kind === 'failed') return checked;
    // Records may have to be fed first, which isn't the statement's time.
    clearTimeout(timer);
    run.onWait();
    const text = question.text.toLowerCase();
    const listOwnColumns = async (direction: Direction): Promise<OwnColumn[]> => {
      const columns = await run.listOwnColumns(question.connectionId, direction);
      // Each is looked up for every record, also where a statement reads all columns.
      return columns.filter(({ sqlName }) => text.includes(sqlName));
    };
    const { tables: names } = checked;
    await makeTables({ connection, question, names, resolve, source, listOwnColumns, nowMs: Date.now() });
    startClock();
    const foreign = await findForeignSource(connection, checked);
    if (foreign !== null) return foreign;
    return await readResult(run, checked.sql, clock);
  } catch (error) {
    signal.throwIfAborted();
    if (clock.isLate) return fail('timeout');
    if (isDiskFull(error) || judgeEngine(error) !== 'sound') throw error;
    return toFailure(error, question.text);
  } finally {
    clearTimeout(timer);
  }
}

async function readResult(run: StatementRun, sql: string, clock: { isLate: boolean }): Promise<SqlOutcome> {
  const { connection, question, signal, results } = run;
  const startedMs = performance.now();
  await connection.run('BEGIN TRANSACTION READ ONLY');
  signal.throwIfAborted();
  const result = await connection.stream(sql);
  const types = result.columnTypes();
  const columns = result.columnNames().map((name, place): SqlColumn => {
    const type = types[place];
    return { name, type: String(type), kind: type === undefined ? 'text' : toColumnKind(type) };
  });
  const rows = createResultRows(SQL_MAX_ROWS);
  let cutValues = 0;
  const kept = { hasMore: false };
  while (!kept.hasMore) {
    // Between two pieces of a result the engine does nothing that an interrupt could end.
    signal.throwIfAborted();
    if (clock.isLate) return fail('timeout');
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    chunk.visitRows((values) => {
      if (kept.hasMore) return;
      const cells = values.map((value) => toCell(value, question.zone));
      kept.hasMore = !rows.append(cells);
      if (!kept.hasMore) cutValues += cells.filter(isCut).length;
    });
  }
  const durationMs = performance.now() - startedMs;
  const memoryBytes = await readMemory(connection);
  return toOutcome(results, rows, { columns, ...kept, cutValues, durationMs, memoryBytes });
}

async function readMemory(connection: DuckDBConnection): Promise<number> {
  const [[bytes] = [0]] = await readRows<[number]>(
    connection,
    'SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory()',
  );
  return bytes;
}

function toOutcome(
  results: SqlResults,
  rows: ResultRows,
  more: Omit<Extract<SqlOutcome, { kind: 'rows' }>, 'kind' | 'resultId' | 'rowCount'>,
): SqlOutcome {
  return { kind: 'rows', resultId: results.keep(rows), rowCount: rows.rowCount, ...more };
}

function isCut(cell: unknown): boolean {
  return typeof cell === 'string' && cell.length === SQL_MAX_CELL_CHARACTERS;
}

function fail(fault: SqlFailure['fault']): SqlFailure {
  return { kind: 'failed', fault, message: '', offset: null };
}

const NUMBER_TYPES = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
]);
const TIME_TYPES = new Set([
  DuckDBTypeId.DATE,
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
  DuckDBTypeId.TIMESTAMP_TZ,
]);

/** What the values of a type are shown as. */
function toColumnKind({ typeId }: DuckDBType): SqlColumn['kind'] {
  if (NUMBER_TYPES.has(typeId)) return 'number';
  if (TIME_TYPES.has(typeId)) return 'time';
  return typeId === DuckDBTypeId.BOOLEAN ? 'boolean' : 'text';
}

/** Returns a value as it crosses to the window; instants in the clock of the zone. */
function toCell(value: DuckDBValue, zone: string): SqlCell {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (value instanceof DuckDBTimestampTZValue) return toInstantText(value, zone);
  const text = typeof value === 'string' ? value : value.toString();
  return text.length > SQL_MAX_CELL_CHARACTERS ? text.slice(0, SQL_MAX_CELL_CHARACTERS) : text;
}

function toInstantText(value: DuckDBTimestampTZValue, zone: string): string {
  const micros = ((value.micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const epochMs = Number((value.micros - micros) / 1000n);
  // Beyond what a clock can show there are infinity and years that nobody means.
  if (Math.abs(epochMs) > 8e15) return value.toString();
  const fraction = micros === 0n ? '' : `.${String(micros).padStart(6, '0').replace(/0+$/, '')}`;
  return `${toClockText(epochMs, zone)}${fraction} ${toOffsetLabel(epochMs, zone)}`;
}

/** Rows that are packed together. */
const BLOCK_ROWS = 200;
/** Characters of one result that are kept, about. */
const MAX_RESULT_CHARACTERS = 48_000_000;
/** Results kept; the one that was read longest ago goes first. */
const MAX_RESULTS = 3;

type Row = readonly SqlCell[];

/** A result as it is filled: packed, since a million values take several times as much memory as objects. */
interface ResultRows {
  readonly rowCount: number;
  /** False where the row was not taken, as the result is as large as one may be. */
  append(row: Row): boolean;
  read(offset: number, limit: number): Row[];
}

/** Creates the rows of a result, none yet. */
function createResultRows(maxRows: number): ResultRows {
  const blocks: Buffer[] = [];
  let open: Row[] = [];
  let rowCount = 0;
  let characters = 0;
  const readBlock = (place: number): readonly Row[] => {
    const block = blocks[place];
    return block === undefined ? open : (JSON.parse(block.toString()) as Row[]);
  };
  return {
    get rowCount() {
      return rowCount;
    },
    append(row) {
      if (rowCount >= maxRows || characters > MAX_RESULT_CHARACTERS) return false;
      for (const cell of row) characters += typeof cell === 'string' ? cell.length + 3 : 8;
      open.push(row);
      rowCount += 1;
      if (open.length === BLOCK_ROWS) {
        blocks.push(Buffer.from(JSON.stringify(open)));
        open = [];
      }
      return true;
    },
    read(offset, limit) {
      const rows: Row[] = [];
      const end = Math.min(offset + limit, rowCount);
      for (let place = Math.floor(offset / BLOCK_ROWS); place * BLOCK_ROWS < end; place += 1) {
        const start = place * BLOCK_ROWS;
        rows.push(...readBlock(place).slice(Math.max(0, offset - start), end - start));
      }
      return rows;
    },
  };
}

/** Results that windows are read of. */
interface SqlResults {
  readonly count: number;
  keep(rows: ResultRows): string;
  /** Throws AppError `cache.view-closed`. */
  read(place: { resultId: string; offset: number; limit: number; whole: boolean }): SqlCell[][];
  close(resultId: string): void;
}

/** Keeps results; `mark` makes their names differ from those of another process. */
export function createSqlResults(mark: string): SqlResults {
  const results = new Map<string, ResultRows>();
  let last = 0;
  return {
    get count() {
      return results.size;
    },
    keep(rows) {
      const resultId = `result-${mark}-${++last}`;
      results.set(resultId, rows);
      for (const oldest of [...results.keys()].slice(0, -MAX_RESULTS)) results.delete(oldest);
      return resultId;
    },
    read({ resultId, offset, limit, whole }) {
      const rows = results.get(resultId);
      if (rows === undefined) throw new AppError('cache.view-closed', 'The result is gone.', { resultId });
      results.delete(resultId);
      results.set(resultId, rows);
      const read = rows.read(offset, limit).map((row) => [...row]);
      return whole ? read : read.map((row) => row.map(toShown));
    },
    close: (resultId) => void results.delete(resultId),
  };
}

function toShown(cell: SqlCell): SqlCell {
  if (typeof cell !== 'string' || cell.length <= SQL_SHOWN_CHARACTERS) return cell;
  return `${cell.slice(0, SQL_SHOWN_CHARACTERS)}…`;
}
