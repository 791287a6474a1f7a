import { isJsonObject } from '../../common/reporting/reading/read-json.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { createJsonSplitter } from '../../node/json-splitter.ts';
import { createObjectReader, MAX_ENTRY_BYTES, TOO_LONG, type FileEntry } from './file-entry.ts';
import { toFileError } from './import-error.ts';
import { tryReadReport } from './import-fields.ts';

/**
 * Records in the lists of a JSON document, by their number from 1. Where it names its report, as the
 * application's exports do, that holds unless `stated` says otherwise. Throws AppError for a document that
 * ends too early or goes on after its end; the entries before have been given.
 */
export async function* readJsonList(
  chunks: AsyncIterable<Buffer>,
  stated: DetailKind | null,
): AsyncGenerator<FileEntry> {
  const splitter = createJsonSplitter({ maxEntryBytes: MAX_ENTRY_BYTES, toError: toFileError });
  let readObject: ReturnType<typeof createObjectReader> | null = null;
  let line = 0;
  for await (const chunk of chunks) {
    for (const piece of splitter.push(chunk)) {
      readObject ??= createObjectReader(stated ?? tryReadStatedReport(splitter.getHead()));
      line += 1;
      yield piece === null ? { line, fault: TOO_LONG } : readObject(line, piece);
    }
  }
  splitter.end();
}

/** What the application's own exports say before their records. */
function tryReadStatedReport(head: string): DetailKind | null {
  try {
    const about: unknown = JSON.parse(`${head.replace(/^\ufeff/, '')}[]}`);
    return isJsonObject(about) ? tryReadReport(about['report']) : null;
  } catch {
    return null;
  }
}
