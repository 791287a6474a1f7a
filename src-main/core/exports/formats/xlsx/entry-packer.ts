import { once } from 'node:events';
import { crc32, createDeflateRaw, type ZlibOptions } from 'node:zlib';

/** A quarter of the default's time, for files that are a little larger. */
const COMPRESSION_LEVEL = 1;
/** So much is taken while what came before is still being compressed, on another processor. */
const HELD_BYTES = 2 * 1_048_576;
/** Bytes that come out at once. */
const CHUNK_BYTES = 256 * 1024;

/** What a ZIP says of the content of an entry. */
export interface EntrySum {
  crc: number;
  size: number;
  packedSize: number;
}

/** The content of an entry while it is compressed. */
export interface EntryPacker {
  /** Resolves to the bytes that are ready; waits while more is compressed than was taken. */
  write(piece: Uint8Array): Promise<Uint8Array>;
  /** Resolves to the rest of the bytes, after which the sum is whole. */
  end(): Promise<Uint8Array>;
}

/** Compresses the content of an entry, and keeps `sum` up to date. */
export function createEntryPacker(sum: EntrySum): EntryPacker {
  const ready: Uint8Array[] = [];
  const deflate = createDeflateRaw({
    level: COMPRESSION_LEVEL,
    chunkSize: CHUNK_BYTES,
    writableHighWaterMark: HELD_BYTES,
  } as ZlibOptions);
  deflate.on('data', (bytes: Uint8Array) => {
    sum.packedSize += bytes.length;
    ready.push(bytes);
  });
  const take = (): Uint8Array => Buffer.concat(ready.splice(0));
  return {
    async write(piece) {
      sum.crc = crc32(piece, sum.crc);
      sum.size += piece.length;
      if (!deflate.write(piece)) await once(deflate, 'drain');
      return take();
    },
    async end() {
      const ended = once(deflate, 'end');
      deflate.end();
      await ended;
      return take();
    },
  };
}
