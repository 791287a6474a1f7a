import { openEngineSource } from '../../cache/read/engine-source.ts';
import { serveCalls, type ServerPort } from '../../calls/serve-calls.ts';
import { AppError } from '../../../common/contract/errors.ts';
import type { CallContext, ServedOperations } from '../../calls/call-messages.ts';
import { isOutOfMemory, openEngineDatabase } from './engine-database.ts';
import { createEngineOperations } from './engine-operations.ts';

/** What the engine's process is started with. */
export interface EngineStart {
  readonly cacheFile: string;
  readonly engineFile: string;
  readonly memoryLimitMb: number;
  readonly threads: number;
  /** Tells the views of this process from those of another one. */
  readonly mark: string;
  /** The file is not trusted any more: it is begun anew. */
  readonly isInDoubt: boolean;
}

/**
 * Opens the engine over a cache and serves its operations at a port. `abort` ends the process at once: an error that no
 * one expects of sound tables means that the file can't be trusted, and a new process begins it anew.
 */
export function serveEngine(
  port: ServerPort,
  start: EngineStart,
  abort: (error: unknown) => void,
): Promise<void> {
  return serveCalls(port, async () => {
    const source = openEngineSource(start.cacheFile);
    const { engineFile: file, memoryLimitMb, threads, isInDoubt } = start;
    const database = await openEngineDatabase({
      file,
      cacheIdentity: source.identity,
      memoryLimitMb,
      threads,
      isInDoubt,
    });
    const operations = await createEngineOperations(database, source, start.mark);
    const close = (): void => {
      operations.close();
      source.close();
    };
    return {
      operations: { ...guardOperations(operations, abort), close },
      started: { isNew: database.isNew },
    };
  });
}

function guardOperations(operations: ServedOperations, abort: (error: unknown) => void): ServedOperations {
  const guarded = Object.entries(operations).map(([name, operation]) => [
    name,
    async (input: never, context: CallContext): Promise<unknown> => {
      try {
        return await operation(input, context);
      } catch (error) {
        if (error instanceof AppError || context.signal.aborted) throw error;
        // DuckDB tells its errors apart by the beginning of their text alone.
        const text = String(error);
        if (isOutOfMemory(error)) {
          throw new AppError(
            'analysis.out-of-memory',
            'The question takes more memory than allowed.',
            {},
            error,
          );
        }
        if (text.includes('INTERRUPT Error'))
          throw new AppError('app.cancelled', 'The call was cancelled.', {}, error);
        abort(error);
        throw error;
      }
    },
  ]);
  return Object.fromEntries(guarded) as ServedOperations;
}
