import type { DuckDBConnection } from '@duckdb/node-api';
import type { Snapshot } from '../../../../common/model/cache/snapshot.ts';
import { createOutcomeStore, type OutcomesByConnection } from '../outcomes.ts';
import {
  type AppendBatch,
  CHUNK_ROWS,
  createBatchAppender,
  type DateOrder,
  deleteFed,
  type FeedStores,
  loadWatermarks,
  NO_DATES,
  RecordsMissing,
  type Watermark,
} from './append-batch.ts';
import type { FeedSnapshot, FeedSource, FoundPatterns } from './feed-source.ts';
import { createFamilyStore, type FamiliesByConnection } from './keep-families.ts';
import { commit, toEnding } from '../engine-database.ts';

/** What has been fed so far, by snapshot. */
export interface EngineFeed {
  /** Records that this process has fed. */
  readonly fedRecords: number;
  /** Changes when records that were fed are gone, were read again, or got another family or outcome. */
  readonly version: number;
  /** Records of a snapshot that queries see. */
  countFed(snapshotId: number): number;
  /** Whether these are all of its records, as they are now. */
  isFed(snapshot: Pick<Snapshot, 'id' | 'recordCount' | 'reading'>): boolean;
  /** Whether the records of a snapshot came in the order of their dates, each with one: its runs, and within each. */
  isInOrder(snapshotId: number): boolean;
  /**
   * Brings the engine up to the cache: deletes what is gone, adds what is new. Rows and watermark of a batch are one
   * transaction, so that a process that dies leaves whole batches. Calls `onProgress` after each batch.
   */
  follow(onProgress?: (progress: FeedProgress) => void): Promise<void>;
  /** The rules that say what failed, from the next `follow` on: until then records are decided by those before. */
  setOutcomes(rules: OutcomesByConnection): void;
  /** What a person made of families, likewise. */
  setFamilies(changes: FamiliesByConnection): void;
  /** Whether records may be decided, or be in families, by rules of an earlier process: what is asked waits for the next `follow`. */
  readonly isUndecided: boolean;
  /** How far each snapshot has been fed. */
  listMarks(): FedMark[];
  /** Patterns of errors that the cache doesn't have yet; each is returned once. */
  takeFound(): FoundPatterns[];
}

/** How far a snapshot has been fed, of which reading of its pages. */
export interface FedMark extends Pick<Watermark, 'recordCount' | 'reading'> {
  readonly snapshotId: number;
}

/** Records that the cache holds, and those of them that have been fed. */
export interface FeedProgress {
  readonly fed: number;
  readonly total: number;
  /** That of the newest batch. */
  readonly mark: FedMark;
}

/**
 * Prepares the feeding over a connection of its own. `onReadAgain` hears of each snapshot whose records are no longer
 * those that queries saw.
 */
