import { setTimeout as wait } from 'node:timers/promises';
import { serveCalls, type ServedOperations, type ServerPort } from '../../calls/calls.ts';
import { openEngineSource } from '../../cache/read/engine-source.ts';
import { openEngineDatabase, toQuestionError } from './engine-database.ts';
import type { KeptLimits } from './conversations/kept-conversations.ts';
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
  /** Which conversations are kept, where it isn't as usual. */
  readonly keptLimits?: KeptLimits;
}

/** What is interrupted has so long to end before the process does. */
const END_MS = 2500;

type Operation = ServedOperations[string];

/**
 * Lets operations end before what they use is closed: a connection that is closed under its statement ends the process.
 * What `end` interrupts stays unanswered, so that whoever asked hears of the process's end, and asks the next one.
 */
function endQuietly(operations: Readonly<Record<string, Operation>>): {
  readonly served: ServedOperations;
  /** Interrupts everything; false where it doesn't end soon. */
  end(): Promise<boolean>;
} {
  const ending = new AbortController();
  const running = new Set<Promise<undefined>>();
  const serve =
    (operation: Operation): Operation =>
    async (input, context) => {
      const signal = AbortSignal.any([context.signal, ending.signal]);
      const pause = async (): Promise<void> => {
        await context.pause();
        signal.throwIfAborted();
      };
      const own = Promise.resolve().then(() => operation(input, { ...context, signal, pause }));
      const ended = own.then(
        () => undefined,
        () => undefined,
      );
      running.add(ended);
      void ended.then(() => running.delete(ended));
      try {
        return await own;
      } catch (error) {
        if (!ending.signal.aborted || context.signal.aborted) throw error;
        return await new Promise<never>(() => undefined);
      }
    };
  return {
    served: Object.fromEntries(
      Object.entries(operations).map(([name, operation]) => [name, serve(operation)]),
    ),
    end() {
      ending.abort();
      return Promise.race([Promise.all(running).then(() => true), wait(END_MS, false, { ref: false })]);
    },
  };
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
    const operations = await createEngineOperations(database, source, start.mark, start.keptLimits);
    const { close: closeAll, interrupt, ...asked } = operations;
    const { served, end } = endQuietly(asked);
    const close = async (): Promise<void> => {
      interrupt();
      if (!(await end())) return;
      await closeAll();
      source.close();
    };
    return {
      operations: { ...served, close },
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
