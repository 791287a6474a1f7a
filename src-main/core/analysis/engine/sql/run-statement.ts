import type { DuckDBConnection } from '@duckdb/node-api';
import type { PeriodScope } from '../../../../common/model/records/record-scope.ts';
import {
  SQL_MAX_CELL_CHARACTERS,
  SQL_MAX_ROWS,
  type SqlColumn,
  type SqlFailure,
  type SqlOutcome,
  type SqlQuestion,
} from '../../../../common/model/records/sql.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { readRows } from '../engine-database.ts';
import type { OwnColumn, OwnValues } from '../own-values.ts';
import { isDiskFull, judgeEngine } from '../question-errors.ts';
import type { ResolvedScope } from '../resolved-scope.ts';
import type { EngineSource } from '../resolve-scope.ts';
import { checkStatement, findForeignSource } from './check-statement.ts';
import { makeTables, type OwnedQuestion } from './make-tables.ts';
import { createResultRows, type ResultRows, type SqlResults } from './sql-results.ts';
import { toFailure } from './statement-errors.ts';
import { toCell, toColumnKind } from './to-cell.ts';

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
