import { createHash } from 'node:crypto';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { GROUP_COLUMNS, RECORD_TABLES } from '../read/record-tables.ts';

/** Ends of a value and of a row; stands for NULL. Control characters that texts of records hardly hold. */
const VALUE_END = '\u001f';
const ROW_END = '\u001e';
const NONE = '\u0000';
const CHUNK_CHARACTERS = 65_536;

export type StoredValue = string | number | null;

export interface RowDigest {
  /** Adds one stored row: its values in the order of its tables, without keys. */
  add(values: readonly StoredValue[], more?: readonly StoredValue[]): void;
  /** SHA-256 of all rows, as hex. */
  finish(): string;
}

/**
 * Begins the checksum over what is stored of a page: its records or groups in the order received, then what was
 * set aside. The checksum of the bytes received can't be computed again, as they are not kept; this one can.
 */
export function createRowDigest(): RowDigest {
  const hash = createHash('sha256');
  let text = '';
  return {
    add(values, more = []) {
      for (const value of values) text += String(value ?? NONE) + VALUE_END;
      for (const value of more) text += String(value ?? NONE) + VALUE_END;
      text += ROW_END;
      if (text.length < CHUNK_CHARACTERS) return;
      hash.update(text);
      text = '';
    },
    finish: () => hash.update(text).digest('hex'),
  };
}

/** The statement that reads the stored values of a record again, in the order in which they were added. */
export function selectDigestRows(kind: DetailKind): string {
  const { records, recordColumns, texts, textColumns } = RECORD_TABLES[kind];
  const columns = [
    ...recordColumns.map(({ column }) => `r.${column}`),
    ...textColumns.map(({ column }) => `t.${column}`),
  ];
  return `SELECT ${columns.join(', ')} FROM ${records} AS r LEFT JOIN ${texts} AS t ON t.record_id = r.record_id
     WHERE r.record_id >= ? AND r.record_id < ? ORDER BY r.record_id`;
}

/** The values of a summary's groups, for the same purpose. */
export const SELECT_DIGEST_GROUPS = `SELECT ${GROUP_COLUMNS.map(({ column }) => column).join(', ')} FROM summary_groups WHERE snapshot_id = ? AND seq >= ? AND seq < ? ORDER BY seq`;
