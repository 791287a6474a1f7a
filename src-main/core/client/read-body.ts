import { AppError } from '../../common/contract/errors.ts';

const MAX_RATIO = 100;
/** Smaller bodies may exceed the ratio: short repetitive JSON does. */
const RATIO_FROM_BYTES = 16 * 1024 * 1024;

interface BodyOptions {
  /** Most decoded bytes; an error's body is cut there, any other is refused. */
  readonly limitBytes: number;
  readonly onChunk: () => void;
}

/**
 * Reads a body into one buffer of exactly its size. Throws AppError `client.too-large` over the limit or
 * when a compressed body expands more than a hundredfold, `client.truncated` for JSON that has no end.
 */
export async function readBody(response: Response, options: BodyOptions): Promise<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const isEncoded = response.headers.has('content-encoding');
  const sentBytes = isEncoded ? Number(response.headers.get('content-length') ?? Number.NaN) : Number.NaN;
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    options.onChunk();
    chunks.push(value);
    size += value.byteLength;
    const isBomb = size > RATIO_FROM_BYTES && size > sentBytes * MAX_RATIO;
    if (size <= options.limitBytes && !isBomb) continue;
    void reader.cancel().catch(() => undefined);
    if (!response.ok) break;
    const details = { limitBytes: options.limitBytes, status: response.status };
    throw new AppError('client.too-large', 'The body is too large.', details);
  }
  const bytes = join(chunks, response.ok ? size : Math.min(size, options.limitBytes));
  if (response.ok && isCut(bytes)) {
    throw new AppError('client.truncated', 'The body ends in the middle of its JSON.', { reason: 'no-end' });
  }
  return bytes.buffer;
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, size - at), at);
    at += Math.min(chunk.byteLength, size - at);
  }
  return bytes;
}

/** A body that ends with its connection may be cut without any sign but its missing last bracket. */
function isCut(bytes: Uint8Array): boolean {
  const isSpace = (byte: number | undefined): boolean =>
    byte === 32 || byte === 10 || byte === 13 || byte === 9;
  let first = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let last = bytes.length - 1;
  while (isSpace(bytes[first])) first += 1;
  while (last > first && isSpace(bytes[last])) last -= 1;
  if (bytes[first] === 0x7b) return bytes[last] !== 0x7d;
  return bytes[first] === 0x5b && bytes[last] !== 0x5d;
}
