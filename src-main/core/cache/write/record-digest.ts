import { createHash } from 'node:crypto';
import type { Direction } from '../../../common/reporting/reports.ts';
import { toTables } from '../read/record-tables.ts';

/** Ends of a value and of a row; stands for NULL. Control characters that texts of records hardly hold. */
const VALUE_END = '\u001f';
const ROW_END = '\u001e';
const NONE = '\u0000';
const CHUNK_CHARACTERS = 65_536;

export interface RowDigest {
  /** Adds one stored row: its values in the order of its table, without keys. */
  add(values: readonly (string | number | null)[]): void;
  /** SHA-256 of all rows, as hex. */
  finish(): string;
}

/**
 * Begins the checksum over what is stored of a page: its records or groups in the order received, then what was
 * set aside. The checksum of the bytes received can't be worked out again, as they are not kept; this one can.
 */
export function createRowDigest(): RowDigest {
  const hash = createHash('sha256');
  let text = '';
  return {
    add(values) {
      for (const value of values) text += String(value ?? NONE) + VALUE_END;
      text += ROW_END;
      if (text.length < CHUNK_CHARACTERS) return;
      hash.update(text);
      text = '';
    },
    finish: () => hash.update(text).digest('hex'),
  };
}

/** The statement that reads the stored values of a record again, in the order in which they were added. */
export function selectDigestRows(direction: Direction): string {
  const { records, texts } = toTables(direction);
  const [own, more] = direction === 'inbound' ? ['bot_latency_ms', ''] : ['action_id', ', t.response'];
  return `SELECT r.date_text, r.date_ms, r.session_id, r.channel, r.service, r.client, r.response_time_ms,
       r.response_code, r.error, r.origin, r.${own}, t.preview, t.extra, t.payload${more}
     FROM ${records} AS r LEFT JOIN ${texts} AS t ON t.record_id = r.record_id
     WHERE r.record_id >= ? AND r.record_id < ? ORDER BY r.record_id`;
}

/** The values of a summary's groups, for the same purpose. */
export const SELECT_DIGEST_GROUPS = `SELECT channel, service, origin, response_code, request_count,
       average_response_time_ms, average_bot_latency_ms, session_id
     FROM summary_groups WHERE snapshot_id = ? AND seq >= ? AND seq < ? ORDER BY seq`;
