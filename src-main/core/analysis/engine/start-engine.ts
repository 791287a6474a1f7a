import { AppError } from '../../../common/contract/errors.ts';
import type { ChildProcess } from '../../../node/fork-process.ts';
import type { FromServer } from '../../calls/call-messages.ts';
import { pairCalls, type CallByName } from '../../calls/pair-calls.ts';
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
