import type { Emit, EventArguments, EventName, EventPayload } from '../common/contract/index.ts';

export type EventListener = (...event: EventArguments) => void;

/** Everything that happens in the core: features emit, features and carriers listen. */
export interface Events {
  readonly emit: Emit;
  /** Notifies `listener` of every event with this name, until the returned function is called. */
  on<Name extends EventName>(name: Name, listener: (payload: EventPayload<Name>) => void): () => void;
  /** Notifies `listener` of every event, until the returned function is called. */
  onAny(listener: EventListener): () => void;
  /** Ends all listening. */
  close(): void;
}

/** Creates the events of one core. Listeners are notified in the order in which they began to listen. */
export function createEvents(): Events {
  const listeners = new Set<EventListener>();
  const onAny = (listener: EventListener): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    emit: (...event) => {
      for (const listener of listeners) listener(...event);
    },
    on: (wanted, listener) =>
      onAny((name, payload) => {
        if (name === wanted) listener(payload as EventPayload<typeof wanted>);
      }),
    onAny,
    close: () => listeners.clear(),
  };
}
