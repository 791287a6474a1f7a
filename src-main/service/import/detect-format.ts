import { isJsonObject } from '../../common/reporting/reading/read-json.ts';
import { resolveFields } from '../../common/reporting/field-names.ts';
import { toFileError } from './import-error.ts';
import { tryFindDelimiter } from './csv-header.ts';
import { IMPORT_FIELDS } from './import-fields.ts';

/** Bytes from the start that show what a file is: more than any line of ordinary length. */
export const HEAD_BYTES = 4 * 1024 * 1024;

export type FileFormat =
  | { readonly kind: 'csv'; readonly delimiter: string }
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'json' };

const UTF16_MARKS = ['fffe', 'feff'];
const PACKED_MARKS = ['1f8b', '504b', '425a', 'fd37', '28b5'];

/**
 * Detects what a file is by its beginning, never by its name. Throws AppError
 * `local-service.import-failed` for anything that is not a text in UTF-8 with records.
 */
export function detectFormat(head: Buffer): FileFormat {
  const mark = head.toString('hex', 0, 2);
  if (UTF16_MARKS.includes(mark)) throw toFileError('utf16');
  if (PACKED_MARKS.includes(mark)) throw toFileError('compressed');
  if (head.subarray(0, 4096).includes(0)) throw toFileError('no-text');
  const text = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (text === '') throw toFileError('empty-file');
  if (text.startsWith('[')) return { kind: 'json' };
  const [firstLine = ''] = text.split(/\r\n|\n|\r/, 1);
  if (text.startsWith('{')) return { kind: isRecordLine(firstLine) ? 'ndjson' : 'json' };
  const delimiter = tryFindDelimiter(firstLine);
  if (delimiter !== null) return { kind: 'csv', delimiter };
  throw toFileError('unknown');
}

/** True for a whole JSON object in one line that has fields of a record itself. */
function isRecordLine(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) && resolveFields(Object.keys(value), IMPORT_FIELDS).foundCount > 0;
  } catch {
    return false;
  }
}
