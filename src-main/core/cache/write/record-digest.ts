import { createHash } from 'node:crypto';
import { toRawDigits } from '../../../common/json/exact-json.ts';
import type { ContentName } from '../../../common/reporting/field-values.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { writeByte, writeNumber, writeText, type TextBytes } from '../../../node/text-bytes.ts';
import { GROUP_COLUMNS, RECORD_TABLES } from '../read/record-tables.ts';

/** Ends of a value and of a row; stands for NULL. Control characters that texts of records hardly hold. */
const VALUE_END = 0x1f;
const ROW_END = 0x1e;
const NONE = 0x00;
const CHUNK_BYTES = 65_536;
const ROW_BYTES = 4096;

export type StoredValue = string | number | null;

export interface RowDigest {
  /** Adds one stored row: its values in the order of its tables, without keys. */
  add(values: readonly StoredValue[], more?: readonly StoredValue[]): void;
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
    add(values, more = []) {
      for (const value of values) writeValue(rows, value);
      for (const value of more) writeValue(rows, value);
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

/** The texts of a record in the order of its checksum, after the values of its columns. */
export function listTextValues(
  kind: DetailKind,
  texts: Readonly<Record<ContentName, string | null>> & { readonly extra: Readonly<Record<string, unknown>> },
): StoredValue[] {
  const values: StoredValue[] = [toBeginning(texts.payload ?? ''), toExtra(texts.extra)];
  for (const name of RECORD_TABLES[kind].contentNames) values.push(texts[name]);
  return values;
}

function toBeginning(payload: string): string | null {
  if (payload.length < BEGINNING_FROM_CHARACTERS) return null;
  return Array.from(payload.slice(0, BEGINNING_CHARACTERS * 2))
    .slice(0, BEGINNING_CHARACTERS)
    .join('');
}

/** Fields that the specification doesn't know, as JSON; null for none. Digits are text here, as they always have been. */
function toExtra(extra: Readonly<Record<string, unknown>>): string | null {
  for (const _name in extra) return JSON.stringify(extra, toStableValue);
  return null;
}

function toStableValue(_name: string, value: unknown): unknown {
  const digits = toRawDigits(value);
  if (digits === null) return value;
  return Number.isFinite(Number(digits)) ? digits : null;
}

/** The values of a summary's groups, for the same purpose. */
export const SELECT_DIGEST_GROUPS = `SELECT ${GROUP_COLUMNS.map(({ column }) => column).join(', ')} FROM summary_groups WHERE snapshot_id = ? AND seq >= ? AND seq < ? ORDER BY seq`;
