import type { DuckDBConnection } from '@duckdb/node-api';

/** The end of a transaction, which may still be ahead. */
export interface Ending {
  /** Rejects where it failed. */
  readonly promise: Promise<void>;
  readonly isOver: boolean;
}

/** Follows a promise, so that it can be asked whether it is settled. */
export function toEnding(promise: Promise<void>): Ending {
  const ending = { promise, isOver: false };
  const end = (): void => {
    ending.isOver = true;
  };
  promise.then(end, end);
  return ending;
}

/** Ends the transaction. Where it fails nothing of it stays, and the connection can begin another one. */
export async function commit(connection: DuckDBConnection): Promise<void> {
  try {
    await connection.run('COMMIT');
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

/** Undoes the transaction, if there is one. */
export async function rollBack(connection: DuckDBConnection): Promise<void> {
  await connection.run('ROLLBACK').catch(() => undefined);
}
