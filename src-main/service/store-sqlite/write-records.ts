import type { Database } from '../../node/open-database.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import type { ImportedRecord, NewInboundRecord, NewOutboundRecord } from '../store/records.ts';
import { addToSums } from '../store/group-sums.ts';
import { orderByDate } from '../store/order-by-date.ts';
import type { GroupTable } from './group-table.ts';
import type { CounterTable } from './property-table.ts';
import { createRollupWriter } from './rollup-writer.ts';
import { createRowInserter } from './row-inserter.ts';

/** A record of either direction; an imported one has a session below 0. */
type NewRecord = Omit<NewInboundRecord & NewOutboundRecord, 'botLatencyMs' | 'actionId' | 'responseCode'> &
  Pick<ImportedRecord, 'responseCode'> &
  Partial<Pick<NewInboundRecord, 'botLatencyMs'>> &
  Partial<Pick<NewOutboundRecord, 'actionId'>>;

/** Writes records and everything derived from them, inside the caller's transaction. */
export interface RecordWriter {
  /** Returns the arrival of the first record; the others follow without a gap. */
  write(direction: Direction, records: readonly NewRecord[]): number;
  /** Drops what is left of a write that failed. */
  reset(): void;
}

/** Prepares the writing of records with their rollups and counters. */
export function createRecordWriter(db: Database, groups: GroupTable, counters: CounterTable): RecordWriter {
  const rollups = createRollupWriter(db);
  const inserters = {
    inbound: createRowInserter(db, 'inbound_record', 6),
    outbound: createRowInserter(db, 'outbound_record', 7),
  };

  const insert = (direction: Direction, record: NewRecord, arrival: number): number => {
    const isInbound = direction === 'inbound';
    const groupId = groups.resolveGroup(direction, record, isInbound ? record.origin : '');
    const row = inserters[direction];
    row.push(record.dateMs);
    row.push(arrival);
    row.push(record.session);
    row.push(groupId);
    row.push(record.responseTimeUs);
    if (isInbound) row.push(record.botLatencyMs ?? 0);
    else {
      row.push(record.actionId ?? 0);
      row.push(groups.resolveOrigin(record.origin));
    }
    return groupId;
  };
  return {
    write: (direction, records) => {
      const counter = `${direction}_arrival` as const;
      const first = counters.get(counter) + 1;
      if (records.length === 0) return first;
      const groupIds = records.map((record, index) => insert(direction, record, first + index));
      inserters[direction].finish();
      counters.set(counter, first - 1 + records.length);
      rollups.begin(direction);
      for (const index of orderByDate(records)) {
        const record = records[index];
        if (record === undefined) continue;
        const { dateMs, session, responseTimeUs, botLatencyMs = 0 } = record;
        addToSums(
          rollups.openAt(dateMs),
          groupIds[index] ?? 0,
          1,
          responseTimeUs,
          botLatencyMs,
          dateMs,
          first + index,
          session,
        );
      }
      rollups.finish();
      return first;
    },
    reset: () => {
      inserters.inbound.reset();
      inserters.outbound.reset();
    },
  };
}
