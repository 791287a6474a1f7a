import { findSeparatorLine } from '../../common/csv-habits.ts';
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
  const [firstLine = '', secondLine] = text.slice(findSeparatorLine(text).length).split(/\r\n|\n|\r/, 2);
  if (text.startsWith('{')) return { kind: isRecordLine(firstLine, secondLine) ? 'ndjson' : 'json' };
  const delimiter = tryFindDelimiter(firstLine);
  if (delimiter !== null) return { kind: 'csv', delimiter };
  throw toFileError('unknown');
}

/**
 * True for a line that has fields of a record itself and is an object of its own. Whatever is wrong with it is said of that
 * line, and the lines below are read: it may hold words that are no JSON, or be longer than what is known of the file.
 */
function isRecordLine(line: string, nextLine: string | undefined): boolean {
  const { keys, isWhole } = scanTop(line);
  const isAlone = isWhole || nextLine === undefined || nextLine.trimStart().startsWith('{');
  return isAlone && resolveFields(keys, IMPORT_FIELDS).foundCount > 0;
}

const MARKS = /"(?:[^"\\]|\\.)*"?|[[\]{}:]/gu;

/** The names that an object has itself, and whether it ends within the text. */
function scanTop(text: string): { readonly keys: readonly string[]; readonly isWhole: boolean } {
  const keys: string[] = [];
  let depth = 0;
  let last = '';
  for (const [mark] of text.matchAll(MARKS)) {
    if (mark === '{' || mark === '[') depth += 1;
    else if (mark === '}' || mark === ']') depth -= 1;
    else if (mark === ':' && depth === 1 && last.startsWith('"')) keys.push(readName(last));
    last = mark;
    if (depth === 0) return { keys, isWhole: true };
  }
  return { keys, isWhole: false };
}

function readName(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.replaceAll('"', '');
  }
}
