import type { DetailKind } from '../../common/reporting/reports.ts';
import { splitLines } from '../../node/split-lines.ts';
import { createObjectReader, MAX_ENTRY_BYTES, TOO_LONG, type FileEntry } from './file-entry.ts';

const BLANK = /^[\s\ufeff]*$/;

/** Records written as one JSON object a line. Empty lines are none, but count as lines. */
export async function* readNdjson(
  chunks: AsyncIterable<Buffer>,
  stated: DetailKind | null,
): AsyncGenerator<FileEntry> {
  const readObject = createObjectReader(stated);
  let line = 0;
  for await (const bytes of splitLines(chunks, MAX_ENTRY_BYTES)) {
    line += 1;
    if (bytes === null) yield { line, fault: TOO_LONG };
    else if (bytes.length > 64 || !BLANK.test(bytes.toString())) {
      yield readObject(line, line === 1 ? skipMark(bytes) : bytes);
    }
  }
}

function skipMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? bytes.subarray(3) : bytes;
}
