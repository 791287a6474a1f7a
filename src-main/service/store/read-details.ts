import type { Database } from 'better-sqlite3';
import type { Direction } from '../../common/reporting/reports.ts';

/** Where a page begins: after this record. Arrivals count from 1. */
export interface RecordKey {
  readonly dateMs: number;
  readonly arrival: number;
}

export interface InboundRow extends RecordKey {
  readonly session: number;
  readonly groupId: number;
  readonly responseTimeUs: number;
  readonly botLatencyMs: number;
}

export interface OutboundRow extends RecordKey {
  readonly session: number;
  readonly groupId: number;
  readonly responseTimeUs: number;
  readonly actionId: number;
  readonly originId: number;
}

const toPageSql = (direction: Direction, columns: string): string => `
SELECT date_ms AS dateMs, arrival, session, group_id AS groupId, response_time_us AS responseTimeUs, ${columns}
FROM ${direction}_record
WHERE (date_ms, arrival) > (?, ?) AND date_ms < ?
ORDER BY date_ms, arrival
LIMIT ?`;

/** Pages of single records by key, oldest first, ties in order of arrival (decision 9). */
export class DetailReader {
  readonly #inbound;
  readonly #outbound;

  constructor(db: Database) {
    type Bounds = [number, number, number, number];
    this.#inbound = db.prepare<Bounds, InboundRow>(toPageSql('inbound', 'bot_latency_ms AS botLatencyMs'));
    this.#outbound = db.prepare<Bounds, OutboundRow>(
      toPageSql('outbound', 'action_id AS actionId, origin_id AS originId'),
    );
  }

  /** Up to `limit` records after the key and before `toMs`. */
  readInbound(after: RecordKey, toMs: number, limit: number): InboundRow[] {
    return this.#inbound.all(after.dateMs, after.arrival, toMs, limit);
  }

  /** Up to `limit` records after the key and before `toMs`. */
  readOutbound(after: RecordKey, toMs: number, limit: number): OutboundRow[] {
    return this.#outbound.all(after.dateMs, after.arrival, toMs, limit);
  }
}
