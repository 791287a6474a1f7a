import { inject, type InjectionKey } from 'vue';
import type {
  EventName,
  EventPayload,
  Input,
  OperationName,
  Output,
} from '../../src-main/common/contract/index.ts';
import { AppError, ERROR_CODES, type ErrorCode } from '../../src-main/common/contract/errors.ts';
import type { Envelope } from '../../src-main/common/contract/operation.ts';
import type { Task } from '../../src-main/common/model/cache/task.ts';

/** What is called back about the host. */
export type HostWatcher = (isThere: boolean, hasMissed: boolean) => void;

/** The one door to the core. Two carriers implement it: IPC on the desktop, HTTP in a browser. */
export interface Backend {
  /** Calls the core; rejects with an AppError whose code says what went wrong. */
  call<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>>;
  /**
   * Sends a file to the host and returns its id for an import. Only the carrier of a browser has this: the desktop
   * asks for the file itself. Rejects with an AppError, or with the reason of the signal.
   */
  upload?(file: File, signal: AbortSignal): Promise<string>;
  /** The same for a file that was dropped on the window, which the desktop reads in its place. */
  offerFile?(file: File, signal: AbortSignal): Promise<string>;
  /**
   * Calls back with false when the host stops responding, and with true when events arrive again after a gap. Where
   * `hasMissed`, whatever was read before may have changed: events are lost, or calls failed. The desktop's window ends
   * with its host, so its carrier has none.
   */
  watchHost?(listener: HostWatcher): void;
  /** Listens to an event; the returned function stops that. */
  on<Name extends EventName>(name: Name, listener: (payload: EventPayload<Name>) => void): () => void;
}

export const backendKey: InjectionKey<Backend> = Symbol('backend');

/** Returns the backend that the application was given, in components and in stores. */
export function useBackend(): Backend {
  const backend = inject(backendKey);
  if (backend === undefined) throw new Error('The application was mounted without a backend.');
  return backend;
}

function isEnvelope(value: unknown): value is Envelope<unknown> {
  return typeof value === 'object' && value !== null && 'ok' in value && typeof value.ok === 'boolean';
}

function isKnownCode(code: string): code is ErrorCode {
  return (ERROR_CODES as readonly string[]).includes(code);
}

/** Returns the value in an envelope, or throws the AppError in it. */
export function openEnvelope(envelope: unknown): unknown {
  if (!isEnvelope(envelope)) throw new AppError('app.bug', 'The core returned no envelope.');
  if (envelope.ok) return envelope.value;
  const { code, message, details } = envelope.error;
  throw new AppError(isKnownCode(code) ? code : 'app.bug', message, details);
}

/** Reads a list that events change too. What an event brings while the list is on its way is newer than the list. */
interface ListReader<Id, Item> {
  /** To be called with each item that an event brings, or with null for one that it takes away. */
  note(id: Id, item: Item | null): void;
  /** Reads the list, with everything that events changed since it was asked for; new items come first. */
  read(): Promise<Item[]>;
}

/** Creates a reader of the list that `readList` returns. */
export function createListReader<Id, Item>(
  readList: () => Promise<readonly Item[]>,
  toId: (item: Item) => Id,
): ListReader<Id, Item> {
  /** For each reading under way, the items that came since it began. */
  const readings = new Set<Map<Id, Item | null>>();

  function merge(list: readonly Item[], news: ReadonlyMap<Id, Item | null>): Item[] {
    const known = new Set(list.map(toId));
    const added = [...news].flatMap(([id, item]) => (item === null || known.has(id) ? [] : [item]));
    const kept = list.flatMap((item) => {
      const newer = news.get(toId(item));
      return newer === null ? [] : [newer ?? item];
    });
    return [...added.reverse(), ...kept];
  }

  return {
    note(id, item) {
      for (const news of readings) news.set(id, item);
    },
    async read() {
      const news = new Map<Id, Item | null>();
      readings.add(news);
      try {
        return merge(await readList(), news);
      } finally {
        readings.delete(news);
      }
    },
  };
}

/**
 * Returns work, which handles its own errors, that never runs twice at once: whoever asks for it meanwhile has it run once more when it has ended. A
 * question that takes long would otherwise be asked again and again, and in a browser take every connection.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let isAskedAgain = false;
  const run = (): Promise<void> => {
    if (running !== null) {
      isAskedAgain = true;
      return running;
    }
    running = work().finally(() => {
      running = null;
      if (!isAskedAgain) return;
      isAskedAgain = false;
      void run();
    });
    return running;
  };
  return run;
}

/** Operations that start a task whose end a caller may wait for. */
type TaskStart = 'connections/start-zone-check' | 'downloads/start-plan' | 'summaries/start-fetch';

/**
 * Starts a task and returns it once it is done. Aborting the signal cancels the task. Rejects with the AppError that
 * ended it otherwise, `app.cancelled` for a cancelled one.
 */
export async function runTask<Name extends TaskStart>(
  backend: Backend,
  name: Name,
  input: Input<Name>,
  signal: AbortSignal,
): Promise<Task> {
  signal.throwIfAborted();
  const { taskId } = await backend.call<TaskStart>(name, input);
  const cancel = (): void => void backend.call('tasks/cancel', { taskId }).catch(() => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const task = await backend.call('tasks/wait', { taskId });
    if (task.state === 'done') return task;
    const { code, message, details } = task.error ?? CANCELLED;
    throw new AppError(code, message, details);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

const CANCELLED = { code: 'app.cancelled', message: 'The task was cancelled.', details: {} } as const;
