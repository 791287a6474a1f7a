import { AppError } from '../../src-main/common/contract/errors.ts';
import { MOST_IMPORT_BYTES } from '../../src-main/common/contract/local-service.ts';
import type { EventPayload, Output } from '../../src-main/common/contract/index.ts';
import type { Backend } from './backend.ts';
import { openAnswer } from './open-answer.ts';
import { readEventStream } from './read-event-stream.ts';

const RETRY_FIRST_MS = 500;
const RETRY_MOST_MS = 10_000;

export interface WebBackendOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Empty for the page's own host. */
  readonly origin: string;
  readonly token: string;
  /** The host doesn't know this session, or no longer. */
  readonly onSessionLost: () => void;
  /** Ends the stream of events; a page needs none, it is gone with it. */
  readonly signal?: AbortSignal;
}

type Listener = (payload: unknown) => void;

function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

function toTooLarge(): AppError {
  return new AppError('local-service.file-too-large', 'The file is too large to be sent.');
}

/** The carrier of the browser: calls are posts, events are one long answer that is asked for anew when it ends. */
export function createWebBackend(options: WebBackendOptions): Backend {
  const { fetch, origin, token, onSessionLost, signal } = options;
  const headers = { 'x-channelscope-session': token };
  const listeners = new Map<string, Set<Listener>>();
  let isStreaming = false;

  const hearOnce = async (): Promise<void> => {
    const answer = await fetch(`${origin}/api/events`, { headers, signal: signal ?? null });
    if (answer.status === 401) {
      onSessionLost();
      return;
    }
    if (!answer.ok || answer.body === null) return;
    for await (const event of readEventStream(answer.body)) {
      const payload = JSON.parse(event.data) as unknown;
      for (const listener of listeners.get(event.name) ?? []) listener(payload);
    }
  };
  const hear = async (): Promise<void> => {
    let retryMs = RETRY_FIRST_MS;
    while (signal?.aborted !== true) {
      const startedAtMs = performance.now();
      await hearOnce().catch(() => undefined);
      // A stream that lasted was a good one: what ended it deserves a quick answer.
      retryMs = performance.now() - startedAtMs > RETRY_MOST_MS ? RETRY_FIRST_MS : retryMs;
      await wait(retryMs);
      retryMs = Math.min(retryMs * 2, RETRY_MOST_MS);
    }
  };

  return {
    call: async (name, input) => {
      const answer = await fetch(`${origin}/api/call/${name}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      }).catch((cause: unknown) => {
        throw new AppError('app.host-gone', 'The application does not answer.', {}, cause);
      });
      if (answer.status === 401) onSessionLost();
      if (!answer.ok) throw new AppError('app.host-gone', `The application answered ${answer.status}.`);
      return openAnswer(await answer.json()) as Output<typeof name>;
    },
    upload: async (file, abort) => {
      if (file.size > MOST_IMPORT_BYTES) throw toTooLarge();
      const answer = await fetch(`${origin}/api/imports`, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/octet-stream',
          'x-channelscope-file-name': encodeURIComponent(file.name),
        },
        body: file,
        signal: abort,
      }).catch((cause: unknown) => {
        abort.throwIfAborted();
        throw new AppError('app.host-gone', 'The application does not answer.', {}, cause);
      });
      if (answer.status === 401) onSessionLost();
      if (answer.status === 413) throw toTooLarge();
      if (!answer.ok) throw new AppError('app.host-gone', `The application answered ${answer.status}.`);
      return ((await answer.json()) as { uploadId: string }).uploadId;
    },
    on: (name, listener) => {
      const hearing: Listener = (payload) => listener(payload as EventPayload<typeof name>);
      const known = listeners.get(name) ?? new Set();
      listeners.set(name, known.add(hearing));
      if (!isStreaming) {
        isStreaming = true;
        void hear();
      }
      return () => {
        known.delete(hearing);
      };
    },
  };
}
