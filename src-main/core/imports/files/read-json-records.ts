import { isUtf8 } from 'node:buffer';
import {
  countKeys,
  findDoubledKeys,
  findJsonExcess,
  type JsonTexts,
  mayLoseDigits,
  measureJson,
  parseExactly,
  replaceNumberWords,
  restoreNumberWords,
  toJsonTexts,
} from '../../../common/json.ts';
import { isJsonObject } from '../../../common/reporting/reading/read-json.ts';
import { toUnreadable } from '../../../common/words/to-unreadable.ts';
import { readObjects } from '../../../node/record-files.ts';
import { LIMITS } from './open-record-file.ts';

const MAX_FIELDS = 10_000;

/** What reading records finds out about them; the first record is 1. */
export interface RecordFindings {
  /** Records in which a name comes twice, and the first such name. */
  doubled: { count: number; readonly name: string } | null;
  /** Records with NaN or Infinity, and the number of the first. */
  notNumbers: { count: number; readonly first: number } | null;
}

/** Notes one more record in which a name comes twice. */
export function noteDoubled(findings: RecordFindings, name: string): void {
  findings.doubled ??= { count: 0, name };
  findings.doubled.count += 1;
}

/** Records of a file, each field as its JSON; numbers keep their digits. */
export type FileRecords = AsyncGenerator<JsonTexts>;

/** Reads the records of a file of lines or of one document. Throws `imports.unreadable`, which names the record. */
export async function* readJsonRecords(
  chunks: AsyncIterable<Buffer>,
  kind: 'json' | 'ndjson',
  findings: RecordFindings,
  unit: 'line' | 'record' | 'row' = kind === 'json' ? 'record' : 'line',
): FileRecords {
  let number = 0;
  for await (const { line, bytes } of readObjects(chunks, kind, LIMITS)) {
    const place = { unit, number: line };
    if (bytes === null) throw toUnreadable('long', { ...place, most: LIMITS.maxBytes / 1024 ** 2 });
    number += 1;
    yield readRecord(bytes, { place, number }, findings);
  }
}

/** Returns what stands before the records of a JSON document; empty where the file holds none. */
export async function readJsonHead(chunks: AsyncIterable<Buffer>): Promise<string> {
  for await (const { head } of readObjects(chunks, 'json', LIMITS)) return head;
  return '';
}

/** Where a record stands in its file. */
type Place = Readonly<{ unit: 'line' | 'record' | 'row'; number: number }>;

/** A record with NaN or Infinity keeps them: what can't be read of a page is set aside there. */
function readRecord(
  bytes: Buffer,
  { place, number }: { readonly place: Place; readonly number: number },
  findings: RecordFindings,
): JsonTexts {
  if (!isUtf8(bytes)) throw toUnreadable('not-utf8', place);
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  const excess = findJsonExcess(text, RECORD_LIMITS);
  if (excess !== null) throw toUnreadable(EXCESSES[excess], { ...place, most: RECORD_LIMITS[excess] });
  let value: unknown;
  let words: string | null = null;
  try {
    value = parseRecordText(text);
  } catch (error) {
    words = replaceNumberWords(text);
    value = words === null ? undefined : tryParse(words);
    if (value === undefined) {
      throw toUnreadable('no-json', place, error);
    }
  }
  if (!isJsonObject(value)) throw toUnreadable('no-record', place);
  const fieldCount = Object.keys(value).length;
  if (fieldCount > MAX_FIELDS) {
    throw toUnreadable('many-fields', { ...place, count: fieldCount, most: MAX_FIELDS });
  }
  const doubled = findDoubledName(words ?? text, value);
  if (doubled !== null) noteDoubled(findings, doubled);
  const texts = toJsonTexts(value);
  if (words === null) return texts;
  findings.notNumbers ??= { count: 0, first: number };
  findings.notNumbers.count += 1;
  return Object.fromEntries(Object.entries(texts).map(([name, json]) => [name, restoreNumberWords(json)]));
}

/**
 * What a record may hold: far more than a report's, and what every part of the application has room for. More is refused
 * before anything is made of it.
 */
const RECORD_LIMITS = { depth: 1_000, parts: 1_000_000 };

const EXCESSES = { depth: 'deep', parts: 'many-values' } as const;

function tryParse(text: string): unknown {
  try {
    return parseRecordText(text);
  } catch {
    return undefined;
  }
}

/** Returns the value of a JSON text; numbers keep the digits that they are written with. Throws SyntaxError. */
function parseRecordText(text: string): unknown {
  return mayLoseDigits(text) ? parseExactly(text) : (JSON.parse(text) as unknown);
}

/**
 * Returns the fields of an object that a text holds, as it would be held in one cell; null for anything else, and for
 * more than `RECORD_LIMITS`. `onDoubled` is told the first name that comes twice in it.
 */
export function tryParseFields(
  text: string,
  onDoubled: (name: string) => void,
): Readonly<Record<string, unknown>> | null {
  if (findJsonExcess(text, RECORD_LIMITS) !== null) return null;
  try {
    const value = parseRecordText(text);
    if (!isJsonObject(value)) return null;
    const name = findDoubledName(text, value);
    if (name !== null) onDoubled(name);
    return value;
  } catch {
    return null;
  }
}

/** The first name that comes twice in a text, of which its value holds one; null where none does. */
function findDoubledName(text: string, value: unknown): string | null {
  return measureJson(text).keys === countKeys(value) ? null : (findDoubledKeys(text)?.name ?? null);
}
