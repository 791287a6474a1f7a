import { addToSums, forEachGroup, type GroupSums } from './group-sums.ts';

/**
 * Sums per group of one rollup as columns, packed into one blob: a summary then adds up numbers that lie
 * side by side instead of stepping through a row per group.
 */
export interface RollupCells {
  readonly length: number;
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

/** The cells of a blob. Throws for one that isn't whole, which is damage. */
export function readCells(blob: Uint8Array): RollupCells {
  if (blob.length % CELL_BYTES !== 0) throw new Error(`A rollup of ${blob.length} bytes`);
  return viewCells(blob.byteOffset % 8 === 0 ? blob : blob.slice());
}

/** Adds the blob of a rollup that starts at `startMs`. */
export function addCells(sums: GroupSums, blob: Uint8Array, startMs: number): void {
  const cells = readCells(blob);
  const { groupId, records, responseTimeUs, botLatencyMs } = cells;
  const { newestOffsetMs, newestArrival, newestSession } = cells;
  for (let index = 0; index < cells.length; index += 1) {
    addToSums(
      sums,
      groupId[index] ?? 0,
      records[index] ?? 0,
      responseTimeUs[index] ?? 0,
      botLatencyMs[index] ?? 0,
      startMs + (newestOffsetMs[index] ?? 0),
      newestArrival[index] ?? 0,
      newestSession[index] ?? 0,
    );
  }
}

/** The blob of a rollup that starts at `startMs`. */
export function packCells(sums: GroupSums, startMs: number): Uint8Array {
  const blob = new Uint8Array(sums.groupIds.length * CELL_BYTES);
  const cells = viewCells(blob);
  let index = 0;
  sums.groupIds.sort((a, b) => a - b);
  forEachGroup(sums, (group) => {
    cells.groupId[index] = group.groupId;
    cells.records[index] = group.records;
    cells.responseTimeUs[index] = group.responseTimeUs;
    cells.botLatencyMs[index] = group.botLatencyMs;
    cells.newestOffsetMs[index] = group.newestMs - startMs;
    cells.newestArrival[index] = group.newestArrival;
    cells.newestSession[index] = group.newestSession;
    index += 1;
  });
  return blob;
}

function viewCells(bytes: Uint8Array): RollupCells {
  const length = bytes.length / CELL_BYTES;
  const { buffer, byteOffset } = bytes;
  const toOffset = (column: number): number => byteOffset + 4 * column * length;
  return {
    length,
    responseTimeUs: new Float64Array(buffer, toOffset(0), length),
    botLatencyMs: new Float64Array(buffer, toOffset(2), length),
    groupId: new Uint32Array(buffer, toOffset(4), length),
    records: new Uint32Array(buffer, toOffset(5), length),
    newestOffsetMs: new Uint32Array(buffer, toOffset(6), length),
    newestArrival: new Uint32Array(buffer, toOffset(7), length),
    newestSession: new Int32Array(buffer, toOffset(8), length),
  };
}
