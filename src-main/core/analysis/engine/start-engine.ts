import { AppError } from '../../../common/contract/errors.ts';
import { SQL_MAX_MEMORY_MB } from '../../../common/model/records/sql.ts';
import type { ChildProcess } from '../../../node/fork-process.ts';
import { type CallByName, type FromServer, pairCalls } from '../../calls/calls.ts';
import type { Logger } from '../../logging/logger.ts';
import type { EngineStart } from './serve-engine.ts';

/** Starts the engine's script with its argument in a process of its own. */
export type StartEngineProcess = (argument: string) => ChildProcess;

/** One run of the engine's process. */
export interface RunningEngine {
  readonly started: Promise<unknown>;
  readonly call: CallByName;
  readonly exited: Promise<string>;
  /** Lets the process end by itself, by force after 3 s. */
  end(): Promise<void>;
  /** Ends the process at once. */
  kill(): void;
  readMemory(): Promise<number | null>;
}

/** A process that is in the middle of a long statement has this long to end. */
const END_MS = 3000;

/** Starts the process and pairs calls with their results. */
export function startEngine(
  startProcess: StartEngineProcess,
  start: EngineStart,
  logger: Logger,
): RunningEngine {
  const engine = startProcess(JSON.stringify(start));
  const calls = pairCalls(
    (message) => engine.postMessage(message),
    (operation, trace) => logger.error('call of the engine failed', { operation, trace }),
  );
  engine.onMessage((message) => calls.receive(message as FromServer));
  const exited = new Promise<string>((resolve) => {
    engine.onExit((reason) => {
      calls.endWith(new AppError('analysis.stopped', 'The analysis engine has ended.', { reason }));
      resolve(reason);
    });
  });
  return {
    started: calls.started,
    call: calls.call,
    exited,
    async end() {
      await Promise.race([
        calls.call('close', null).catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, END_MS).unref()),
      ]);
      calls.end();
      const force = setTimeout(() => engine.kill(), END_MS);
      await exited;
      clearTimeout(force);
    },
    kill: () => engine.kill(),
    readMemory: () => engine.readMemory(),
  };
}

const WATCH_MS = 50;
/** A statement that has not ended after so many looks doesn't hear that it should. */
const LOOKS_TO_END = 2;
const MB = 1_000_000;

/** Watches the memory of a process while it runs statements of a person. */
export interface MemoryWatch {
  /**
   * Runs a statement, which ends with AppError `analysis.out-of-memory` once the process takes too much more than at rest:
   * its signal is aborted, and where that doesn't help the process is ended.
   */
  watch<Value>(run: (signal: AbortSignal) => Promise<Value>, signal?: AbortSignal): Promise<Value>;
  /** The process has another size at rest from now on. */
  forgetRest(): void;
}

/**
 * Creates the watch of a process from outside of it: the limit of DuckDB doesn't count what a single value takes. Several
 * statements at once may take as much as each of them alone.
 */
export function createMemoryWatch({
  readBytes,
  endProcess,
  maxMb = SQL_MAX_MEMORY_MB,
}: {
  /** What the process has in memory; null where the system doesn't say. */
  readBytes(): Promise<number | null>;
  endProcess(): void;
  readonly maxMb?: number | undefined;
}): MemoryWatch {
  const statements = new Set<AbortController>();
  let restBytes = Infinity;
  let looksOver = 0;
  let looking: Promise<void> | null = null;

  const look = async (): Promise<void> => {
    const bytes = await readBytes();
    if (bytes === null) return;
    restBytes = Math.min(restBytes, bytes);
    const isOver = statements.size > 0 && bytes - restBytes > maxMb * MB * statements.size;
    looksOver = isOver ? looksOver + 1 : 0;
    if (looksOver === 1) {
      for (const statement of statements) statement.abort(new TooLarge(maxMb));
    } else if (looksOver > LOOKS_TO_END) {
      looksOver = 0;
      endProcess();
    }
  };
  const keepLooking = async (): Promise<void> => {
    while (statements.size > 0) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
    }
    looksOver = 0;
    looking = null;
  };

  return {
    async watch(run, signal) {
      const statement = new AbortController();
      const giveUp = (): void => statement.abort(signal?.reason);
      signal?.throwIfAborted();
      signal?.addEventListener('abort', giveUp, { once: true });
      try {
        // What it takes at rest is read before the statement begins.
        await look();
        statements.add(statement);
        looking ??= keepLooking();
        return await run(statement.signal);
      } catch (error) {
        throw statement.signal.reason instanceof TooLarge ? statement.signal.reason : error;
      } finally {
        statements.delete(statement);
        signal?.removeEventListener('abort', giveUp);
      }
    },
    forgetRest() {
      if (statements.size === 0) restBytes = Infinity;
    },
  };
}

class TooLarge extends AppError {
  constructor(limitMb: number) {
    super('analysis.out-of-memory', 'The statement takes more memory than allowed.', { limitMb });
  }
}
