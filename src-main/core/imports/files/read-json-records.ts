import { isUtf8 } from 'node:buffer';
import type { AppError } from '../../../common/contract/errors.ts';
import { toJsonTexts, type JsonTexts } from '../../../common/json/exact-json.ts';
import { isJsonObject } from '../../../common/reporting/reading/read-json.ts';
import { createJsonSplitter, DOCUMENT_FAULTS, type DocumentFault } from '../../../node/json-splitter.ts';
import { splitLines } from '../../../node/split-lines.ts';
import { toUnreadable } from '../../../common/contract/unreadable-file.ts';
import { parseRecordText } from './parse-record-text.ts';

/** Longest record that is read, in bytes. */
export const MAX_RECORD_BYTES = 64 * 1024 * 1024;
const BLANK = /^[\s\ufeff]*$/;

const toDocumentError = (fault: DocumentFault): AppError => toUnreadable(DOCUMENT_FAULTS[fault]);

/** Records of a file, each field as its JSON; numbers keep their digits. */
export type FileRecords = AsyncGenerator<JsonTexts>;

/** Reads one JSON object a line. Throws `imports.unreadable`, which names the line by the given word. */
export async function* readNdjsonRecords(
  chunks: AsyncIterable<Buffer>,
  word: 'Line' | 'Row' = 'Line',
): FileRecords {
  let line = 0;
  for await (const bytes of splitLines(chunks, MAX_RECORD_BYTES)) {
    line += 1;
    const place = `${word} ${line}`;
    if (bytes === null) throw toTooLong(place);
    if (bytes.length <= 64 && BLANK.test(bytes.toString())) continue;
    yield readRecord(bytes, place);
  }
}

/** Reads the records of one JSON document. Throws `imports.unreadable`, which names the record. */
export async function* readJsonRecords(chunks: AsyncIterable<Buffer>): FileRecords {
  const splitter = createJsonSplitter({ maxEntryBytes: MAX_RECORD_BYTES, toError: toDocumentError });
  let count = 0;
  for await (const chunk of chunks) {
    for (const piece of splitter.push(chunk)) {
      count += 1;
      const place = `Record ${count}`;
      if (piece === null) throw toTooLong(place);
      yield readRecord(piece, place);
    }
  }
  splitter.end();
}

/** Returns what stands before the records of a JSON document; empty where the file holds none. */
export async function readJsonHead(chunks: AsyncIterable<Buffer>): Promise<string> {
  const splitter = createJsonSplitter({ maxEntryBytes: MAX_RECORD_BYTES, toError: toDocumentError });
  for await (const chunk of chunks) {
    for (const _piece of splitter.push(chunk)) return splitter.getHead();
    if (splitter.getHead() !== '') return splitter.getHead();
  }
  return '';
}

function readRecord(bytes: Buffer, place: string): JsonTexts {
  if (!isUtf8(bytes)) throw toUnreadable(`${place} is not UTF-8. Export the records again.`);
  let value: unknown;
  try {
    value = parseRecordText(bytes.toString('utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw toUnreadable(
      `${place} is no JSON: the file is damaged or cut off. Export the records again.`,
      error,
    );
  }
  if (!isJsonObject(value)) throw toUnreadable(`${place} is no record. Import an export of records.`);
  return toJsonTexts(value);
}

function toTooLong(place: string): Error {
  return toUnreadable(`${place} is longer than ${MAX_RECORD_BYTES / 1024 ** 2} MB.`);
}
