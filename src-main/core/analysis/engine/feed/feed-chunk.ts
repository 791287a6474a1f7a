import { BIGINT, DuckDBDataChunk, VARCHAR, type DuckDBType } from '@duckdb/node-api';
import duckdb, { type Vector } from '@duckdb/node-bindings';
import { OUTCOMES, type DecideOutcome, type JudgedRecord } from '../../../../common/reporting/outcome.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { ENGINE_COLUMNS, OUTCOME_COLUMN, PATH_COLUMNS, PATTERN_COLUMN } from '../engine-tables.ts';
import type { EngineValue } from './feed-source.ts';

/** The most rows of a chunk of the engine. */
export const CHUNK_ROWS = 2048;

type Rows = readonly (readonly EngineValue[])[];

/**
 * Returns a chunk that holds some rows, at most 2048, until it is asked for the next ones. `findFamily` returns the family
 * of an error. What can't be decided without a body stays `unknown` until `decideByBodies`.
 */
type FillChunk = (
  rows: Rows,
  findFamily: (error: string) => string,
  decide: DecideOutcome,
) => DuckDBDataChunk;

/** Creates a FillChunk for a direction's table. One chunk is used again and again: each new one keeps native memory. */
export function createFeedChunk(direction: Direction): FillChunk {
  const columns = ENGINE_COLUMNS[direction];
  const errorAt = columns.findIndex(({ name }) => name === 'error');
  const toJudged = createRowReader(columns.map(({ name }) => name));
  const chunk = DuckDBDataChunk.create(
    [...columns, PATTERN_COLUMN, OUTCOME_COLUMN, ...PATH_COLUMNS].map(({ type }) => type),
  );
  return (rows, findFamily, decide) => {
    chunk.reset();
    chunk.rowCount = rows.length;
    for (const [at, { type }] of columns.entries()) write(chunk, at, type, readColumn(rows, at, type));
    const patterns = rows.map((row) => findFamily(String(row[errorAt] ?? '')));
    write(chunk, columns.length, PATTERN_COLUMN.type, patterns);
    for (const [place, row] of rows.entries())
      outcomes[place] = OUTCOMES.indexOf(decide(toJudged(row, patterns[place])) ?? 'unknown');
    const vector = duckdb.data_chunk_get_vector(chunk.chunk, columns.length + 1);
    duckdb.copy_data_to_vector(vector, 0, outcomes.buffer, 0, rows.length);
    // They are filled by the engine itself, once the rows are there.
    for (const at of PATH_COLUMNS.keys())
      writeNone(duckdb.data_chunk_get_vector(chunk.chunk, columns.length + 2 + at));
    return chunk;
  };
}

/** Reads what rules look at from a row, whose values are in the order of some columns. */
function createRowReader(
  names: readonly string[],
): (row: readonly EngineValue[], family: string | undefined) => JudgedRecord {
  const [code, error, channel, service, origin, action] = [
    'response_code',
    'error',
    'channel',
    'service',
    'origin',
    'action_id',
  ].map((name) => names.indexOf(name)) as [number, number, number, number, number, number];
  const toNumber = (value: EngineValue | undefined): number | null =>
    typeof value === 'number' ? value : null;
  const toText = (value: EngineValue | undefined): string | null =>
    value === null || value === undefined ? null : String(value);
  return (row, family = '') => ({
    responseCode: toNumber(row[code]),
    error: toText(row[error]),
    channel: toNumber(row[channel]),
    service: toNumber(row[service]),
    origin: toText(row[origin]),
    actionId: toText(row[action]),
    family,
  });
}

function readColumn(rows: Rows, at: number, type: DuckDBType): EngineValue[] {
  if (type === VARCHAR) return rows.map((row) => row[at] ?? null);
  return rows.map((row) => {
    const value = row[at];
    return typeof value === 'number' ? value : null;
  });
}

const HALF = 2 ** 32;
const TEXT_BYTES = 16;

// A column is put together here: not everywhere may JavaScript write to the engine's own memory. The package's vectors do
// the same in several times the time, with four bigints for each null.
const words = new Int32Array(CHUNK_ROWS * 2);
const numbers = new Float64Array(CHUNK_ROWS);
const isValid = new Uint8Array(CHUNK_ROWS / 8);
/** Places in OUTCOMES: an enumeration of so few values is a byte each. */
const outcomes = new Uint8Array(CHUNK_ROWS);
/** A text of no characters is sixteen bytes of zero. */
const noTexts = new ArrayBuffer(CHUNK_ROWS * TEXT_BYTES);

function write(
  { chunk }: DuckDBDataChunk,
  at: number,
  type: DuckDBType,
  values: readonly EngineValue[],
): void {
  const vector = duckdb.data_chunk_get_vector(chunk, at);
  if (type === VARCHAR) writeTexts(vector, values);
  else if (type === BIGINT) writeWholeNumbers(vector, values);
  else writeNumbers(vector, values);
  if (values.includes(null)) writeNulls(vector, values);
}

function writeTexts(vector: Vector, values: readonly EngineValue[]): void {
  duckdb.copy_data_to_vector(vector, 0, noTexts, 0, values.length * TEXT_BYTES);
  for (let place = 0; place < values.length; place += 1) {
    const value = values[place] ?? '';
    if (value !== '') duckdb.vector_assign_string_element(vector, place, String(value));
  }
}

/** Whole numbers are written as the two words that they consist of: a bigint for each takes several times as long. */
function writeWholeNumbers(vector: Vector, values: readonly EngineValue[]): void {
  for (let place = 0; place < values.length; place += 1) {
    const value = Number(values[place] ?? 0);
    const high = Math.floor(value / HALF);
    words[place * 2] = value - high * HALF;
    words[place * 2 + 1] = high;
  }
  duckdb.copy_data_to_vector(vector, 0, words.buffer, 0, values.length * 8);
}

function writeNumbers(vector: Vector, values: readonly EngineValue[]): void {
  for (let place = 0; place < values.length; place += 1) numbers[place] = Number(values[place] ?? 0);
  duckdb.copy_data_to_vector(vector, 0, numbers.buffer, 0, values.length * 8);
}

const noneValid = new Uint8Array(CHUNK_ROWS / 8);

function writeNone(vector: Vector): void {
  duckdb.copy_data_to_vector(vector, 0, noTexts, 0, noTexts.byteLength);
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, noneValid.buffer, 0, noneValid.byteLength);
}

function writeNulls(vector: Vector, values: readonly EngineValue[]): void {
  isValid.fill(0xff);
  for (let place = 0; place < values.length; place += 1) {
    if (values[place] === null) isValid[place >> 3] = (isValid[place >> 3] ?? 0) & ~(1 << (place & 7));
  }
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, isValid.buffer, 0, isValid.byteLength);
}
