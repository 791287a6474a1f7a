import { once } from 'node:events';
import { crc32, createDeflateRaw, type DeflateRaw, type ZlibOptions } from 'node:zlib';
import { writeDirectory, writeEntryEnd, writeEntryHead, type ZipEntry } from './zip-records.ts';

/** A quarter of the default's time, for files that are a little larger. */
const COMPRESSION_LEVEL = 1;
/** So much is taken while what came before is still being compressed, on another processor. */
const HELD_BYTES = 2 * 1_048_576;
/** Bytes that come out at once. */
const CHUNK_BYTES = 256 * 1024;

/** A ZIP that is written piece by piece: what is compressed so far is taken with each piece. */
export interface ZipWriter {
  /** Ends the entry before, and begins another one: of less than 4 GB, unless it is said that it may be large. */
  begin(path: string, options?: { readonly isLarge?: boolean }): Promise<Uint8Array>;
  /** Resolves to the bytes that are ready; waits while more is compressed than was taken. */
  write(piece: string | Uint8Array): Promise<Uint8Array>;
  /** Ends the file and resolves to the rest of its bytes. */
  end(): Promise<Uint8Array>;
}

/** Makes a ZIP writer. The file holds as much as it likes. */
export function createZipWriter(modified: Date): ZipWriter {
  const entries: ZipEntry[] = [];
  const ready: Uint8Array[] = [];
  let open: { readonly entry: ZipEntry; readonly deflate: DeflateRaw } | null = null;
  let written = 0;

  const put = (bytes: Uint8Array): void => {
    written += bytes.length;
    ready.push(bytes);
  };
  const take = (): Uint8Array => Buffer.concat(ready.splice(0));
  const close = async (): Promise<void> => {
    if (open === null) return;
    const { entry, deflate } = open;
    open = null;
    const ended = once(deflate, 'end');
    deflate.end();
    await ended;
    put(writeEntryEnd(entry));
  };

  return {
    async begin(path, { isLarge = false } = {}) {
      await close();
      const entry = { path, modified, offset: written, isLarge, crc: 0, size: 0, packedSize: 0 };
      entries.push(entry);
      put(writeEntryHead(entry));
      const deflate = createDeflateRaw({
        level: COMPRESSION_LEVEL,
        chunkSize: CHUNK_BYTES,
        writableHighWaterMark: HELD_BYTES,
      } as ZlibOptions);
      deflate.on('data', (bytes: Uint8Array) => {
        entry.packedSize += bytes.length;
        put(bytes);
      });
      open = { entry, deflate };
      return take();
    },
    async write(piece) {
      if (open === null) throw new Error('No entry of the file is open.');
      const { entry, deflate } = open;
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      entry.crc = crc32(bytes, entry.crc);
      entry.size += bytes.length;
      if (!deflate.write(bytes)) await once(deflate, 'drain');
      return take();
    },
    async end() {
      await close();
      put(writeDirectory(entries, written));
      return take();
    },
  };
}
