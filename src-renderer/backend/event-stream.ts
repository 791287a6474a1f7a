import { EventSourceParserStream } from 'eventsource-parser/stream';
import { EVENT_POSITION_HEADER } from '../../src-main/common/contract/operation.ts';

const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 2_000;
/** The host sends a line every two seconds; one that is silent for this long is gone. */
const MAX_SILENCE_MS = 4_000;

/** What a page hears of a stream of events. */
export interface EventListeners {
  /** `position` is where to go on after the event. */
  readonly onEvent: (name: string, data: string, position: string | null) => void;
  /**
   * Called with false when the host stops responding, and with true once it sends events again after a gap; `hasMissed`
   * where events of the gap are lost.
   */
  readonly onHost: (isThere: boolean, hasMissed: boolean) => void;
  /** Called whenever the stream is over, for whatever reason, and before anything is requested again. */
  readonly onEnd: () => void;
  /** Called after each attempt to open the stream, with the place that it is at; null where none is open. */
  readonly onAttempt: (position: string | null) => void;
}

interface EventStreamOptions extends EventListeners {
  /** Requests the stream after the event with this id. */
  readonly request: (signal: AbortSignal, lastId: string | null) => Promise<Response>;
  /** The place that another tab's stream was at when it ended; null for a first stream. */
  readonly after: string | null;
  readonly signal: AbortSignal | undefined;
}

/** Reads events as long as the signal isn't aborted: one long response that is requested again when it ends. */
export async function keepReadingEvents(options: EventStreamOptions): Promise<void> {
  const { request, onEvent, onHost, onEnd, onAttempt, after, signal } = options;
  let position = after;
  let isFirst = after === null;
  let isGone = false;

  /** Resolves, once the stream is over, to whether the host was still there. */
  const readEvents = async (): Promise<boolean> => {
    const silence = createSilenceLimit();
    let isOpen = false;
    try {
      const response = await request(
        signal === undefined ? silence.signal : AbortSignal.any([silence.signal, signal]),
        position,
      );
      if (!response.ok || response.body === null) return response.status < 500;
      isOpen = true;
      const start = response.headers.get(EVENT_POSITION_HEADER);
      const hasMissed = !isFirst && (start === null || start !== position);
      position = start;
      onAttempt(position);
      if (isGone || hasMissed) onHost(true, hasMissed);
      isFirst = false;
      isGone = false;
      const events = response.body
        .pipeThrough(silence.watch())
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream());
      for await (const { event, data, id } of events) {
        position = id ?? position;
        onEvent(event ?? '', data, position);
      }
      return true;
    } catch {
      return isOpen && !silence.signal.aborted;
    } finally {
      silence.end();
      onEnd();
      // Calls are made from now on: the next stream may have missed what they should have heard of.
      if (!isOpen) {
        isFirst = false;
        onAttempt(null);
      }
    }
  };

  let retryMs = MIN_RETRY_MS;
  while (signal?.aborted !== true) {
    const startedAtMs = performance.now();
    if (!(await readEvents())) {
      isGone = true;
      onHost(false, false);
    }
    // A stream that lasted was healthy, so it is requested again without a long wait.
    retryMs = performance.now() - startedAtMs > 2 * MAX_SILENCE_MS ? MIN_RETRY_MS : retryMs;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }
}

/** Aborts its signal when nothing came for too long. */
function createSilenceLimit() {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new Error('The host is silent.'));
  let timer = setTimeout(abort, MAX_SILENCE_MS);
  return {
    signal: controller.signal,
    watch: () =>
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform: (chunk, stream) => {
          clearTimeout(timer);
          timer = setTimeout(abort, MAX_SILENCE_MS);
          stream.enqueue(chunk);
        },
      }),
    end: () => {
      clearTimeout(timer);
    },
  };
}

/** The name of the lock that the reading tab holds, and of the channel on which it passes on what it reads. */
const NAME = 'channelscope.events';
/** A tab that reads the stream answers at once. */
const MAX_WAIT_MS = 1_000;

/** As much of a broadcast channel as is used: it reaches the other tabs of the same place, and nobody else. */
type Channel = Pick<BroadcastChannel, 'postMessage' | 'close' | 'addEventListener'>;
export type OpenChannel = (name: string) => Channel;

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
