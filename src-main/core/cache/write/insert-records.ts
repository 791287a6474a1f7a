import { createHash } from 'node:crypto';
import { toRawDigits } from '../../../common/json.ts';
import { PREVIEW_CHARACTERS, toRecordId } from '../../../common/model/records/record.ts';
import { type ContentName, countContent } from '../../../common/reporting/field-names.ts';
import { isJsonObject } from '../../../common/reporting/reading/read-json.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { type TextBytes, writeByte, writeNumber, writeText } from '../../../node/text-bytes.ts';
import { GROUP_COLUMNS, RECORD_TABLES, type RecordTable, toStoredDate } from '../read/record-tables.ts';

/** Rows of one statement: calling the database costs as much as a row, and more of them save nothing further. */
const ROWS_AT_ONCE = 20;

/**
 * Prepares the writing of a report's records: from a place in the snapshot on, each added to the digest
 * as it is stored.
 */
export function prepareInsert(
  database: Database,
  kind: DetailKind,
): (snapshotId: number, firstSeq: number, records: readonly DetailRecord[], digest: RowDigest) => void {
  const table = RECORD_TABLES[kind];
  const { columns } = table;
  const names = columns.map(({ name }) => name);
  const dateAt = names.indexOf('dateText');
  const row = `(?${', ?'.repeat(columns.length + 2)})`;
  const prepare = (rows: number) =>
    database.prepare<StoredValue[]>(
      `INSERT INTO ${table.name} (record_id, ${columns.map(({ column }) => column).join(', ')}, payload_preview, text_length)
       VALUES ${Array.from({ length: rows }, () => row).join(', ')}`,
    );
  const insertOne = prepare(1);
  const insertSeveral = prepare(ROWS_AT_ONCE);
  return (snapshotId, firstSeq, records, digest) => {
    const firstId = toRecordId(snapshotId, firstSeq);
    const severalEnd = records.length - (records.length % ROWS_AT_ONCE);
    let bound: StoredValue[] = [];
    for (const [place, record] of records.entries()) {
      const values: StoredValue[] = names.map((name) => record[name]);
      digest.add(toDigested(table, values, record));
      values[dateAt] = toStoredDate(record.dateText, record.dateMs);
      bound.push(firstId + place, ...values, toPayloadPreview(record.payload), countContent(record));
      // As arguments: values that are read from a list take a fifth longer.
      if (place >= severalEnd) insertOne.run(...bound);
      else if ((place + 1) % ROWS_AT_ONCE === 0) insertSeveral.run(...bound);
      else continue;
      bound = [];
    }
  };
}

/** A longer payload is not parsed for its preview. */
const MAX_PARSED_CHARACTERS = 20_000;
/** Fields that hold what a person wrote or reads, the likelier first. */
const TEXT_KEYS = ['text', 'message', 'body', 'title', 'content', 'caption', 'value'];
const MAX_DEPTH = 3;
/** A text in which nothing is escaped: a quotation mark is where it begins or ends. */
const PLAIN_TEXT = String.raw`"[^"\\\x00-\x1f]*"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?`;
const PLAIN_FIELD = `${PLAIN_TEXT}: ?(?:${PLAIN_TEXT}|${NUMBER}|true|false|null|\\[\\])`;
const NEXT_FIELD = new RegExp(`${PLAIN_FIELD}(?:, ?(?=")|(?=\\}$))`, 'y');
const SPACE = 0x20;
const LAST_PLAIN = 0x7e;

/**
 * Returns what tells a payload from its neighbours, in one line of at most 120 characters: the text of a message
 * where one is found, otherwise the beginning of the payload.
 */
export function toPayloadPreview(payload: string): string {
  const text = (payload.length <= MAX_PARSED_CHARACTERS && readText(payload)) || payload;
  if (text.length <= PREVIEW_CHARACTERS && isPlainLine(text)) return text;
  const line = text
    .slice(0, PREVIEW_CHARACTERS * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= PREVIEW_CHARACTERS) return line;
  return Array.from(line).slice(0, PREVIEW_CHARACTERS).join('');
}

