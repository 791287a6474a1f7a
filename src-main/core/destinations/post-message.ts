import { toVisible } from '../../common/words/visible-text.ts';
import { rejectOnAbort } from '../calls/calls.ts';
import { parseRetryAfterMs } from '../client/send-request.ts';
import { mapNetworkError } from '../client/map-network-error.ts';

/** From the start to the last byte that is read of the answer. */
const LIMIT_MS = 15_000;
/** What is read of an answer; the connection is closed over the rest. */
const MAX_ANSWER_BYTES = 4096;
/** Longest answer that is kept. */
export const MAX_ANSWER_CHARACTERS = 200;
const RETRIED_STATUSES = new Set([408, 425, 429]);

/** What became of one try. */
export interface PostResult {
  readonly outcome: 'sent' | 'retry' | 'failed';
  /** Short, and without secrets. */
  readonly answer: string;
  /** How long the receiver asks to be left alone. */
  readonly retryAfterMs: number | null;
}

interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
  readonly cleanText: (text: string) => string;
  now(): number;
}

/** Sends a message once. A redirect is not followed. Rejects only when aborted. */
export async function postMessage(fetch: typeof globalThis.fetch, post: Post): Promise<PostResult> {
  const { url, headers, body, cleanText } = post;
  const controller = new AbortController();
  const signal = AbortSignal.any([
    post.signal,
    controller.signal,
    AbortSignal.timeout(post.limitMs ?? LIMIT_MS),
  ]);
  try {
    const response = await rejectOnAbort(
      fetch(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        credentials: 'omit',
        cache: 'no-store',
        signal,
      }),
      signal,
    );
    const { status } = response;
    // Once the status is there, an answer that breaks off changes nothing.
    const text = await rejectOnAbort(readStart(response), signal).catch(() => '');
    const words = toVisible(cleanText(text).replace(/\s+/gu, ' ').trim());
    const answer = `${status} ${words}`.trim().slice(0, MAX_ANSWER_CHARACTERS);
    const retryAfterMs = parseRetryAfterMs(response.headers.get('retry-after'), post.now());
    if (response.ok) return { outcome: 'sent', answer, retryAfterMs: null };
    const isRetried = status >= 500 || RETRIED_STATUSES.has(status);
    return { outcome: isRetried ? 'retry' : 'failed', answer, retryAfterMs };
  } catch (error) {
    if (post.signal.aborted) throw error;
    const { code } = mapNetworkError(signal.aborted ? signal.reason : error);
    return {
      outcome: code === 'client.redirected' ? 'failed' : 'retry',
      answer: code,
      retryAfterMs: null,
    };
  } finally {
    controller.abort();
  }
}

/** The first bytes of a body, decoded. */
async function readStart(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  while (reader !== undefined && size < MAX_ANSWER_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    const part = value.subarray(0, MAX_ANSWER_BYTES - size);
    size += part.byteLength;
    text += decoder.decode(part, { stream: true });
  }
  void reader?.cancel().catch(() => undefined);
  return text;
}
