import { AppError } from '../../common/contract/errors.ts';

const MAX_RATIO = 100;
/** Smaller bodies may exceed the ratio: short repetitive JSON does. */
const RATIO_FROM_BYTES = 16 * 1024 * 1024;
const LEAST_BYTES = 65_536;
/** A service that announces more than it sends must not be able to use up memory that way. */
const MAX_FIRST_BYTES = 8 * 1024 * 1024;

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
  const isEncoded = response.headers.has('content-encoding');
  const statedBytes = Number(response.headers.get('content-length') ?? Number.NaN);
  const sentBytes = isEncoded ? statedBytes : Number.NaN;
  let body = new Uint8Array(isEncoded ? LEAST_BYTES : toFirstLength(statedBytes, options.limitBytes));
  let size = 0;
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    options.onChunk();
    const end = size + value.byteLength;
    const isBomb = end > RATIO_FROM_BYTES && end > sentBytes * MAX_RATIO;
    const isTooLarge = end > options.limitBytes || isBomb;
    if (!isTooLarge || !response.ok) {
      const part = isTooLarge ? value.subarray(0, options.limitBytes - size) : value;
      body = append(body, size, part);
      size += part.byteLength;
    }
    giveBack(value);
    if (!isTooLarge) continue;
    void reader.cancel().catch(() => undefined);
    if (!response.ok) break;
    const details = { limitBytes: options.limitBytes, status: response.status };
    throw new AppError('client.too-large', 'The body is too large.', details);
  }
  const bytes = body.byteLength === size ? body : body.slice(0, size);
  if (response.ok && isCut(bytes)) {
    throw new AppError('client.truncated', 'The body ends in the middle of its JSON.', { reason: 'no-end' });
  }
  return bytes.buffer;
}

/** Nearly every body is as long as it says, and is then written to one place only. */
function toFirstLength(statedBytes: number, limitBytes: number): number {
  return statedBytes >= 0 && statedBytes <= Math.min(limitBytes, MAX_FIRST_BYTES) ? statedBytes : LEAST_BYTES;
}

function append(body: Uint8Array<ArrayBuffer>, size: number, part: Uint8Array): Uint8Array<ArrayBuffer> {
  const needed = size + part.byteLength;
  let target = body;
  if (needed > body.byteLength) {
    target = new Uint8Array(Math.max(needed, body.byteLength * 2));
    target.set(body.subarray(0, size));
    giveBack(body);
  }
  target.set(part, size);
  return target;
}

/**
 * Frees memory that is read to its end at once. Left to itself, it is only collected with all else once some tens of
 * megabytes lie about, and a report passes through here many times in a row.
 */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
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
