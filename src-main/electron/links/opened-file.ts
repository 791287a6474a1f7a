import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { OfferedFile } from '../../common/contract/operations/imports.ts';
import type { OfferedFiles } from '../offered-files.ts';

/** The file that a person last opened with the application. It waits here while no page can take it yet. */
export interface OpenedFile {
  /** Keeps the absolute path of a file, in place of an earlier one that nobody took. */
  keep(path: string): void;
  /** Offers the file to be imported, once; null where none waits. One that is missing is refused by its import. */
  take(): Promise<OfferedFile | null>;
}

/** Makes the place for it, which is empty. */
export function createOpenedFile(offered: Pick<OfferedFiles, 'offer'>): OpenedFile {
  let waiting: string | null = null;
  return {
    keep(path) {
      waiting = path;
    },
    async take() {
      const path = waiting;
      waiting = null;
      const uploadId = offered.offer(path);
      if (path === null || uploadId === null) return null;
      const found = await stat(path).catch(() => null);
      return { uploadId, name: basename(path), size: found?.isFile() === true ? found.size : null };
    },
  };
}
