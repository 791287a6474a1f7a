import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBResult,
  type DuckDBType,
  VARCHAR,
} from '@duckdb/node-api';
import { AppError } from '../../../common/contract/errors.ts';
import { findErrorCode } from '../../../node/error-text.ts';
import { removePatientlySync, tryToRemoveSync } from '../../../node/files.ts';
import { ENGINE_SCHEMA, listTableSql } from './engine-tables.ts';
import { findFilesFolder } from './files/files-folder.ts';
import type { BoundValue } from './filter-sql.ts';

/** Bits of the keys that groups are counted by without hashing: buckets of a histogram by code need 18. */
const MAX_PLAIN_GROUP_BITS = 20;
/** The most that large statements may spill to the disk. */
const MAX_SPILL = '8GB';
/** What can't be removed is tried again at the next start. */
const SPILL_REMOVAL = { isFolder: true, maxWaitMs: 1000 };

/** The engine's file and what reads it. */
export interface EngineDatabase {
  /** True when the file was begun anew, so that everything has to be fed. */
  readonly isNew: boolean;
  /** The only folder that statements of the application may write files to; see `writeFile`. */
  readonly filesFolder: string;
  /** A connection of its own; close it with `closeSync`. Statements on several run side by side. */
  connect(): Promise<DuckDBConnection>;
  close(): void;
}

/** How the engine's file is opened. */
interface EngineDatabaseOptions {
  readonly file: string;
  /** Marks the cache that the file is fed from. */
  readonly cacheIdentity: string;
  readonly memoryLimitMb: number;
  readonly threads: number;
  /** Begins the file anew, whatever it holds. */
  readonly isInDoubt?: boolean;
}

/**
 * Opens the engine's file. It is derived: one that is missing, damaged, of another version, or fed from another
 * cache is deleted and begun anew. Throws where even an empty one can't be made (a full disk, a folder that
 * can't be written).
 */
