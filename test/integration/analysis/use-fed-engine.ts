import type { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll } from 'vitest';
import { createEngineFeed } from '../../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import type { ResolvedScope, ScopePart } from '../../../src-main/core/analysis/engine/resolved-scope.ts';
import { openEngineFile } from './open-engine-file.ts';
import { createPlainSource, SPAN, type PlainRecord } from './random-records.ts';

/** A record before a snapshot has it. */
export type UnfedRecord = Omit<PlainRecord, 'recordId'>;

/** A list of records as the engine has it: a whole snapshot. */
export interface FedSnapshot {
  readonly part: ScopePart;
  readonly scope: ResolvedScope;
  readonly records: PlainRecord[];
}

/** Opens an engine's file for the tests of a file, which `feed` fills with lists of records of its own. */
export function useFedEngine() {
  let engine: Awaited<ReturnType<typeof openEngineFile>>;
  let lastSnapshot = 0;
  beforeAll(async () => {
    engine = await openEngineFile();
  });
  afterAll(() => engine.close());

  return {
    get connection(): DuckDBConnection {
      return engine.connection;
    },
    /** Feeds each list as a snapshot, in the place of what was fed before. */
    async feed(lists: readonly (readonly UnfedRecord[])[]): Promise<FedSnapshot[]> {
      const fed = lists.map((list): FedSnapshot => {
        lastSnapshot += 1;
        const snapshotId = lastSnapshot;
        const records = list.map((record, seq) => ({ ...record, recordId: snapshotId * SPAN + seq }));
        const part = { snapshotId, recordCount: records.length, spans: null, withUndated: true };
        return { part, scope: { direction: 'inbound', parts: [part] }, records };
      });
      const snapshots = new Map(fed.map(({ part, records }) => [part.snapshotId, records]));
      await (await createEngineFeed(engine.connection, createPlainSource(snapshots))).follow();
      return fed;
    },
  };
}
