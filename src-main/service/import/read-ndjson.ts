import type { DetailKind } from '../../common/reporting/reports.ts';
import { createObjectReader, MAX_ENTRY_BYTES, TOO_LONG, type FileEntry } from './file-entry.ts';

const NEWLINE = 0x0a;
const BLANK = /^[\s\ufeff]*$/;

/** Records written as one JSON object a line. Empty lines are none, but count as lines. */
export async function* readNdjson(
  chunks: AsyncIterable<Buffer>,
  stated: DetailKind | null,
): AsyncGenerator<FileEntry> {
  const readObject = createObjectReader(stated);
  let line = 0;
  for await (const bytes of splitLines(chunks)) {
    line += 1;
    if (bytes === null) yield { line, fault: TOO_LONG };
    else if (bytes.length > 64 || !BLANK.test(bytes.toString())) {
      yield readObject(line, line === 1 ? skipMark(bytes) : bytes);
    }
  }
}

/** Lines without their end; null stands for one that is too long. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer | null> {
  let parts: Buffer[] = [];
  let partBytes = 0;
  const takeLine = (last: Buffer): Buffer | null => {
    const line = partBytes + last.length > MAX_ENTRY_BYTES ? null : Buffer.concat([...parts, last]);
    parts = [];
    partBytes = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield takeLine(chunk.subarray(start, end));
      start = end + 1;
    }
    partBytes += chunk.length - start;
    if (partBytes > MAX_ENTRY_BYTES) parts = [];
    else if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (partBytes > 0) yield takeLine(Buffer.alloc(0));
}

function skipMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? bytes.subarray(3) : bytes;
}
