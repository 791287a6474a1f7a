import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_FILE_MODE, tryToRemove } from '../../../../node/files.ts';
import type { ExportPiece } from '../../formats/export-writer.ts';
import { createEntryPacker, createZipWriter } from '../../formats/xlsx/zip-writer.ts';
import { guardWriting } from '../../partial-file.ts';

const PIECE_BYTES = 1024 * 1024;

/** A file of a pack. */
export interface PackFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A file of a pack that is being written. */
export interface PackEntry {
  write(piece: ExportPiece): Promise<void>;
  end(): Promise<PackFile>;
}

/** Writes the files of a pack one after the other. */
export interface PackWriter {
  /** The files that are whole, in their order. */
  readonly files: readonly PackFile[];
  /** Begins a file; the one before has ended. */
  begin(path: string): Promise<PackEntry>;
  /** Begins a file that is written while another one is. It lies in the scratch folder until it ends, after that one. */
  beginAside(path: string): Promise<PackEntry>;
  /** Writes a file that is one piece. */
  add(path: string, piece: ExportPiece): Promise<PackFile>;
  /** Ends the ZIP; a comment of so many bytes follows. */
  end(commentBytes: number): Promise<void>;
  /** Removes what lies in the scratch folder. Never rejects. */
  close(): Promise<void>;
}

/** Makes a writer of a ZIP whose pieces go to `put` as they come. */
export function createPackWriter(
  put: (piece: ExportPiece) => Promise<void>,
  modified: Date,
  scratchFolder: string,
): PackWriter {
  const zip = createZipWriter(modified);
  const files: PackFile[] = [];
  const leave: (() => Promise<void>)[] = [];

  /** An entry whose content goes to `take`, with what stands in a pack about it. */
  const sumUp = (
    path: string,
    take: (piece: Uint8Array) => Promise<void>,
    finish: () => Promise<void>,
  ): PackEntry => {
    const hash = createHash('sha256');
    let bytes = 0;
    return {
      async write(piece) {
        const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece;
        if (buffer.length === 0) return;
        hash.update(buffer);
        bytes += buffer.length;
        await take(buffer);
      },
      async end() {
        await finish();
        const file = { path, bytes, sha256: hash.digest('hex') };
        files.push(file);
        return file;
      },
    };
  };

  const begin = async (path: string): Promise<PackEntry> => {
    await put(await zip.begin(path, { isLarge: true }));
    return sumUp(
      path,
      async (piece) => put(await zip.write(piece)),
      () => Promise.resolve(),
    );
  };
  return {
    files,
    begin,
    async beginAside(path) {
      await guardWriting(() => mkdir(scratchFolder, { recursive: true, mode: 0o700 }));
      const scratch = join(scratchFolder, `${randomUUID()}.part`);
      const handle = await guardWriting(() => open(scratch, 'wx+', PRIVATE_FILE_MODE));
      const remove = async (): Promise<void> => {
        await handle.close().catch(() => undefined);
        await tryToRemove(scratch, () => undefined);
      };
      leave.push(remove);
      const sum = { crc: 0, size: 0, packedSize: 0 };
      const packer = createEntryPacker(sum);
      const keep = (bytes: Uint8Array): Promise<void> => guardWriting(() => handle.writeFile(bytes));
      return sumUp(
        path,
        async (piece) => keep(await packer.write(piece)),
        async () => {
          await keep(await packer.end());
          const { before, behind } = await zip.add(path, sum, { isLarge: true });
          await put(before);
          const piece = Buffer.alloc(Math.min(PIECE_BYTES, sum.packedSize));
          for (let at = 0; at < sum.packedSize;) {
            const { bytesRead } = await guardWriting(() => handle.read(piece, 0, piece.length, at));
            if (bytesRead === 0) throw new Error('The scratch file is shorter than what was written to it.');
            await put(piece.subarray(0, bytesRead));
            at += bytesRead;
          }
          await put(behind);
          await remove();
        },
      );
    },
    async add(path, piece) {
      const entry = await begin(path);
      await entry.write(piece);
      return entry.end();
    },
    end: async (commentBytes) => put(await zip.end(commentBytes)),
    async close() {
      for (const remove of leave.splice(0)) await remove();
    },
  };
}
