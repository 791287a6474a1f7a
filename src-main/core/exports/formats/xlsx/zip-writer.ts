import { once } from 'node:events';
import { crc32, createDeflateRaw, type ZlibOptions } from 'node:zlib';

interface EntryOptions {
  /** Of 4 GB and more, perhaps. */
  readonly isLarge?: boolean;
}

/** A ZIP that is written piece by piece: what is compressed so far is taken with each piece. */
interface ZipWriter {
  /** Ends the entry before, and begins another one: of less than 4 GB, unless it is said that it may be large. */
  begin(path: string, options?: EntryOptions): Promise<Uint8Array>;
  /** Resolves to the bytes that are ready; waits while more is compressed than was taken. */
  write(piece: string | Uint8Array): Promise<Uint8Array>;
  /**
   * Ends the entry before, and adds one that was compressed elsewhere: resolves to what stands before and behind its
   * bytes, which whoever asks has to put in between.
   */
  add(
    path: string,
    sum: Readonly<EntrySum>,
    options?: EntryOptions,
  ): Promise<{ readonly before: Uint8Array; readonly behind: Uint8Array }>;
  /** Ends the file and resolves to the rest of its bytes; a comment of so many follows, if any. */
  end(commentBytes?: number): Promise<Uint8Array>;
}

/** Makes a ZIP writer. The file holds as much as it likes. */
export function createZipWriter(modified: Date): ZipWriter {
  const entries: ZipEntry[] = [];
  let open: { readonly entry: ZipEntry; readonly packer: EntryPacker } | null = null;
  let written = 0;

  const count = (bytes: Uint8Array): Uint8Array => {
    written += bytes.length;
    return bytes;
  };
  const close = async (): Promise<Uint8Array> => {
    if (open === null) return Buffer.alloc(0);
    const { entry, packer } = open;
    open = null;
    const rest = await packer.end();
    return count(Buffer.concat([rest, writeEntryEnd(entry)]));
  };
  const enter = (path: string, sum: EntrySum, { isLarge = false }: EntryOptions): ZipEntry => {
    const entry = { path, modified, offset: written, isLarge, ...sum };
    entries.push(entry);
    return entry;
  };

  return {
    async begin(path, options = {}) {
      const rest = await close();
      const entry = enter(path, { crc: 0, size: 0, packedSize: 0 }, options);
      open = { entry, packer: createEntryPacker(entry) };
      return Buffer.concat([rest, count(writeEntryHead(entry))]);
    },
    async write(piece) {
      if (open === null) throw new Error('No entry of the file is open.');
      return count(await open.packer.write(typeof piece === 'string' ? Buffer.from(piece) : piece));
    },
    async add(path, sum, options = {}) {
      const rest = await close();
      const entry = enter(path, sum, options);
      const before = Buffer.concat([rest, count(writeEntryHead(entry))]);
      written += sum.packedSize;
      return { before, behind: count(writeEntryEnd(entry)) };
    },
    async end(commentBytes = 0) {
      const rest = await close();
      return Buffer.concat([rest, writeDirectory(entries, written, commentBytes)]);
    },
  };
}

/** A file in a ZIP; its sum and sizes are known at its end. */
interface ZipEntry {
  readonly path: string;
  readonly modified: Date;
  /** Where it begins in the ZIP. */
  readonly offset: number;
  /** Its sizes are written in 64 bits, since they may be 4 GB and more. */
  readonly isLarge: boolean;
  crc: number;
  size: number;
  packedSize: number;
}

const MAX_32 = 0xffff_ffff;
const VERSION = 45;
/** Sizes follow the content; names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;

/** Returns what stands before the content of an entry. */
function writeEntryHead({ path, modified, isLarge }: ZipEntry): Uint8Array {
  const name = Buffer.from(path);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x0403_4b50, 0);
  writeCommon(head, 4, modified);
  head.writeUInt16LE(name.length, 26);
  if (!isLarge) return Buffer.concat([head, name]);
  // The longer form of what follows the content is announced by the longer form of the sizes here.
  const extra = writeLongExtra([0, 0]);
  head.writeUInt32LE(MAX_32, 18);
  head.writeUInt32LE(MAX_32, 22);
  head.writeUInt16LE(extra.length, 28);
  return Buffer.concat([head, name, extra]);
}

