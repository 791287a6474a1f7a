import { BIGINT, DuckDBDataChunk } from '@duckdb/node-api';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { ENGINE_COLUMNS, PATTERN_COLUMN } from '../engine-tables.ts';
import type { EngineValue } from './feed-source.ts';
import { createErrorFolder } from '../fold-error.ts';

/** The most rows of a chunk of the engine. */
export const CHUNK_ROWS = 2048;

/** Returns a chunk that holds some rows, at most 2048, until it is asked for the next ones. */
export type FillChunk = (rows: readonly (readonly EngineValue[])[]) => DuckDBDataChunk;

/** What a vector of whole numbers has, though its class doesn't declare it. */
interface WholeNumbers {
  readonly items: BigInt64Array;
  setItem(place: number, value: null): void;
  flush(): void;
}

/** Creates a FillChunk for a direction's table. One chunk is used again and again: each new one keeps native memory. */
export function createFeedChunk(direction: Direction): FillChunk {
  const columns = ENGINE_COLUMNS[direction];
  const errorAt = columns.findIndex(({ name }) => name === 'error');
  const foldError = createErrorFolder();
  const chunk = DuckDBDataChunk.create(
    [...columns, PATTERN_COLUMN].map(({ type }) => type),
    CHUNK_ROWS,
  );
  return (rows) => {
    chunk.reset();
    chunk.rowCount = rows.length;
    for (const [at, { type }] of columns.entries()) {
      if (type === BIGINT) setWholeNumbers(chunk.getColumnVector(at) as unknown as WholeNumbers, rows, at);
      else {
        chunk.setColumnValues(
          at,
          rows.map((row) => row[at] ?? null),
        );
      }
    }
    chunk.setColumnValues(
      columns.length,
      rows.map((row) => foldError(String(row[errorAt] ?? ''))),
    );
    return chunk;
  };
}

const HALF = 2 ** 32;

/** Whole numbers are written as the two words that they consist of: a bigint for each takes several times as long. */
function setWholeNumbers(vector: WholeNumbers, rows: readonly (readonly EngineValue[])[], at: number): void {
  const { buffer, byteOffset, length } = vector.items;
  const words = new Int32Array(buffer, byteOffset, length * 2);
  for (let place = 0; place < rows.length; place += 1) {
    const value = rows[place]?.[at];
    if (typeof value === 'number') {
      const high = Math.floor(value / HALF);
      words[place * 2] = value - high * HALF;
      words[place * 2 + 1] = high;
    } else vector.setItem(place, null);
  }
  vector.flush();
}
