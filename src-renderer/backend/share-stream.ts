import type { EventListeners } from './event-stream.ts';
import type { OpenChannel } from './session-handover.ts';

/** The name of the lock that the reading tab holds, and of the channel on which it passes on what it reads. */
const NAME = 'channelscope.events';
/** A tab that reads the stream answers at once. */
const MAX_WAIT_MS = 1_000;

/** What the tabs of one place share a stream by. */
export interface OtherTabs {
  readonly locks: Pick<LockManager, 'request'>;
  readonly openChannel: OpenChannel;
}

/** Reads the stream after the event with an id as long as the signal isn't aborted. */
type ReadStream = (listeners: EventListeners, after: string | null) => Promise<void>;

type Message =
  | { readonly kind: 'asks' }
  | { readonly kind: 'event'; readonly name: string; readonly data: string; readonly position: string | null }
  | { readonly kind: 'host'; readonly isThere: boolean; readonly hasMissed: boolean }
  | { readonly kind: 'end' }
  | { readonly kind: 'attempt'; readonly position: string | null };

/**
 * Reads one stream of events for all tabs of this place: a browser opens at most six connections to a host, and every
 * stream takes one. One tab reads; the others listen to it. Where it is closed, the next one goes on after the last
 * event, so that none is missed.
 */
export function shareStream(
  { locks, openChannel }: OtherTabs,
  own: EventListeners,
  read: ReadStream,
  signal: AbortSignal | undefined,
): void {
  const channel = openChannel(NAME);
  let isReading = false;
  /** What the last attempt came to; undefined before any. */
  let position: string | null | undefined;
  const say = (message: Message): void => channel.postMessage(message);

  /** Does in this tab what a message of the reading one says. */
  const hear = (message: Message): void => {
    if (message.kind === 'event') {
      ({ position } = message);
      own.onEvent(message.name, message.data, position);
    } else if (message.kind === 'attempt') {
      ({ position } = message);
      own.onAttempt(message.position);
    } else if (message.kind === 'host') own.onHost(message.isThere, message.hasMissed);
    else if (message.kind === 'end') own.onEnd();
  };
  const both = (message: Message): void => {
    hear(message);
    say(message);
  };
  const listeners: EventListeners = {
    onEvent: (name, data, reached) => both({ kind: 'event', name, data, position: reached }),
    onHost: (isThere, hasMissed) => both({ kind: 'host', isThere, hasMissed }),
    onEnd: () => both({ kind: 'end' }),
    onAttempt: (reached) => both({ kind: 'attempt', position: reached }),
  };

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (!isReading) hear(data);
    else if (data.kind === 'asks' && position !== undefined) say({ kind: 'attempt', position });
  });
  say({ kind: 'asks' });
  const late = setTimeout(() => own.onAttempt(null), MAX_WAIT_MS);
  const takeOver = async (): Promise<void> => {
    isReading = true;
    clearTimeout(late);
    // Meanwhile the host may have gone, and another program come.
    if (position !== undefined) own.onEnd();
    await read(listeners, position ?? null);
  };
  // It rejects where the page is left before its turn has come.
  locks.request(NAME, signal === undefined ? {} : { signal }, takeOver).catch(() => undefined);
  signal?.addEventListener('abort', () => channel.close(), { once: true });
}
