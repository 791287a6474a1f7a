import { EventSourceParserStream } from 'eventsource-parser/stream';
import { AppError } from '../../src-main/common/contract/errors.ts';
import type { EventName, EventPayload, Output } from '../../src-main/common/contract/index.ts';
import { EVENT_POSITION_HEADER } from '../../src-main/common/contract/operation.ts';
import { MAX_IMPORT_BYTES } from '../../src-main/common/contract/operations/connections.ts';
import { type Backend, type HostWatcher, openEnvelope } from './backend.ts';

const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 2_000;
/** The host sends a line every two seconds; one that is silent for this long is gone. */
const MAX_SILENCE_MS = 4_000;

/** What a page hears of a stream of events. */
interface EventListeners {
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
async function keepReadingEvents(options: EventStreamOptions): Promise<void> {
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
const MAX_STREAM_WAIT_MS = 1_000;

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
function shareStream(
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
  const late = setTimeout(() => own.onAttempt(null), MAX_STREAM_WAIT_MS);
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

interface WebBackendOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Empty for the page's own host. */
  readonly origin: string;
  readonly token: string;
  /** Called when the host does not know this session, or no longer. */
  readonly onSessionLost: () => void;
  /** Asks the host to prove itself once it was gone; without it, whoever is there is believed. */
  readonly proveHost?: () => Promise<HostProof>;
  /** Called with true from when the host may be gone until it has proven itself. */
  readonly onDoubt?: (isDoubted: boolean) => void;
  /** How long ago the person last did something: the session lasts for a while after that. */
  readonly readIdleMs?: () => number;
  /** The tabs of the same place, which share one stream of events; left out, this one has its own. */
  readonly otherTabs?: OtherTabs | undefined;
  /** Ends the stream of events; a page needs none, since the stream ends with it. */
  readonly signal?: AbortSignal;
}

type Listener = (payload: unknown) => void;

/** A host that is silent for longer has probably ended. */
const MAX_HELD_MS = 20_000;
const HELD_PAUSE_MS = 500;

function createTooLargeError(): AppError {
  return new AppError('local-service.file-too-large', 'The file is too large to be sent.');
}

/** The carrier of the browser: calls are posts, events are one long response that is requested again when it ends. */
export function createWebBackend(options: WebBackendOptions): Backend {
  const { fetch, origin, token, onSessionLost, readIdleMs = () => 0, signal } = options;
  const { proveHost, onDoubt = () => undefined, otherTabs } = options;
  const toSession = () => ({
    'x-channelscope-session': token,
    'x-channelscope-idle-ms': String(readIdleMs()),
  });
  const hostWatchers = new Set<HostWatcher>();
  /** A call got no response: what it would have brought is missing. */
  let hasFailed = false;
  const listeners = new Map<EventName, Set<Listener>>();
  let opened: Promise<void> | null = null;
  let isDoubted = false;
  let proving: Promise<HostProof> | null = null;

  function doubt(): void {
    if (proveHost === undefined || isDoubted) return;
    isDoubted = true;
    onDoubt(true);
  }

  /** Resolves once the host may be told the token; rejects while it is gone, or is another. */
  async function becomeCertain(): Promise<void> {
    const proof = await ask();
    if (proof !== 'proven') throw new AppError('app.host-gone', 'The application does not respond.');
  }

  async function ask(): Promise<HostProof> {
    if (!isDoubted || proveHost === undefined) return 'proven';
    proving ??= proveHost()
      .then((proof) => {
        if (proof === 'refused') onSessionLost();
        if (proof === 'proven') {
          isDoubted = false;
          onDoubt(false);
        }
        return proof;
      })
      .finally(() => {
        proving = null;
      });
    return proving;
  }

  /** Holds a call while the host is silent, so that a short silence fails none, and what is shown stays. */
  async function holdCall(abort: AbortSignal | undefined): Promise<void> {
    const untilMs = performance.now() + MAX_HELD_MS;
    let proof = await ask();
    while (proof === 'gone' && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, HELD_PAUSE_MS));
      abort?.throwIfAborted();
      proof = await ask();
    }
    if (proof === 'proven') return;
    hasFailed = true;
    throw new AppError('app.host-gone', 'The application does not respond.');
  }

  /** Does nothing where the host turns out to be gone, or another: that is told elsewhere. */
  function onceCertain(act: () => void): void {
    becomeCertain().then(act, () => undefined);
  }

  function tellWatchers(isThere: boolean, hasMissed: boolean): void {
    for (const watcher of hostWatchers) watcher(isThere, hasMissed);
  }

