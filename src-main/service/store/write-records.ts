import type { Database } from 'better-sqlite3';
import type { Direction } from '../../common/reporting/report-identifiers.ts';
import { accumulateRollups, type RollupCell, type RollupInput } from './accumulate-rollups.ts';
import type { StoreProperties } from './properties.ts';
import { DIRECTION_NUMBERS } from './schema.ts';
import type { TrafficGroups } from './traffic-groups.ts';

interface NewRecord {
  readonly dateMs: number;
  readonly session: number;
  readonly channel: number;
  readonly service: number;
  readonly origin: string;
  readonly responseCode: number;
  readonly responseTimeUs: number;
}

export interface NewInboundRecord extends NewRecord {
  readonly botLatencyMs: number;
}

export interface NewOutboundRecord extends NewRecord {
  /** -1 for a request executed by a channel. */
  readonly actionId: number;
}

/** Records in order of arrival, and the first session number that is still free. */
export interface TrafficBatch {
  readonly inbound: readonly NewInboundRecord[];
  readonly outbound: readonly NewOutboundRecord[];
  readonly nextSession: number;
}

const ROLLUP_SQL = `
INSERT INTO rollup VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
  records = records + excluded.records,
  response_time_us = response_time_us + excluded.response_time_us,
  bot_latency_ms = bot_latency_ms + excluded.bot_latency_ms,
  newest_session = iif((excluded.newest_ms, excluded.newest_arrival) > (newest_ms, newest_arrival),
    excluded.newest_session, newest_session),
  newest_arrival = iif((excluded.newest_ms, excluded.newest_arrival) > (newest_ms, newest_arrival),
    excluded.newest_arrival, newest_arrival),
  newest_ms = max(excluded.newest_ms, newest_ms)`;

const COUNT_SQL = `
INSERT INTO record_count VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET records = records + excluded.records`;

/** Writes records and everything derived from them in one transaction. */
export class RecordWriter {
  readonly #groups: TrafficGroups;
  readonly #properties: StoreProperties;
  readonly #insertInbound;
  readonly #insertOutbound;
  readonly #addRollup;
  readonly #addCount;
  readonly #writeAll: (batch: TrafficBatch) => void;

  constructor(db: Database, groups: TrafficGroups, properties: StoreProperties) {
    this.#groups = groups;
    this.#properties = properties;
    this.#insertInbound = db.prepare<number[]>('INSERT INTO inbound_record VALUES (?, ?, ?, ?, ?, ?)');
    this.#insertOutbound = db.prepare<number[]>('INSERT INTO outbound_record VALUES (?, ?, ?, ?, ?, ?, ?)');
    this.#addRollup = db.prepare<number[]>(ROLLUP_SQL);
    this.#addCount = db.prepare<number[]>(COUNT_SQL);
    const transaction = db.transaction((batch: TrafficBatch) => {
      this.#write(batch);
    });
    this.#writeAll = (batch) => {
      transaction.immediate(batch);
    };
  }

  /** All or nothing. Throws SqliteError, for example when the disk is full. */
  writeBatch(batch: TrafficBatch): void {
    try {
      this.#writeAll(batch);
    } catch (error) {
      this.#groups.reload();
      throw error;
    }
  }

  #write(batch: TrafficBatch): void {
    const inbound = this.#insertInboundRecords(batch.inbound);
    const outbound = this.#insertOutboundRecords(batch.outbound);
    this.#addRollups('inbound', inbound);
    this.#addRollups('outbound', outbound);
    let newestMs = this.#properties.getCounter('newest_ms');
    for (const record of [...inbound.slice(-1), ...outbound.slice(-1)]) {
      newestMs = Math.max(newestMs, record.dateMs);
    }
    this.#properties.setCounter('newest_ms', newestMs);
    this.#properties.setCounter('session', batch.nextSession);
  }

  #insertInboundRecords(records: readonly NewInboundRecord[]): RollupInput[] {
    let arrival = this.#properties.getCounter('inbound_arrival');
    const written = records.map((record) => {
      arrival += 1;
      const { dateMs, session, channel, service, origin, responseCode, responseTimeUs, botLatencyMs } =
        record;
      const groupId = this.#groups.resolveGroup('inbound', channel, service, origin, responseCode);
      this.#insertInbound.run(dateMs, arrival, session, groupId, responseTimeUs, botLatencyMs);
      return { dateMs, arrival, session, groupId, responseTimeUs, botLatencyMs };
    });
    this.#properties.setCounter('inbound_arrival', arrival);
    return written;
  }

  #insertOutboundRecords(records: readonly NewOutboundRecord[]): RollupInput[] {
    let arrival = this.#properties.getCounter('outbound_arrival');
    const written = records.map((record) => {
      arrival += 1;
      const { dateMs, session, channel, service, origin, responseCode, responseTimeUs, actionId } = record;
      const groupId = this.#groups.resolveGroup('outbound', channel, service, '', responseCode);
      const originId = this.#groups.resolveOrigin(origin);
      this.#insertOutbound.run(dateMs, arrival, session, groupId, responseTimeUs, actionId, originId);
      return { dateMs, arrival, session, groupId, responseTimeUs, botLatencyMs: 0 };
    });
    this.#properties.setCounter('outbound_arrival', arrival);
    return written;
  }

  #addRollups(direction: Direction, records: readonly RollupInput[]): void {
    const directionNumber = DIRECTION_NUMBERS[direction];
    const counts = new Map<string, { tierMs: number; startMs: number; records: number }>();
    for (const cell of accumulateRollups(records)) {
      this.#addRollup.run(...toRollupRow(directionNumber, cell));
      const key = `${cell.tierMs}:${cell.startMs}`;
      const count = counts.get(key);
      if (count === undefined) {
        counts.set(key, { tierMs: cell.tierMs, startMs: cell.startMs, records: cell.records });
      } else {
        count.records += cell.records;
      }
    }
    for (const count of counts.values()) {
      this.#addCount.run(directionNumber, count.tierMs, count.startMs, count.records);
    }
  }
}

function toRollupRow(direction: number, cell: RollupCell): number[] {
  return [
    direction,
    cell.tierMs,
    cell.startMs,
    cell.groupId,
    cell.records,
    cell.responseTimeUs,
    cell.botLatencyMs,
    cell.newestMs,
    cell.newestArrival,
    cell.newestSession,
  ];
}