/** True for a JSON object that holds nothing but plain texts, numbers and the like; most messages are one. */
function isPlainObject(text: string): boolean {
  if (!text.startsWith('{')) return false;
  NEXT_FIELD.lastIndex = 1;
  while (NEXT_FIELD.test(text)) {
    if (NEXT_FIELD.lastIndex === text.length - 1) return true;
  }
  return false;
}

/** True for ASCII without spaces that would go; nearly every text is such a line, and is looked at quickly. */
function isPlainLine(text: string): boolean {
  let before = SPACE;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < SPACE || code > LAST_PLAIN || (code === SPACE && before === SPACE)) return false;
    before = code;
  }
  return before !== SPACE;
}

function readText(payload: string): string {
  return isPlainObject(payload) ? findPlainText(payload) : findText(parse(payload), 0);
}

/** What `findText` finds in a plain object, in a fifth of the time that parsing it takes. */
function findPlainText(payload: string): string {
  for (const key of TEXT_KEYS) {
    const label = `"${key}":`;
    // Of fields with the same name the last one counts.
    const at = payload.lastIndexOf(label);
    if (at === -1) continue;
    const from = payload.indexOf('"', at + label.length) + 1;
    const value = payload.slice(at + label.length, from);
    if (value !== '"' && value !== ' "') continue;
    const text = payload.slice(from, payload.indexOf('"', from));
    if (text.trim() !== '') return text;
  }
  return '';
}

