/**
 * Sums per group of one rollup as columns, packed into one blob: a summary then adds up numbers that lie
 * side by side instead of stepping through a row per group.
 */
export interface RollupCells {
  readonly length: number;
  readonly bytes: Uint8Array;
  readonly responseTimeUs: Float64Array;
  readonly botLatencyMs: Float64Array;
  readonly groupId: Uint32Array;
  readonly records: Uint32Array;
  /** The newest record by (date, arrival); its date is counted from the rollup's start. */
  readonly newestOffsetMs: Uint32Array;
  readonly newestArrival: Uint32Array;
  /** Negative for a session that was imported. */
  readonly newestSession: Int32Array;
}

const CELL_BYTES = 36;

/** Cells that are all zero. */
export function createCells(length: number): RollupCells {
  return viewCells(new Uint8Array(length * CELL_BYTES));
}

/** The cells of a blob. Throws for one that isn't whole, which is damage. */
export function readCells(blob: Uint8Array): RollupCells {
  if (blob.length % CELL_BYTES !== 0) throw new Error(`A rollup of ${blob.length} bytes`);
  return viewCells(blob.byteOffset % 8 === 0 ? blob : blob.slice());
}

function viewCells(bytes: Uint8Array): RollupCells {
  const length = bytes.length / CELL_BYTES;
  const { buffer, byteOffset } = bytes;
  const toOffset = (column: number): number => byteOffset + 4 * column * length;
  return {
    length,
    bytes,
    responseTimeUs: new Float64Array(buffer, toOffset(0), length),
    botLatencyMs: new Float64Array(buffer, toOffset(2), length),
    groupId: new Uint32Array(buffer, toOffset(4), length),
    records: new Uint32Array(buffer, toOffset(5), length),
    newestOffsetMs: new Uint32Array(buffer, toOffset(6), length),
    newestArrival: new Uint32Array(buffer, toOffset(7), length),
    newestSession: new Int32Array(buffer, toOffset(8), length),
  };
}
