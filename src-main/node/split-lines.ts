const NEWLINE = 0x0a;

/** Lines of a file without their LF; null stands for one of more than `maxBytes`. */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer | null> {
  let parts: Buffer[] = [];
  let partBytes = 0;
  const takeLine = (last: Buffer): Buffer | null => {
    const line = partBytes + last.length > maxBytes ? null : Buffer.concat([...parts, last]);
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
    if (partBytes > maxBytes) parts = [];
    else if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (partBytes > 0) yield takeLine(Buffer.alloc(0));
}