  async function post(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | File,
    abort?: AbortSignal,
  ): Promise<Response> {
    await holdCall(abort);
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { ...toSession(), ...headers },
      body,
      signal: abort ?? null,
    }).catch((cause: unknown) => {
      abort?.throwIfAborted();
      doubt();
      hasFailed = true;
      throw new AppError('app.host-gone', 'The application does not respond.', {}, cause);
    });
    if (response.status === 401) onSessionLost();
    if (response.status === 413 && body instanceof File) throw createTooLargeError();
    if (response.status === 507)
      throw new AppError('local-service.disk-full', 'There is no space for the file.');
    if (!response.ok) {
      throw new AppError('app.host-gone', `The application responded with status ${response.status}.`);
    }
    return response;
  }

  async function upload(file: File, abort: AbortSignal): Promise<string> {
    if (file.size > MAX_IMPORT_BYTES) throw createTooLargeError();
    const headers = {
      'content-type': 'application/octet-stream',
      'x-channelscope-file-name': encodeURIComponent(file.name),
    };
    const response = await post('/api/imports', headers, file, abort);
    return ((await response.json()) as { uploadId: string }).uploadId;
  }

  /** Resolves once the stream of events is open, or could not be opened: calls follow. */
  function listen(): Promise<void> {
    const { promise: attempted, resolve } = Promise.withResolvers<undefined>();
    const own: EventListeners = {
      onEvent: (name, data) => {
        const payload = JSON.parse(data) as unknown;
        for (const listener of listeners.get(name as EventName) ?? []) listener(payload);
      },
      onEnd: doubt,
      onHost: (isThere, hasMissed) => {
        if (!isThere) tellWatchers(false, false);
        else
          onceCertain(() => {
            tellWatchers(true, hasMissed || hasFailed);
            hasFailed = false;
          });
      },
      onAttempt: (position) => {
        resolve(undefined);
        // Whichever tab opened it: a session in doubt would not outlive a reload.
        if (position !== null) onceCertain(() => undefined);
      },
    };
    const request = async (aborting: AbortSignal, lastId: string | null): Promise<Response> => {
      await becomeCertain();
      const headers = { ...toSession(), ...(lastId === null ? {} : { 'last-event-id': lastId }) };
      const response = await fetch(`${origin}/api/events`, { headers, signal: aborting });
      if (response.status === 401) onSessionLost();
      return response;
    };
    const read = (heard: EventListeners, after: string | null): Promise<void> =>
      keepReadingEvents({ ...heard, request, after, signal });
    if (otherTabs === undefined) void read(own, null);
    else shareStream(otherTabs, own, read, signal);
    return attempted;
  }

  return {
    call: async (name, input) => {
      // What a call answers is up to date only when every later change is received too.
      await opened;
      const headers = { 'content-type': 'application/json' };
      const response = await post(`/api/call/${name}`, headers, JSON.stringify(input));
      return openEnvelope(await response.json()) as Output<typeof name>;
    },
    upload,
    offerFile: upload,
    watchHost: (listener) => {
      hostWatchers.add(listener);
    },
    on: (name, listener) => {
      const known = listeners.get(name) ?? new Set();
      // A listener may be given twice; each time counts.
      const entry: Listener = (payload) => listener(payload as EventPayload<typeof name>);
      listeners.set(name, known.add(entry));
      opened ??= listen();
      return () => {
        known.delete(entry);
      };
    },
  };
}

/** What came of a challenge: this session's host is there, another program or a host that knows no such session, or none. */
type HostProof = 'proven' | 'refused' | 'gone';

const MAX_WAIT_MS = 4_000;

const toHex = (bytes: ArrayBuffer | Uint8Array): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/**
 * Asks whoever listens at the host's place to prove that it is the host which this session is with. While the host was
 * gone, another program of the computer may have taken its place: neither the token nor the cookie is sent to it.
 */
export async function proveHost(options: {
  readonly fetch: typeof globalThis.fetch;
  readonly origin: string;
  readonly token: string;
}): Promise<HostProof> {
  const subtle = globalThis.crypto.subtle as SubtleCrypto | undefined;
  // Some browsers offer it to pages over HTTPS only: without it, nothing can be proven.
  if (subtle === undefined) return 'refused';
  const digest = await subtle.digest('SHA-256', encode(options.token));
  const session = toHex(await subtle.digest('SHA-256', encode(toHex(digest))));
  const challenge = toHex(crypto.getRandomValues(new Uint8Array(32)));
  const response = await options
    .fetch(`${options.origin}/proof/${session}/${challenge}`, {
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    })
    .catch(() => null);
  if (response === null || response.status >= 500) return 'gone';
  if (!response.ok) return 'refused';
  const key = await subtle.importKey('raw', digest, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const expected = toHex(await subtle.sign('HMAC', key, encode(challenge)));
  const given = (await response.json().catch(() => null)) as { proof?: unknown } | null;
  return given?.proof === expected ? 'proven' : 'refused';
}
