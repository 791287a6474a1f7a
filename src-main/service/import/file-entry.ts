import { isUtf8 } from 'node:buffer';
import type { ImportFault } from '../../common/model/connections/import-fault.ts';
import { resolveFields } from '../../common/reporting/field-names.ts';
import { isNumberWord, replaceNumberWords, restoreNumberWords } from '../../common/json/scan-json.ts';
import { createShapeCache } from '../../common/reporting/reading/read-record.ts';
import {
  isJsonObject,
  isRounded,
  parseKeepingDigits,
  type JsonObject,
} from '../../common/reporting/reading/read-json.ts';
import type { DetailKind, Direction } from '../../common/reporting/reports.ts';
import { toFault } from './import-error.ts';
import { IMPORT_FIELDS, detectDirection, type ReadField } from './import-fields.ts';

/** One line (CSV, NDJSON) or entry (JSON) of a file, from 1: what it holds, or why that can't be read. */
export type FileEntry =
  | { readonly line: number; readonly direction: Direction; readonly get: ReadField }
  | { readonly line: number; readonly fault: ImportFault };

/** Longest line or entry that is read, in bytes; a record's texts are far below. */
export const MAX_ENTRY_BYTES = 16 * 1024 * 1024;
export const TOO_LONG = toFault('entry-too-long', { limit: MAX_ENTRY_BYTES });
export const NOT_UTF8 = toFault('not-utf8');

/** A reader of records written as JSON objects; `stated` is the report that they are said to be of. */
export function createObjectReader(stated: DetailKind | null): (line: number, bytes: Buffer) => FileEntry {
  const toEntry = createEntryReader(stated);
  return (line, bytes) => {
    if (!isUtf8(bytes)) return { line, fault: NOT_UTF8 };
    const parsed = parseObject(bytes.toString());
    return 'fault' in parsed ? { line, fault: parsed.fault } : toEntry(line, parsed.value);
  };
}

/** The same for objects that are read already. */
export function createEntryReader(stated: DetailKind | null): (line: number, entry: JsonObject) => FileEntry {
  const resolve = createShapeCache((keys) => resolveFields(keys, IMPORT_FIELDS));
  return (line, entry) => {
    const { keyOf, foundCount } = resolve(entry);
    if (foundCount === 0) return { line, fault: toFault('no-known-field') };
    const detected = detectDirection(keyOf, stated);
    if (detected.fault !== null) return { line, fault: detected.fault };
    const get: ReadField = (field) => {
      const key = keyOf[field];
      return key === undefined ? undefined : entry[key];
    };
    return { line, direction: detected.direction, get };
  };
}

function parseObject(text: string): { readonly value: JsonObject } | { readonly fault: ImportFault } {
  try {
    let value = JSON.parse(text) as unknown;
    if (!isJsonObject(value)) return { fault: toFault('not-object') };
    // A number beyond 2^53 would lose digits, and an identifier may be one.
    if (Object.values(value).some(isRounded)) value = parseKeepingDigits(text);
    return { value: value as JsonObject };
  } catch {
    return { fault: text.trim() === '' ? toFault('empty') : (findNumberWord(text) ?? toFault('not-json')) };
  }
}

/** Names the first field that is NaN or Infinity, for which JSON has no words; null where nothing else is wrong. */
function findNumberWord(text: string): ImportFault | null {
  const marked = replaceNumberWords(text);
  if (marked === null) return null;
  try {
    const value = JSON.parse(marked) as unknown;
    const [field, word] =
      Object.entries(isJsonObject(value) ? value : {}).find(([, each]) => isNumberWord(each)) ?? [];
    if (field === undefined) return null;
    return toFault('number-word', { field, value: restoreNumberWords(JSON.stringify(word)) });
  } catch {
    return null;
  }
}
