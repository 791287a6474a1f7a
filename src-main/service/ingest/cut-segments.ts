import { cutRows } from '../import/cut-rows.ts';
import { MAX_ENTRY_BYTES } from '../import/file-entry.ts';
import type { FileFormat } from '../import/detect-format.ts';

const LF = 0x0a;

/** Whole lines or rows of a source that lie one after the other. */
export interface Segment {
  readonly bytes: Buffer;
  /** Offset of the byte behind them. */
  readonly endOffset: number;
}

/**
 * Cuts what a source gives into segments of whole lines (NDJSON) or rows (CSV), as they come: a line is whole once its
 * end is there, the last one once the source has ended, and one of more than MAX_ENTRY_BYTES is cut where it stands.
 */
export async function* cutSegments(
  chunks: AsyncIterable<Buffer>,
  offset: number,
  format: FileFormat,
  signal: AbortSignal,
): AsyncGenerator<Segment> {
  let pending: Buffer = Buffer.alloc(0);
  let endOffset = offset;
  const take = (length: number): Segment => {
    const bytes = pending.subarray(0, length);
    pending = pending.subarray(length);
    endOffset += length;
    return { bytes, endOffset };
  };
  for await (const chunk of chunks) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const whole =
      format.kind === 'csv' ? findWholeRows(pending, format.delimiter) : pending.lastIndexOf(LF) + 1;
    if (whole > 0) yield take(whole);
    else if (pending.length > MAX_ENTRY_BYTES) yield take(pending.length);
  }
  // A reading that was stopped has not met the end.
  if (pending.length > 0 && !signal.aborted) yield take(pending.length);
}

/** Bytes up to the end of the last row whose line end is there. */
function findWholeRows(bytes: Buffer, delimiter: string): number {
  let whole = 0;
  for (const { end, isCutOff } of cutRows(bytes, delimiter)) {
    // A row that a quotation mark keeps open may go on in what follows.
    if (isCutOff) break;
    const next = bytes.indexOf(LF, end);
    if (next === -1) break;
    whole = next + 1;
  }
  return whole;
}