export async function openEngineDatabase(options: EngineDatabaseOptions): Promise<EngineDatabase> {
  const spillFolder = join(options.file, '..', 'analysis-spill');
  tryToRemoveSync(spillFolder, SPILL_REMOVAL);
  const filesFolder = findFilesFolder(options.file);
  for (const folder of [spillFolder, filesFolder]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const config = {
    threads: String(options.threads),
    memory_limit: `${options.memoryLimitMb}MB`,
    temp_directory: spillFolder,
    max_temp_directory_size: MAX_SPILL,
    perfect_ht_threshold: String(MAX_PLAIN_GROUP_BITS),
    // Nothing is ever fetched at run time.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  };
  const create = async (): Promise<DuckDBInstance> => {
    const instance = await DuckDBInstance.create(options.file, config);
    const connection = await instance.connect();
    try {
      await connection.run("SET GLOBAL TimeZone = 'UTC'");
      // No statement reaches a file other than the engine's own and those that are being exported, nor the network.
      await connection.run(`SET GLOBAL allowed_directories = [${quoteText(filesFolder)}]`);
      await connection.run('SET GLOBAL enable_external_access = false');
      await connection.run('SET GLOBAL lock_configuration = true');
    } finally {
      connection.closeSync();
    }
    return instance;
  };
  const open = async (): Promise<{ instance: DuckDBInstance; isFit: boolean }> => {
    const instance = await create();
    return { instance, isFit: await isFit(instance, options) };
  };
  let opened = options.isInDoubt === true ? null : await open().catch(() => null);
  const isNew = opened?.isFit !== true;
  if (isNew) {
    opened?.instance.closeSync();
    for (const suffix of ['', '.wal']) removePatientlySync(`${options.file}${suffix}`);
    opened = { instance: await create(), isFit: true };
    await createTables(opened.instance, options.cacheIdentity);
  }
  const instance = opened?.instance;
  if (instance === undefined) throw new Error('The engine has no file.');
  return {
    isNew,
    filesFolder,
    connect: () => instance.connect(),
    close: () => {
      instance.closeSync();
      tryToRemoveSync(spillFolder, SPILL_REMOVAL);
    },
  };
}

/** Writes a text as a literal of SQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

async function isFit(
  instance: DuckDBInstance,
  { file, cacheIdentity }: EngineDatabaseOptions,
): Promise<boolean> {
  const connection = await instance.connect();
  try {
    const [state] = await readRows<[string, string]>(
      connection,
      'SELECT schema_version, cache_identity FROM engine_state',
    );
    const [size] = await readRows<[number]>(
      connection,
      'SELECT block_size * total_blocks FROM pragma_database_size()',
    );
    const isWhole = statSync(file).size >= (size?.[0] ?? Infinity);
    return isWhole && state?.[0] === ENGINE_SCHEMA && state[1] === cacheIdentity;
  } catch {
    return false;
  } finally {
    connection.closeSync();
  }
}

async function createTables(instance: DuckDBInstance, cacheIdentity: string): Promise<void> {
  const connection = await instance.connect();
  await connection.run('BEGIN');
  for (const sql of listTableSql()) await connection.run(sql);
  await connection.run('INSERT INTO engine_state VALUES ($1, $2)', [ENGINE_SCHEMA, cacheIdentity]);
  await connection.run('COMMIT');
  connection.closeSync();
}

/** Streams the record ids that a statement's only column holds, in its order. */
export async function* streamIds(
  connection: DuckDBConnection,
  sql: string,
  values: readonly BoundValue[],
): AsyncGenerator<Float64Array> {
  const result: DuckDBResult = await connection.stream(sql, [...values], toTypes(values));
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    yield toNumbers(chunk.getColumnVector(0));
  }
}

/** Words of 32 bits are read, since a bigint for each of ten million ids takes a second. */
function toNumbers(vector: unknown): Float64Array {
  const { items } = vector as { items: BigInt64Array };
  const words = new Uint32Array(items.buffer, items.byteOffset, items.length * 2);
  const ids = new Float64Array(items.length);
  for (let index = 0; index < ids.length; index += 1) {
    ids[index] = (words[index * 2 + 1] ?? 0) * 2 ** 32 + (words[index * 2] ?? 0);
  }
  return ids;
}

/** The types that values are bound as: left to itself, a number without a fraction is a whole one of 64 bits, or none. */
export function toTypes(values: readonly BoundValue[]): DuckDBType[] {
  return values.map((value) => {
    if (typeof value === 'string') return VARCHAR;
    return typeof value === 'bigint' ? BIGINT : DOUBLE;
  });
}

/** A cell as JavaScript has it: whole numbers as numbers, exact up to 2^53; null for what is beyond any number. */
export function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

/** Reads a small result as rows of cells as `toPlain` has them. */
export async function readRows<Row extends readonly unknown[]>(
  connection: DuckDBConnection,
  sql: string,
  values: readonly BoundValue[] = [],
): Promise<Row[]> {
  const reader = await connection.runAndReadAll(sql, [...values], toTypes(values));
  return reader.getRows().map((row) => row.map(toPlain) as unknown as Row);
}

/** The end of a transaction, which may still be ahead. */
export interface Ending {
  /** Rejects where it failed. */
  readonly promise: Promise<void>;
  readonly isOver: boolean;
}

/** Follows a promise, so that it can be asked whether it is settled. */
export function toEnding(promise: Promise<void>): Ending {
  const ending = { promise, isOver: false };
  const end = (): void => {
    ending.isOver = true;
  };
  promise.then(end, end);
  return ending;
}

/** Ends the transaction. Where it fails nothing of it stays, and the connection can begin another one. */
export async function commit(connection: DuckDBConnection): Promise<void> {
  try {
    await connection.run('COMMIT');
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

/** Does work in one transaction: what fails leaves nothing behind. */
export async function inTransaction(connection: DuckDBConnection, work: () => Promise<void>): Promise<void> {
  await connection.run('BEGIN');
  try {
    await work();
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
  await commit(connection);
}

/** Undoes the transaction, if there is one. */
export async function rollBack(connection: DuckDBConnection): Promise<void> {
  await connection.run('ROLLBACK').catch(() => undefined);
}

/** What an error of one question says of the engine. */
type EngineState =
  /** Nothing: the next question is answered. */
  | 'sound'
  /** It answers nothing any more until it is opened again. */
  | 'closed'
  /** Its file has other bytes than were written, and is begun anew. */
  | 'damaged';

const MAX_REASON_CHARACTERS = 300;

/** DuckDB tells its errors apart by the beginning of their text alone; what follows may quote texts of others. */
function isOfKind(error: unknown, ...kinds: readonly string[]): boolean {
  const text = toText(error);
  return kinds.some((kind) => text.startsWith(`${kind} Error:`));
}

/** True for the error of a statement that takes more memory than allowed. */
export function isOutOfMemory(error: unknown): boolean {
  return isOfKind(error, 'Out of Memory');
}

/** True for the error of a statement that was interrupted. */
export function isInterrupted(error: unknown): boolean {
  return isOfKind(error, 'INTERRUPT');
}

/** True for the error of a statement that could not read or write a file. */
export function isOfDisk(error: unknown): boolean {
  return isOfKind(error, 'IO');
}

/** True for the error of a statement for which there is no room on the disk. */
export function isDiskFull(error: unknown): boolean {
  if (['ENOSPC', 'EDQUOT'].includes(findErrorCode(error) ?? '')) return true;
  const mayBe = isOfKind(error, 'IO', 'FATAL', 'TransactionContext', 'Out of Memory');
  return (
    mayBe && /No space left on device|not enough space on the disk|Disk quota exceeded/i.test(toText(error))
  );
}

/** Returns what an error says of the engine: DuckDB closes its file after errors of two kinds. */
export function judgeEngine(error: unknown): EngineState {
  const text = toText(error);
  if (isOfKind(error, 'INTERNAL', 'FATAL')) return 'closed';
  const isOfFile = isOfKind(error, 'IO', 'Serialization');
  return isOfFile && /Corrupt database file|checksum/.test(text) ? 'damaged' : 'sound';
}

/**
 * Returns an error of one question as its caller receives it. One that nobody expects has the code `analysis.failed`, and
 * says in its details what it means for the engine; `isVictim` is 1 where an error before it closed the engine.
 */
export function toQuestionError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDiskFull(error)) {
    const state = judgeEngine(error);
    return new AppError('cache.disk-full', 'There is no room for the analysis.', { state }, error);
  }
  if (isOutOfMemory(error)) {
    return new AppError('analysis.out-of-memory', 'The question takes more memory than allowed.', {}, error);
  }
  if (isInterrupted(error)) return new AppError('app.cancelled', 'The call was cancelled.', {}, error);
  const text = toText(error);
  const details = {
    reason: text.slice(0, MAX_REASON_CHARACTERS),
    state: judgeEngine(error),
    isVictim: text.includes('database has been invalidated because of a previous') ? 1 : 0,
  };
  return new AppError('analysis.failed', 'The question could not be answered.', details, error);
}

function toText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim();
}
