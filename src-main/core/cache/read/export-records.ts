import type { RecordDetail } from '../../../common/model/records/record.ts';
import { openCacheDatabase } from '../file/open-database.ts';
import { toCacheError } from '../file/to-cache-error.ts';
import { createExportReader, type ExportBatch } from './export-batches.ts';

/** Opens the cache, read-only, for the thread that writes its records into a file; close it when done. Throws `cache.*`. */
export function openExportRecords(file: string): {
  readRecords(batch: ExportBatch): RecordDetail[];
  toAppError(error: unknown): unknown;
  close(): void;
} {
  try {
    const database = openCacheDatabase(file, 'read');
    return {
      readRecords: createExportReader(database),
      toAppError: toCacheError,
      close: () => void database.close(),
    };
  } catch (error) {
    throw toCacheError(error);
  }
}
