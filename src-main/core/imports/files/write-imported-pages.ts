import type { WireRecord } from './write-wire-record.ts';

/** A page holds no more records, and is ended by the record that makes it this long. */
const MAX_PAGE_RECORDS = 1_000;
const MAX_PAGE_CHARACTERS = 4 * 1024 * 1024;

/** What the pages of an import say of where they came from. */
export interface PageOrigin {
  readonly fileName: string;
  readonly fileSha256: string;
  /** Records of the whole file. */
  readonly total: number;
}

/** One page of an import: its cursor, and its bytes. */
export interface WrittenPage {
  readonly cursorSent: string;
  readonly bytes: ArrayBuffer;
}

/**
 * Writes records as pages in the envelope of the service (specification, section "Report response envelope"), so that
 * everything reads them as it reads what was received. Each says that it was imported, and of which file.
 */
export async function* writeImportedPages(
  records: AsyncIterable<WireRecord>,
  { fileName, fileSha256, total }: PageOrigin,
): AsyncGenerator<WrittenPage> {
  let documents: string[] = [];
  let characters = 0;
  let done = 0;
  let pages = 0;
  for await (const record of records) {
    const text = record.toText();
    documents.push(text);
    characters += text.length;
    done += 1;
    const isLast = done === total;
    if (!isLast && documents.length < MAX_PAGE_RECORDS && characters < MAX_PAGE_CHARACTERS) continue;
    yield {
      cursorSent: toCursor(pages),
      bytes: toBytes(
        JSON.stringify({
          isValid: true,
          idReport: '',
          nameVisualization: '',
          totalDocument: total,
          pageCount: null,
          lastDocument: isLast ? '' : toCursor(pages + 1),
          importedFile: fileName,
          importedFileSha256: fileSha256,
        }),
        documents,
      ),
    };
    pages += 1;
    documents = [];
    characters = 0;
  }
}

function toCursor(page: number): string {
  return page === 0 ? '' : `imported-${page}`;
}

function toBytes(envelope: string, documents: readonly string[]): ArrayBuffer {
  const text = `${envelope.slice(0, -1)},"documents":[${documents.join(',')}]}`;
  // A buffer of its own: it is handed over to another thread.
  return new TextEncoder().encode(text).buffer;
}
