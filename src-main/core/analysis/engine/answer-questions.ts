import { setTimeout as wait } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { EngineDatabase } from './engine-database.ts';

/** What goes on between questions goes on after so long all the same. */
const MAX_REST_MS = 5000;

interface Answering {
  /** Answers a question over a connection of its own, which its signal interrupts. */
  connect<Value>(
    context: { readonly signal: AbortSignal },
    work: (connection: DuckDBConnection) => Promise<Value>,
  ): Promise<Value>;
  /** Resolves once no question is being answered. */
  rest(): Promise<void>;
}

/** Answers questions; once `ending` is aborted nothing rests any more. */
export function createAnswering(database: EngineDatabase, ending: AbortSignal): Answering {
  const answering = new Set<Promise<unknown>>();
  const answer: Answering['connect'] = async ({ signal }, work) => {
    const connection = await database.connect();
    const interrupt = (): void => connection.interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      signal.throwIfAborted();
      return await work(connection);
    } finally {
      signal.removeEventListener('abort', interrupt);
      connection.closeSync();
    }
  };
  return {
    connect(context, work) {
      const own = answer(context, work);
      const known = own.catch(() => undefined).finally(() => answering.delete(known));
      answering.add(known);
      return own;
    },
    async rest() {
      const untilMs = performance.now() + MAX_REST_MS;
      while (answering.size > 0 && performance.now() < untilMs && !ending.aborted)
        await Promise.race([
          Promise.allSettled(answering),
          wait(untilMs - performance.now(), undefined, { ref: false }),
        ]);
    },
  };
}
