import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { RecordCounter } from './count-records.ts';
import { ImportStore } from './import-records.ts';
import { CHECKPOINT_PAGES } from '../../node/open-database.ts';
import { openStoreDatabase, toDatabasePath } from './open-database.ts';
import { StoreProperties } from './properties.ts';
import { ActivityReader } from './read-activity.ts';
import { DetailReader } from './read-details.ts';
import { SummaryReader } from './read-summaries.ts';
import { TrafficGroups } from './traffic-groups.ts';
import { RecordWriter } from './write-records.ts';

const BULK_CHECKPOINT_PAGES = 8000;

/** The service's records and what it knows about itself. One connection, one thread. */
export interface RecordStore {
  readonly properties: StoreProperties;
  readonly groups: TrafficGroups;
  readonly writer: RecordWriter;
  readonly details: DetailReader;
  readonly counter: RecordCounter;
  readonly summaries: SummaryReader;
  readonly activity: ActivityReader;
  readonly imports: ImportStore;
  /** Database and write-ahead log together. */
  measureBytes(): number;
  /** All or nothing; what `work` throws is thrown on. */
  runInTransaction(work: () => void): void;
  /**
   * For many transactions that can be made again: the store is sound at any time, but what is written is
   * sure to outlast a power failure only at the end. A slow disk would take most of the time else.
   */
  runInBulk(work: () => void): void;
  close(): void;
}

/** Opens or creates the store of a data folder. Throws AppError `local-service.start-failed`. */
export function openRecordStore(dataFolder: string): RecordStore {
  const db = openStoreDatabase(dataFolder);
  const path = toDatabasePath(dataFolder);
  const properties = new StoreProperties(db);
  const groups = new TrafficGroups(db);
  return {
    properties,
    groups,
    writer: new RecordWriter(db, groups, properties),
    details: new DetailReader(db),
    counter: new RecordCounter(db),
    summaries: new SummaryReader(db),
    activity: new ActivityReader(db),
    imports: new ImportStore(db),
    measureBytes: () => sizeOf(path) + sizeOf(`${path}-wal`),
    runInTransaction: (work) => {
      try {
        db.transaction(work).immediate();
      } catch (error) {
        groups.reload();
        throw error;
      }
    },
    runInBulk: (work) => {
      db.pragma('synchronous = NORMAL');
      db.pragma(`wal_autocheckpoint = ${BULK_CHECKPOINT_PAGES}`);
      try {
        work();
      } finally {
        db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
        db.pragma('synchronous = FULL');
        db.pragma('wal_checkpoint(TRUNCATE)');
      }
    },
    close: () => {
      closeDatabase(db);
    },
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function closeDatabase(db: Database): void {
  if (!db.open) return;
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}
