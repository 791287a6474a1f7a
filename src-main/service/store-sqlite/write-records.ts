import type { Database } from '../../node/open-database.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import type { ImportedRecord, NewInboundRecord, NewOutboundRecord } from '../store/records.ts';
import { addToSums } from '../store/group-sums.ts';
import { orderByDate } from '../store/order-by-date.ts';
import type { GroupTable } from './group-table.ts';
import type { CounterTable } from './property-table.ts';
import { addCells, packCells } from '../store/rollup-cells.ts';
import {
  createRollupSummer,
  MAX_FRESH_GROUPS,
  type OpenRollup,
  type RollupSummer,
} from '../store/sum-rollups.ts';
import { DIRECTION_NUMBERS } from './schema.ts';

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

/**
 * Adds records to the rollups of every size, inside the caller's transaction. A rollup's few newest changes lie apart
 * from its bulk as "fresh" until they are worth rewriting it for.
 */
interface RollupWriter extends Pick<RollupSummer, 'openAt' | 'finish'> {
  /** Starts anew; what was added and not finished is dropped. */
  begin(direction: Direction): void;
}

const COUNT_SQL = `
INSERT INTO record_count VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET records = records + excluded.records`;

/** Prepares the writing of rollups. */
function createRollupWriter(db: Database): RollupWriter {
  type Key = [direction: number, tierMs: number, startMs: number, fresh: number];
  const where = 'WHERE direction = ? AND tier_ms = ? AND start_ms = ? AND fresh = ?';
  const read = db.prepare<Key, Uint8Array>(`SELECT cells FROM rollup ${where}`).pluck();
  const write = db.prepare<[...Key, Uint8Array]>(
    'INSERT INTO rollup VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET cells = excluded.cells',
  );
  const remove = db.prepare<Key>(`DELETE FROM rollup ${where}`);
  const count = db.prepare<Key>(COUNT_SQL);
  let direction: number = DIRECTION_NUMBERS.inbound;

  const store = ({ tierMs, startMs, sums }: OpenRollup): void => {
    count.run(direction, tierMs, startMs, sums.recordCount);
    const addStored = (fresh: number): boolean => {
      const stored = read.get(direction, tierMs, startMs, fresh);
      if (stored !== undefined) addCells(sums, stored, startMs);
      return stored !== undefined;
    };
    const hadFresh = addStored(1);
    const isBulk = sums.groupIds.length > MAX_FRESH_GROUPS;
    if (isBulk) {
      addStored(0);
      if (hadFresh) remove.run(direction, tierMs, startMs, 1);
    }
    write.run(direction, tierMs, startMs, isBulk ? 0 : 1, packCells(sums, startMs));
  };
  const summer = createRollupSummer(store);
  return {
    begin: (of) => {
      direction = DIRECTION_NUMBERS[of];
      summer.begin();
    },
    openAt: summer.openAt,
    finish: summer.finish,
  };
}

// Beyond this many rows a statement gains nothing.
const ROWS_AT_ONCE = 50;

/** Inserts rows of numbers into one table, many by each statement, which takes half the time of one by one. */
interface RowInserter {
  /** Adds the next value of the current row. A statement runs once its rows are complete. */
  push(value: number): void;
  /** Inserts the rows that are left. */
  finish(): void;
  /** Drops the rows that are left, after a failure. */
  reset(): void;
}

/** Prepares the inserting of rows with this many columns into a table. */
function createRowInserter(db: Database, table: string, columns: number): RowInserter {
  const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  const rows = Array.from({ length: ROWS_AT_ONCE }, () => row).join(', ');
  const insertMany = db.prepare<[number[]]>(`INSERT INTO ${table} VALUES ${rows}`);
  const insertOne = db.prepare<[number[]]>(`INSERT INTO ${table} VALUES ${row}`);
  const values = Array.from({ length: columns * ROWS_AT_ONCE }, () => 0);
  let filled = 0;
  return {
    push: (value) => {
      values[filled] = value;
      filled += 1;
      if (filled < values.length) return;
      filled = 0;
      insertMany.run(values);
    },
    finish: () => {
      for (let at = 0; at < filled; at += columns) insertOne.run(values.slice(at, at + columns));
      filled = 0;
    },
    reset: () => {
      filled = 0;
    },
  };
}