function parse(payload: string): unknown {
  if (!payload.startsWith('{') && !/^\s*[{[]/.test(payload)) return null;
  try {
    return JSON.parse(payload) as unknown;
  } catch {
    return null;
  }
}

function findText(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) return '';
  if (Array.isArray(value)) return findText(value[0], depth + 1);
  if (!isJsonObject(value)) return '';
  for (const key of TEXT_KEYS) {
    const found = value[key];
    if (typeof found === 'string' && found.trim() !== '') return found;
  }
  for (const key of TEXT_KEYS) {
    const found = findText(value[key], depth + 1);
    if (found !== '') return found;
  }
  return '';
}

/** Ends of a value and of a row; stands for NULL. Control characters that texts of records hardly hold. */
const VALUE_END = 0x1f;
const ROW_END = 0x1e;
const NONE = 0x00;
const CHUNK_BYTES = 65_536;
const ROW_BYTES = 4096;

export type StoredValue = string | number | null;

/** What a digest runs over. */
export interface DigestedRow {
  readonly values: readonly StoredValue[];
  readonly texts?: readonly StoredValue[];
}

export interface RowDigest {
  /** Adds one stored row: its values in the order of its tables, without keys, and its texts. */
  add(row: DigestedRow): void;
  /** SHA-256 of all rows, as hex. */
  finish(): string;
}

/**
 * Begins the checksum over what is stored of a page: its records or groups in the order received, then what was
 * set aside. Beside the checksum of the bytes received it shows damage of rows, and which pages say the same though
 * their bytes differ, in a time measured or a cursor.
 */
export function createRowDigest(): RowDigest {
  const hash = createHash('sha256');
  // Room for a row beyond a chunk, which grows for a longer one.
  const rows: TextBytes = { bytes: Buffer.allocUnsafe(CHUNK_BYTES + ROW_BYTES), at: 0 };
  const flush = (): void => {
    hash.update(rows.bytes.subarray(0, rows.at));
    rows.at = 0;
  };
  return {
    add({ values, texts = [] }) {
      for (const value of values) writeValue(rows, value);
      for (const value of texts) writeValue(rows, value);
      writeByte(rows, ROW_END);
      if (rows.at >= CHUNK_BYTES) flush();
    },
    finish() {
      flush();
      return hash.digest('hex');
    },
  };
}

function writeValue(rows: TextBytes, value: StoredValue): void {
  if (typeof value === 'string') writeText(rows, value);
  else if (typeof value === 'number') writeNumber(rows, value);
  else writeByte(rows, NONE);
  writeByte(rows, VALUE_END);
}

/** From this length on, checksums run over the beginning of a payload as well, as they always have. */
const BEGINNING_FROM_CHARACTERS = 2000;
const BEGINNING_CHARACTERS = 120;

/** The long texts of a record, and what of it the specification doesn't define. */
type DigestedTexts = Readonly<Record<ContentName, string | null>> & {
  readonly extra: Readonly<Record<string, unknown>>;
};

/**
 * What checksums and marks run over, of the values of a record's columns and its texts. A field that became known later is
 * among what the specification doesn't define, as it was before.
 */
export function toDigested(
  { columns, contentNames, later }: RecordTable,
  values: readonly StoredValue[],
  texts: DigestedTexts,
): Required<DigestedRow> {
  const { payload } = texts;
  if (later.length === 0)
    return {
      values,
      texts: [toBeginning(payload ?? ''), toExtra(texts.extra), ...contentNames.map((name) => texts[name])],
    };
  const known = later.map(({ name, wireName }): [string, unknown] => {
    const at = columns.findIndex((column) => column.name === name);
    return [wireName, at === -1 ? texts[name as ContentName] : values[at]];
  });
  const isLater = new Set<string>(later.map(({ name }) => name));
  return {
    values: values.filter((_value, at) => !isLater.has(columns[at]?.name ?? '')),
    texts: [
      toBeginning(payload ?? ''),
      toExtra({ ...texts.extra, ...Object.fromEntries(known) }),
      ...contentNames.filter((name) => !isLater.has(name)).map((name) => texts[name]),
    ],
  };
}

function toBeginning(payload: string): string | null {
  if (payload.length < BEGINNING_FROM_CHARACTERS) return null;
  return Array.from(payload.slice(0, BEGINNING_CHARACTERS * 2))
    .slice(0, BEGINNING_CHARACTERS)
    .join('');
}

/**
 * Fields that the specification doesn't know, as JSON in the order of their names; null for none. An empty one is as good as
 * none. Digits are text here.
 */
function toExtra(extra: Readonly<Record<string, unknown>>): string | null {
  const names = Object.keys(extra).filter((name) => extra[name] !== null && extra[name] !== '');
  if (names.length === 0) return null;
  return JSON.stringify(Object.fromEntries(names.sort().map((name) => [name, extra[name]])), toStableValue);
}

function toStableValue(_name: string, value: unknown): unknown {
  const digits = toRawDigits(value);
  if (digits === null) return value;
  return Number.isFinite(Number(digits)) ? digits : null;
}

/** The values of a summary's groups, for the same purpose. */
export const SELECT_DIGEST_GROUPS = `SELECT ${GROUP_COLUMNS.map(({ column }) => column).join(', ')} FROM summary_groups WHERE snapshot_id = ? AND seq >= ? AND seq < ? ORDER BY seq`;

/** Provenance of a page, kept with it in the journal. */
export interface PageToStore {
  readonly snapshotId: number;
  readonly cursorSent: string;
  readonly requestedAtMs: number;
  readonly receivedAtMs: number;
  readonly status: number;
  /** Zone of dates that carry none. */
  readonly zone: string;
  /** Records requested, to recognise a shorter page. */
  readonly sizeAsked?: number;
  /** Places from which a secret was removed that the service sent back: the page is kept without it. */
  readonly removedSecrets?: number;
}

/** What is known once a page is parsed, before it is written. */
export interface PageHead {
  readonly recordCount: number;
  readonly totalDocument: number | null;
  /** The cursor of the next page; null at the end of the report. */
  readonly nextCursor: string | null;
  /** Why the walk ends here; null while it goes on. */
  readonly end: 'empty-page' | 'no-cursor' | 'total-reached' | 'cursor-repeated' | null;
}

export interface IncomingPage {
  readonly page: PageToStore;
  readonly bytes: ArrayBuffer;
}
