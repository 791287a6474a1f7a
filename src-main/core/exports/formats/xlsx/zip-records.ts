/** A file in a ZIP; its sum and sizes are known at its end. */
export interface ZipEntry {
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
export function writeEntryHead({ path, modified, isLarge }: ZipEntry): Uint8Array {
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
export function writeEntryEnd({ crc, size, packedSize, isLarge }: ZipEntry): Uint8Array {
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
export function writeDirectory(
  entries: readonly ZipEntry[],
  offset: number,
  commentBytes: number,
): Uint8Array {
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
