import { openEngineSource } from '../../cache/read/engine-source.ts';
import { serveCalls, type ServerPort } from '../../calls/serve-calls.ts';
import { openEngineDatabase } from './engine-database.ts';
import { createEngineOperations } from './engine-operations.ts';
import { toQuestionError } from './question-errors.ts';

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
 * Opens the engine over a cache and serves its operations at a port. An error fails the question that it came from, and
 * says whether the engine can go on; whoever started the process decides about it.
 */
export function serveEngine(port: ServerPort, start: EngineStart): Promise<void> {
  const open = async () => {
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
      operations: { ...operations, close },
      started: { isNew: database.isNew },
      toAppError: toQuestionError,
    };
  };
  return serveCalls(port, () =>
    open().catch((error: unknown) => {
      throw toQuestionError(error);
    }),
  );
}
