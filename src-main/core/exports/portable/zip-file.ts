import { createZipWriter } from '../formats/xlsx/zip-writer.ts';
import type { PartialFile } from '../partial-file.ts';

/** A ZIP that is written into a file, entry by entry. */
export interface ZipFile {
  /** Ends the entry before, and begins another one. */
  begin(path: string): Promise<void>;
  write(piece: string | Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** Begins a ZIP whose bytes go to `put` as they are ready. */
export function createZipFile(put: PartialFile['write'], modified: Date): ZipFile {
  const zip = createZipWriter(modified);
  return {
    begin: async (path) => put(await zip.begin(path)),
    write: async (piece) => put(await zip.write(piece)),
    end: async () => put(await zip.end()),
  };
}
