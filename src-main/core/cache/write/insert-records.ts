import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { DetailRecord } from '../../../common/reporting/read-record.ts';
import type { Database } from '../../../node/open-database.ts';
import type { RowDigest } from './record-digest.ts';
import { PREVIEW_CHARACTERS, RECORD_TABLES, toRecordId, type TextName } from '../read/record-tables.ts';

/** Below this length a payload is read itself for its beginning. */
const PREVIEW_FROM_CHARACTERS = 2000;

/**
 * Prepares the writing of a report's records: from a place in the snapshot on, each added to the digest
 * as it is stored.
 */
export function prepareInsert(
  database: Database,
  kind: DetailKind,
): (snapshotId: number, firstSeq: number, records: readonly DetailRecord[], digest: RowDigest) => void {
  const tables = RECORD_TABLES[kind];
  const insertRecord = prepareRow(database, tables.records, tables.recordColumns);
  const insertText = prepareRow(database, tables.texts, tables.textColumns);
  const narrowNames = tables.recordColumns.map(({ name }) => name);
  const textNames = tables.textColumns.map(({ name }) => name);
  return (snapshotId, firstSeq, records, digest) => {
    let recordId = toRecordId(snapshotId, firstSeq);
    for (const record of records) {
      const narrow = narrowNames.map((name) => record[name]);
      const texts = textNames.map((name) => toStoredText(record, name));
      insertRecord.run(recordId, narrow);
      insertText.run(recordId, texts);
      digest.add(narrow, texts);
      recordId += 1;
    }
  };
}

function prepareRow(database: Database, table: string, columns: readonly { readonly column: string }[]) {
  const names = columns.map(({ column }) => column).join(', ');
  return database.prepare(
    `INSERT INTO ${table} (record_id, ${names}) VALUES (?${', ?'.repeat(columns.length)})`,
  );
}

function toStoredText(record: DetailRecord, name: TextName): string | null {
  if (name === 'preview') return toPreview(record.payload);
  return name === 'extra' ? toExtra(record.extra) : record[name];
}

function toPreview(payload: string): string | null {
  if (payload.length < PREVIEW_FROM_CHARACTERS) return null;
  return Array.from(payload.slice(0, PREVIEW_CHARACTERS * 2))
    .slice(0, PREVIEW_CHARACTERS)
    .join('');
}

/** Fields that the specification doesn't know, as JSON; null for none. */
export function toExtra(extra: Readonly<Record<string, unknown>>): string | null {
  for (const _name in extra) return JSON.stringify(extra);
  return null;
}
