import type { Database } from 'better-sqlite3';
import type { Direction } from '../../common/reporting/reports.ts';
import { RowInserter } from './insert-rows.ts';
import type { StoreProperties } from './properties.ts';
import type { TrafficGroups } from './traffic-groups.ts';
import { RollupWriter } from './write-rollups.ts';

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

/** Writes records and everything derived from them in one transaction. */
export class RecordWriter {
  readonly #groups: TrafficGroups;
  readonly #properties: StoreProperties;
  readonly #rollups: RollupWriter;
  readonly #inserters: Readonly<Record<Direction, RowInserter>>;
  readonly #writeAll: (batch: TrafficBatch) => void;

  constructor(db: Database, groups: TrafficGroups, properties: StoreProperties) {
    this.#groups = groups;
    this.#properties = properties;
    this.#rollups = new RollupWriter(db);
    this.#inserters = {
      inbound: new RowInserter(db, 'inbound_record', 6),
      outbound: new RowInserter(db, 'outbound_record', 7),
    };
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
      for (const inserter of Object.values(this.#inserters)) inserter.reset();
      throw error;
    }
  }

  #write(batch: TrafficBatch): void {
    const newestMs = Math.max(
      this.#properties.getCounter('newest_ms'),
      this.#writeInbound(batch.inbound),
      this.#writeOutbound(batch.outbound),
    );
    this.#properties.setCounter('newest_ms', newestMs);
    this.#properties.setCounter('session', batch.nextSession);
  }

  #writeInbound(records: readonly NewInboundRecord[]): number {
    const row = this.#inserters.inbound;
    return this.#writeRecords('inbound', records, (record, arrival) => {
      const { channel, service, origin, responseCode } = record;
      const groupId = this.#groups.resolveGroup('inbound', channel, service, origin, responseCode);
      row.push(record.dateMs);
      row.push(arrival);
      row.push(record.session);
      row.push(groupId);
      row.push(record.responseTimeUs);
      row.push(record.botLatencyMs);
      return groupId;
    });
  }

  #writeOutbound(records: readonly NewOutboundRecord[]): number {
    const row = this.#inserters.outbound;
    return this.#writeRecords('outbound', records, (record, arrival) => {
      const { channel, service, responseCode } = record;
      const groupId = this.#groups.resolveGroup('outbound', channel, service, '', responseCode);
      row.push(record.dateMs);
      row.push(arrival);
      row.push(record.session);
      row.push(groupId);
      row.push(record.responseTimeUs);
      row.push(record.actionId);
      row.push(this.#groups.resolveOrigin(record.origin));
      return groupId;
    });
  }

  /** Answers the newest date, 0 without records. `insert` answers the record's group. */
  #writeRecords<R extends NewRecord & { readonly botLatencyMs?: number }>(
    direction: Direction,
    records: readonly R[],
    insert: (record: R, arrival: number) => number,
  ): number {
    if (records.length === 0) return 0;
    const counter = `${direction}_arrival` as const;
    const before = this.#properties.getCounter(counter);
    const groupIds = records.map((record, index) => insert(record, before + 1 + index));
    this.#inserters[direction].finish();
    this.#properties.setCounter(counter, before + records.length);
    this.#rollups.begin(direction);
    let newestMs = 0;
    for (const index of orderByDate(records)) {
      const record = records[index];
      if (record === undefined) continue;
      const { dateMs, session, responseTimeUs, botLatencyMs = 0 } = record;
      const arrival = before + 1 + index;
      const sums = this.#rollups.openAt(dateMs);
      sums.add(groupIds[index] ?? 0, 1, responseTimeUs, botLatencyMs, dateMs, arrival, session);
      newestMs = dateMs;
    }
    this.#rollups.finish();
    return newestMs;
  }
}

/** Places of the records, oldest first. They mostly come in that order. */
function orderByDate(records: readonly { readonly dateMs: number }[]): Uint32Array {
  const order = Uint32Array.from(records, (_record, index) => index);
  const dateOf = (index: number): number => records[index]?.dateMs ?? 0;
  const isOrdered = records.every((record, index) => index === 0 || dateOf(index - 1) <= record.dateMs);
  return isOrdered ? order : order.sort((a, b) => dateOf(a) - dateOf(b));
}
