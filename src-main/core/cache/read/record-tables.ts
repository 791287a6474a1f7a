import type { RecordRow } from '../../../common/model/record.ts';
import type { Direction, ReportKind } from '../../../common/reporting/reports.ts';

/** Records of a snapshot have the ids [snapshotId * SPAN, (snapshotId + 1) * SPAN): safe integers up to snapshot 2^21. */
export const RECORD_ID_SPAN = 2 ** 32;
/** The most rows that one statement scans, since a statement can't be interrupted. */
export const SCAN_ROWS = 50_000;
export const PREVIEW_CHARACTERS = 120;

/** Names of a direction's tables. */
export function toTables(direction: Direction): { records: string; texts: string } {
  return { records: `${direction}_records`, texts: `${direction}_texts` };
}

/** Direction of a report. */
export function toDirection(report: ReportKind): Direction {
  return report.startsWith('inbound') ? 'inbound' : 'outbound';
}

/** True for a report of single records. */
export function isDetail(report: ReportKind): boolean {
  return report === 'inbound-detail' || report === 'outbound-detail';
}

/** The id of a record. */
export function toRecordId(snapshotId: number, seq: number): number {
  return snapshotId * RECORD_ID_SPAN + seq;
}

/** One row as it lies in the tables; `own` is bot latency or action id. */
export interface StoredRow {
  readonly record_id: number;
  readonly date_text: string;
  readonly date_ms: number | null;
  readonly session_id: string;
  readonly channel: number | null;
  readonly service: number | null;
  readonly client: string;
  readonly response_time_ms: number | null;
  readonly response_code: number | null;
  readonly error: string;
  readonly origin: string;
  readonly bot_latency_ms?: number | null;
  readonly action_id?: string | null;
  readonly preview: string;
}

/** A statement's beginning that reads whole rows for `toRow`. */
export function selectRows(direction: Direction, more = ''): string {
  const { records, texts } = toTables(direction);
  return (
    `SELECT r.*, coalesce(t.preview, substr(t.payload, 1, ${PREVIEW_CHARACTERS})) AS preview${more} ` +
    `FROM ${records} AS r JOIN ${texts} AS t ON t.record_id = r.record_id`
  );
}

/** A row of the tables in the application's words. */
export function toRow(row: StoredRow): RecordRow {
  return {
    seq: row.record_id % RECORD_ID_SPAN,
    dateText: row.date_text,
    dateMs: row.date_ms,
    sessionId: row.session_id,
    channel: row.channel,
    service: row.service,
    client: row.client,
    responseTimeMs: row.response_time_ms,
    responseCode: row.response_code,
    error: row.error,
    origin: row.origin,
    botLatencyMs: row.bot_latency_ms ?? null,
    actionId: row.action_id ?? null,
    payloadPreview: row.preview,
  };
}
