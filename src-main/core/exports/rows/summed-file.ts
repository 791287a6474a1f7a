import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { ExportPiece } from '../formats/export-writer.ts';
import { guardWriting } from '../guard-writing.ts';
import type { FileSum } from '../partial-file.ts';

/** A file that is written from its beginning to its end, and summed meanwhile. */
export interface SummedFile {
  put(piece: ExportPiece): Promise<void>;
  /** The SHA-256 of what was put so far, in hex. */
  sumSoFar(): string;
  /** The sum of what was put so far; nothing is put afterwards. */
  finish(): FileSum;
  close(): Promise<void>;
}

/** Opens a file that is there already, empty. Throws `exports.write-failed`, as `put` does. */
export async function openSummedFile(path: string): Promise<SummedFile> {
  const handle = await guardWriting(() => open(path, 'r+'));
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async put(piece) {
      const buffer = typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece;
      if (buffer.length === 0) return;
      await guardWriting(() => handle.writeFile(buffer));
      hash.update(buffer);
      bytes += buffer.length;
    },
    sumSoFar: () => hash.copy().digest('hex'),
    finish: () => ({ bytes, sha256: hash.digest('hex') }),
    close: () => handle.close(),
  };
}
