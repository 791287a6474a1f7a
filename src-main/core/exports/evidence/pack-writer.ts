import { createHash } from 'node:crypto';
import type { ExportPiece } from '../formats/export-writer.ts';
import { createZipWriter } from '../formats/xlsx/zip-writer.ts';

/** A file of a pack. */
export interface PackFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes the files of a pack one after the other. */
export interface PackWriter {
  /** The files that are whole. */
  readonly files: readonly PackFile[];
  /** Writes one file: `fill` hands over its pieces. Resolves to what was written. */
  add(path: string, fill: (write: (piece: ExportPiece) => Promise<void>) => Promise<void>): Promise<PackFile>;
  end(): Promise<void>;
}

/** Makes a writer of a ZIP whose pieces go to `put` as they come. */
export function createPackWriter(
  put: (piece: ExportPiece) => Promise<void>,
  modified: Date,
  signal: AbortSignal,
): PackWriter {
  const zip = createZipWriter(modified);
  const files: PackFile[] = [];
  return {
    files,
    async add(path, fill) {
      const hash = createHash('sha256');
      let bytes = 0;
      await put(await zip.begin(path, { isLarge: true }));
      await fill(async (piece) => {
        signal.throwIfAborted();
        const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece;
        if (buffer.length === 0) return;
        hash.update(buffer);
        bytes += buffer.length;
        await put(await zip.write(buffer));
      });
      const file = { path, bytes, sha256: hash.digest('hex') };
      files.push(file);
      return file;
    },
    end: async () => put(await zip.end()),
  };
}
