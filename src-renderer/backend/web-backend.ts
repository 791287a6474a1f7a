import { EventSourceParserStream } from 'eventsource-parser/stream';
import { AppError } from '../../src-main/common/contract/errors.ts';
import { MAX_IMPORT_BYTES } from '../../src-main/common/contract/local-service.ts';
import type { EventName, EventPayload, Output } from '../../src-main/common/contract/index.ts';
import type { Backend } from './backend.ts';
import { openEnvelope } from './open-envelope.ts';

const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

export interface WebBackendOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Empty for the page's own host. */
  readonly origin: string;
  readonly token: string;
  /** Called when the host does not know this session, or no longer. */
  readonly onSessionLost: () => void;
  /** Ends the stream of events; a page needs none, since the stream ends with it. */
  readonly signal?: AbortSignal;
}

type Listener = (payload: unknown) => void;

function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

function createTooLargeError(): AppError {
  return new AppError('local-service.file-too-large', 'The file is too large to be sent.');
}

/** The carrier of the browser: calls are posts, events are one long response that is requested again when it ends. */
export function createWebBackend(options: WebBackendOptions): Backend {
  const { fetch, origin, token, onSessionLost, signal } = options;
  const session = { 'x-channelscope-session': token };
  const listeners = new Map<EventName, Set<Listener>>();
  let opened: Promise<void> | null = null;

  async function post(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | File,
    abort?: AbortSignal,
  ): Promise<Response> {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { ...session, ...headers },
      body,
      signal: abort ?? null,
    }).catch((cause: unknown) => {
      abort?.throwIfAborted();
      throw new AppError('app.host-gone', 'The application does not respond.', {}, cause);
    });
    if (response.status === 401) onSessionLost();
    if (response.status === 413 && body instanceof File) throw createTooLargeError();
    if (!response.ok) {
      throw new AppError('app.host-gone', `The application responded with status ${response.status}.`);
    }
    return response;
  }

  async function readEvents(onResponse: () => void): Promise<void> {
    const response = await fetch(`${origin}/api/events`, { headers: session, signal: signal ?? null });
    onResponse();
    if (response.status === 401) {
      onSessionLost();
      return;
    }
    if (!response.ok || response.body === null) return;
    const events = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    for await (const { event, data } of events) {
      const payload = JSON.parse(data) as unknown;
      for (const listener of listeners.get(event as EventName) ?? []) listener(payload);
    }
  }

  async function keepReadingEvents(onAttempt: () => void): Promise<void> {
    let retryMs = MIN_RETRY_MS;
    while (signal?.aborted !== true) {
      const startedAtMs = performance.now();
      await readEvents(onAttempt).catch(() => undefined);
      onAttempt();
      // A stream that lasted was healthy, so it is requested again without a long wait.
      retryMs = performance.now() - startedAtMs > MAX_RETRY_MS ? MIN_RETRY_MS : retryMs;
      await wait(retryMs);
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    }
  }

  return {
    call: async (name, input) => {
      // What a call answers is up to date only when every later change is received too.
      await opened;
      const headers = { 'content-type': 'application/json' };
      const response = await post(`/api/call/${name}`, headers, JSON.stringify(input));
      return openEnvelope(await response.json()) as Output<typeof name>;
    },
    upload: async (file, abort) => {
      if (file.size > MAX_IMPORT_BYTES) throw createTooLargeError();
      const headers = {
        'content-type': 'application/octet-stream',
        'x-channelscope-file-name': encodeURIComponent(file.name),
      };
      const response = await post('/api/imports', headers, file, abort);
      return ((await response.json()) as { uploadId: string }).uploadId;
    },
    on: (name, listener) => {
      const known = listeners.get(name) ?? new Set();
      // A listener may be given twice; each time counts.
      const entry: Listener = (payload) => listener(payload as EventPayload<typeof name>);
      listeners.set(name, known.add(entry));
      opened ??= new Promise((resolve) => void keepReadingEvents(resolve));
      return () => {
        known.delete(entry);
      };
    },
  };
}
