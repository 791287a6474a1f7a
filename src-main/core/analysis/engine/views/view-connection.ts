import type { DuckDBConnection } from '@duckdb/node-api';
import type { EngineDatabase } from '../engine-database.ts';

/** A connection that reads one view. */
export interface ViewConnection {
  readonly connection: DuckDBConnection;
  /** Ends the statement that runs. */
  interrupt(): void;
  close(): void;
}

/** Opens a connection whose statements an abort ends. */
export async function connectUntil(database: EngineDatabase, signal: AbortSignal): Promise<ViewConnection> {
  const connection = await database.connect();
  let isOpen = true;
  const interrupt = (): void => {
    if (isOpen) connection.interrupt();
  };
  signal.addEventListener('abort', interrupt, { once: true });
  return {
    connection,
    interrupt,
    close() {
      signal.removeEventListener('abort', interrupt);
      if (isOpen) connection.closeSync();
      isOpen = false;
    },
  };
}