export async function createEngineFeed(
  connection: DuckDBConnection,
  source: FeedSource,
  onReadAgain: (snapshotId: number) => void = () => undefined,
  fillPaths: FeedStores['fillPaths'] = () => Promise.resolve(),
): Promise<EngineFeed> {
  const watermarks = await loadWatermarks(connection);
  let fedRecords = 0;
  let version = 0;
  /** Null before any rules were set. */
  let isUndecided: boolean | null = null;
  const families = await createFamilyStore(connection, source);
  /** What was told of records is forgotten before they change, and what is told meanwhile isn't kept. */
  const changing = async <Value>(change: () => Promise<Value>): Promise<Value> => {
    version += 1;
    await forgetTold(connection);
    try {
      return await change();
    } finally {
      version += 1;
    }
  };
  /** In the transaction of a batch, whose end is a change of its own. */
  let isMoving = false;
  const onChanged = async (): Promise<void> => {
    version += 1;
    isMoving = true;
    await forgetTold(connection);
  };
  const endMove = (): void => {
    if (isMoving) version += 1;
    isMoving = false;
  };
  const outcomes = await createOutcomeStore(connection);
  const appendBatch = createBatchAppender(connection, source, { families, outcomes, onChanged, fillPaths });
  const parts = { connection, appendBatch };

  const countFed = (snapshotId: number): number => watermarks.get(snapshotId)?.recordCount ?? 0;
  const forget = async (snapshotId: number): Promise<void> => {
    await changing(() => deleteFed(connection, snapshotId));
    watermarks.delete(snapshotId);
  };
  const forgetOutdated = async (snapshots: readonly FeedSnapshot[]): Promise<void> => {
    const known = new Map(snapshots.map((snapshot) => [snapshot.snapshotId, snapshot]));
    for (const [snapshotId, mark] of [...watermarks]) {
      const snapshot = known.get(snapshotId);
      const isReadAgain = snapshot !== undefined && snapshot.reading !== mark.reading;
      if (!isContinued(snapshot, mark) || isReadAgain) await forget(snapshotId);
      if (isReadAgain) onReadAgain(snapshotId);
    }
  };
  const feedMissing = async (
    snapshots: readonly FeedSnapshot[],
    onFed: (count: number, mark: FedMark) => void,
  ): Promise<void> => {
    for (const snapshot of snapshots) {
      const { snapshotId } = snapshot;
      try {
        await feedSnapshot(parts, snapshot, watermarks.get(snapshotId), (mark, count) => {
          watermarks.set(snapshotId, mark);
          endMove();
          onFed(count, toFedMark(snapshotId, mark));
        });
      } catch (error) {
        endMove();
        await families.reload();
        // A page may have been read again meanwhile, and have fewer records; the next run feeds what is there then.
        if (!(error instanceof RecordsMissing) || isStillListed(source, snapshot)) throw error;
      }
    }
  };

  return {
    get fedRecords() {
      return fedRecords;
    },
    get version() {
      return version;
    },
    countFed,
    isFed({ id, recordCount, reading }) {
      const mark = watermarks.get(id);
      return recordCount === 0 || (mark?.reading === reading && mark.recordCount >= recordCount);
    },
    setOutcomes(rules) {
      isUndecided ??= true;
      outcomes.setRules(rules);
    },
    setFamilies(changes) {
      isUndecided ??= true;
      families.setChanges(changes);
    },
    get isUndecided() {
      if (isUndecided !== true) return false;
      const snapshots = source.list();
      return outcomes.isBehind(snapshots) || families.isBehind(snapshots);
    },
    listMarks: () => [...watermarks].map(([snapshotId, mark]) => toFedMark(snapshotId, mark)),
    takeFound: families.takeFound,
    isInOrder: (snapshotId) => watermarks.get(snapshotId)?.isInOrder === true,
    async follow(onProgress) {
      const snapshots = source.list();
      await forgetOutdated(snapshots);
      await families.forgetOthers(snapshots.map(({ connectionId }) => connectionId));
      const decide = async (): Promise<boolean> => {
        const changedFamilies = await families.catchUp(snapshots);
        return (await outcomes.catchUp(snapshots, changedFamilies)) || changedFamilies.length > 0;
      };
      const isBehind = families.isBehind(snapshots) || outcomes.isBehind(snapshots);
      const isDecidedAgain = await (isBehind ? changing(decide) : decide());
      // Rules may have been set a moment ago.
      if (isDecidedAgain && !isBehind) await changing(() => Promise.resolve());
      isUndecided &&= false;
      const total = snapshots.reduce((sum, { recordCount }) => sum + recordCount, 0);
      let fed = snapshots.reduce((sum, { snapshotId }) => sum + countFed(snapshotId), 0);
      await feedMissing(snapshots, (count, mark) => {
        fed += count;
        fedRecords += count;
        onProgress?.({ fed, total, mark });
      });
      families.rest();
    },
  };
}

function toFedMark(snapshotId: number, { recordCount, reading }: Watermark): FedMark {
  return { snapshotId, recordCount, reading };
}

/** Whether a snapshot is the one that was fed, with at least as many records. */
function isContinued(snapshot: FeedSnapshot | undefined, mark: Watermark): boolean {
  return snapshot?.startedAtMs === mark.startedAtMs && snapshot.recordCount >= mark.recordCount;
}

function isStillListed(source: FeedSource, { snapshotId, reading }: FeedSnapshot): boolean {
  return source.list().some((now) => now.snapshotId === snapshotId && now.reading === reading);
}

/**
 * Records fed in one transaction: those of a row group, which is compressed once it is full, and again whenever a
 * transaction ends within it.
 */
const BATCH_ROWS = CHUNK_ROWS * 60;

/**
 * Feeds the records of a snapshot that are behind its watermark, batch after batch: while one is written the next one is
 * read. `onFed` gets the watermark after each, once it is written, and the number of its records.
 */
export async function feedSnapshot(
  { connection, appendBatch }: { readonly connection: DuckDBConnection; readonly appendBatch: AppendBatch },
  snapshot: FeedSnapshot,
  mark: Watermark | undefined,
  onFed: (mark: Watermark, count: number) => void,
): Promise<void> {
  let before = toEnding(Promise.resolve());
  let from = mark?.recordCount ?? 0;
  let order: DateOrder = mark ?? NO_DATES;
  try {
    while (from < snapshot.recordCount) {
      const until = Math.min(from + BATCH_ROWS, snapshot.recordCount);
      const count = until - from;
      const fed = await appendBatch(snapshot, { from, until, before, order });
      before = toEnding(commit(connection).then(() => onFed(fed, count)));
      order = fed;
      from = until;
    }
  } finally {
    await before.promise;
  }
}

/** What was told, counted and gathered of records is as good as nothing once they change. */
async function forgetTold(connection: DuckDBConnection): Promise<void> {
  for (const table of ['finding_days', 'counted_days', 'kept_conversations'])
    await connection.run(`DELETE FROM ${table}`);
}