/** Returns what stands behind it. */
function writeEntryEnd({ crc, size, packedSize, isLarge }: ZipEntry): Uint8Array {
  const end = Buffer.alloc(isLarge ? 24 : 16);
  end.writeUInt32LE(0x0807_4b50, 0);
  if (isLarge) {
    end.writeUInt32LE(crc, 4);
    end.writeBigUInt64LE(BigInt(packedSize), 8);
    end.writeBigUInt64LE(BigInt(size), 16);
  } else writeSizes(end, 4, { crc, size, packedSize });
  return end;
}

/** Returns the directory of a ZIP that begins at `offset`, in the longer form where the shorter one can't tell it. */
function writeDirectory(entries: readonly ZipEntry[], offset: number, commentBytes: number): Uint8Array {
  const directory = Buffer.concat(entries.map(writeDirectoryEntry));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  end.writeUInt16LE(commentBytes, 20);
  if (offset < MAX_32) return Buffer.concat([directory, end]);
  const long = Buffer.alloc(56 + 20);
  long.writeUInt32LE(0x0606_4b50, 0);
  long.writeBigUInt64LE(44n, 4);
  long.writeUInt16LE(VERSION, 12);
  long.writeUInt16LE(VERSION, 14);
  long.writeBigUInt64LE(BigInt(entries.length), 24);
  long.writeBigUInt64LE(BigInt(entries.length), 32);
  long.writeBigUInt64LE(BigInt(directory.length), 40);
  long.writeBigUInt64LE(BigInt(offset), 48);
  // Where the record above stands.
  long.writeUInt32LE(0x0706_4b50, 56);
  long.writeBigUInt64LE(BigInt(offset + directory.length), 64);
  long.writeUInt32LE(1, 72);
  return Buffer.concat([directory, long, end]);
}

function writeDirectoryEntry(entry: ZipEntry): Uint8Array {
  const name = Buffer.from(entry.path);
  const { crc, size, packedSize, offset } = entry;
  // Each that the shorter form can't tell stands in the longer one, in this order.
  const extra = writeLongExtra([size, packedSize, offset].filter((value) => value >= MAX_32));
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x0201_4b50, 0);
  head.writeUInt16LE(VERSION, 4);
  writeCommon(head, 6, entry.modified);
  writeSizes(head, 16, { crc, size: Math.min(size, MAX_32), packedSize: Math.min(packedSize, MAX_32) });
  head.writeUInt16LE(name.length, 28);
  head.writeUInt16LE(extra.length, 30);
  head.writeUInt32LE(Math.min(offset, MAX_32), 42);
  return Buffer.concat([head, name, extra]);
}

/** Numbers of 64 bits; nothing where there are none. */
function writeLongExtra(values: readonly number[]): Uint8Array {
  if (values.length === 0) return Buffer.alloc(0);
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [place, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * place);
  return extra;
}

function writeCommon(bytes: Buffer, at: number, modified: Date): void {
  bytes.writeUInt16LE(VERSION, at);
  bytes.writeUInt16LE(FLAGS, at + 2);
  bytes.writeUInt16LE(DEFLATED, at + 4);
  const seconds = Math.floor(modified.getUTCSeconds() / 2);
  bytes.writeUInt16LE((modified.getUTCHours() << 11) | (modified.getUTCMinutes() << 5) | seconds, at + 6);
  const year = Math.max(0, modified.getUTCFullYear() - 1980);
  bytes.writeUInt16LE((year << 9) | ((modified.getUTCMonth() + 1) << 5) | modified.getUTCDate(), at + 8);
}

function writeSizes(
  bytes: Buffer,
  at: number,
  { crc, size, packedSize }: Pick<ZipEntry, 'crc' | 'size' | 'packedSize'>,
): void {
  bytes.writeUInt32LE(crc, at);
  bytes.writeUInt32LE(packedSize, at + 4);
  bytes.writeUInt32LE(size, at + 8);
}

/** A quarter of the default's time, for files that are a little larger. */
const COMPRESSION_LEVEL = 1;
/** So much is taken while what came before is still being compressed, on another processor. */
const HELD_BYTES = 2 * 1_048_576;
/** Bytes that come out at once. */
const CHUNK_BYTES = 256 * 1024;

/** What a ZIP says of the content of an entry. */
interface EntrySum {
  crc: number;
  size: number;
  packedSize: number;
}

/** The content of an entry while it is compressed. */
interface EntryPacker {
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
