import { statSync } from 'node:fs';
import { findErrorCode } from '../../node/error-text.ts';
import { CHECKPOINT_PAGES } from '../../node/open-database.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { TrafficBatch } from '../store/records.ts';
import { createGroupTable } from './group-table.ts';
import { openStoreDatabase, toDatabasePath } from './open-database.ts';
import { createCounterTable, createPropertyTable } from './property-table.ts';
import { createActivityReader, createNewestReader } from './read-activity.ts';
import { createDetailReader } from './read-details.ts';
import { createSummaryReader } from './read-summaries.ts';
import { createRecordCounter } from './record-counter.ts';
import { createSessionTable } from './session-table.ts';
import { createSqliteImport } from './sqlite-import.ts';
import { createRecordWriter } from './write-records.ts';

const BULK_CHECKPOINT_PAGES = 8000;

/**
 * Opens or creates the store of a data folder: one connection, one thread, no other process. Each method
 * runs to its end before it returns its promise, which is what makes it atomic. Throws AppError
 * `local-service.start-failed`.
 */
export function openSqliteStore(dataFolder: string): RecordStore {
  const db = openStoreDatabase(dataFolder);
  const path = toDatabasePath(dataFolder);
  const groups = createGroupTable(db);
  const sessions = createSessionTable(db);
  const properties = createPropertyTable(db);
  const counters = createCounterTable(db);
  const writer = createRecordWriter(db, groups, counters);
  const readDetails = createDetailReader(db, { groups, sessions, count: createRecordCounter(db) });
  const readSummary = createSummaryReader(db, groups, sessions);
  const readActivity = createActivityReader(db);

  /** What a function throws becomes a rejection. */
  const run =
    <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
    (...args: Args): Promise<Result> =>
      new Promise((resolve) => {
        try {
          resolve(work(...args));
        } catch (error) {
          // Pages of a damaged file must not stay in memory: the file may be whole at the next attempt.
          if (findErrorCode(error)?.startsWith('SQLITE_CORRUPT') === true) db.pragma('shrink_memory');
          throw error;
        }
      });
  const transact = <Result>(work: () => Result): Result => {
    try {
      return db.transaction(work).immediate();
    } catch (error) {
      groups.reload();
      writer.reset();
      throw error;
    }
  };
  const writeBatch = (batch: TrafficBatch): void => {
    transact(() => {
      writer.write('inbound', batch.inbound);
      writer.write('outbound', batch.outbound);
      properties.setAll(batch.properties ?? {});
    });
  };
  // A slow disk would take most of the time if each of many transactions waited for it.
  const writeBatches = (batches: Iterable<TrafficBatch>): void => {
    db.pragma('synchronous = NORMAL');
    db.pragma(`wal_autocheckpoint = ${BULK_CHECKPOINT_PAGES}`);
    try {
      for (const batch of batches) writeBatch(batch);
    } finally {
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      db.pragma('synchronous = FULL');
      db.pragma('wal_checkpoint(TRUNCATE)');
    }
  };
  return {
    readDetailPage: run(readDetails),
    readSummary: run(readSummary),
    readActivity: run(readActivity),
    writeBatch: run(writeBatch),
    writeBatches: run(writeBatches),
    openImport: run((isSame) => {
      const addBatch = createSqliteImport(db, { groups, sessions, counters, writer }, isSame);
      return {
        addBatch: run((records, values = {}) =>
          transact(() => {
            const result = addBatch(records);
            properties.setAll(values);
            return result;
          }),
        ),
        close: () => Promise.resolve(),
      };
    }),
    readProperties: run(properties.readAll),
    writeProperties: run((values) => {
      transact(() => {
        properties.setAll(values);
      });
    }),
    readSize: run(() => ({
      inboundRecords: counters.get('inbound_arrival'),
      outboundRecords: counters.get('outbound_arrival'),
      bytes: sizeOf(path) + sizeOf(`${path}-wal`),
    })),
    readNewestMs: run(createNewestReader(db)),
    shared: null,
    isTransientError: (error) => findErrorCode(error)?.startsWith('SQLITE_') === true,
    close: run(() => {
      if (!db.open) return;
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.close();
    }),
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
