import { createEntryPacker, type EntryPacker, type EntrySum } from './entry-packer.ts';
import { writeDirectory, writeEntryEnd, writeEntryHead, type ZipEntry } from './zip-records.ts';

interface EntryOptions {
  /** Of 4 GB and more, perhaps. */
  readonly isLarge?: boolean;
}

/** A ZIP that is written piece by piece: what is compressed so far is taken with each piece. */
export interface ZipWriter {
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
