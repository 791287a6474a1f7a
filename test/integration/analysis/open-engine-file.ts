import type { DuckDBConnection } from '@duckdb/node-api';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngineDatabase } from '../../../src-main/core/analysis/engine/engine-database.ts';

/** Opens an engine's file in a folder of its own, which `close` removes. */
export async function openEngineFile(): Promise<{ connection: DuckDBConnection; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-engine-'));
  const file = join(folder, 'analysis.duckdb');
  const database = await openEngineDatabase({
    file,
    cacheIdentity: 'cache',
    memoryLimitMb: 256,
    threads: 2,
  });
  const connection = await database.connect();
  return {
    connection,
    async close() {
      connection.closeSync();
      database.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
