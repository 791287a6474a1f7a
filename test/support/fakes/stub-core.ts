import type { EventArguments, EventName } from '../../../src-main/common/contract/index.ts';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import { OPERATIONS } from '../../../src-main/common/contract/index.ts';
import type { SharedCore } from '../../../src-main/core/create-core.ts';
import type { EventListener } from '../../../src-main/core/host.ts';
import { createDispatcher } from '../../../src-main/core/dispatch/create-dispatcher.ts';
import { ENGLISH } from '../../../src-main/common/words/words.ts';
import { createSilentLogger } from './silent-logger.ts';

/** A core with the real dispatcher and handlers of the test's own; every other operation fails with a code. */
export interface StubCore extends SharedCore {
  readonly asked: { name: string; input: unknown }[];
  send(name: EventName, payload: unknown): void;
  readonly listenerCount: () => number;
  isStopped: boolean;
  readWords: SharedCore['readWords'];
}

export function createStubCore(answers: Record<string, (input: never) => unknown> = {}): StubCore {
  const listeners = new Set<EventListener>();
  const asked: { name: string; input: unknown }[] = [];
  const handlers = Object.fromEntries(
    Object.keys(OPERATIONS).map((name) => [
      name,
      (input: unknown): unknown => {
        asked.push({ name, input });
        const answer = answers[name];
        if (answer === undefined) throw new AppError('tasks.not-found', 'Not stubbed.', { name });
        return answer(input as never);
      },
    ]),
  );
  const call = createDispatcher(handlers as never, createSilentLogger(), Date.now);
  const core: StubCore = {
    asked,
    isStopped: false,
    logger: createSilentLogger(),
    readWords: () => ENGLISH,
    call,
    callFromWindow: call,
    on: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send: (name, payload) => {
      // Tests send payloads of any shape: carriers pass them on unread.
      for (const listener of listeners) listener(...([name, payload] as EventArguments));
    },
    listenerCount: () => listeners.size,
    withFiles: (_files, run) => run(),
    drain: () => Promise.resolve(),
    stop: () => {
      core.isStopped = true;
      return Promise.resolve();
    },
  };
  return core;
}
