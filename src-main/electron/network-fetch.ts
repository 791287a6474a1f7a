import { Readable } from 'node:stream';
import { net, type IncomingMessage, type Session } from 'electron';

/** Responses with these statuses have no body; the constructor of Response rejects one. */
const BODILESS = new Set([101, 204, 205, 304]);

function toHeaders(given: Record<string, string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(given)) {
    for (const value of [values].flat()) headers.append(name, value);
  }
  return headers;
}

function toResponse(message: IncomingMessage, isHead: boolean): Response {
  const { statusCode: status, statusMessage: statusText } = message;
  const body =
    isHead || BODILESS.has(status)
      ? null
      : (Readable.toWeb(message as unknown as Readable) as ReadableStream);
  return new Response(body, { status, statusText, headers: toHeaders(message.headers) });
}

/**
 * A fetch over Chromium's network, which uses the system's proxy and certificates. It behaves as
 * Node's does: a failure is a TypeError with the reason as its cause, and a redirect is a response with its `location`,
 * which Electron's own fetch hides. No cookie or password of the system is ever sent along.
 */
export function createNetworkFetch(session: Session): typeof globalThis.fetch {
  return async (input, init) => {
    const wanted = new Request(input, init);
    const body = wanted.body === null ? undefined : Buffer.from(await wanted.arrayBuffer());
    wanted.signal.throwIfAborted();
    return new Promise<Response>((resolve, reject) => {
      const sent = net.request({
        session,
        method: wanted.method,
        url: wanted.url,
        credentials: 'omit',
        useSessionCookies: false,
        cache: 'no-store',
        redirect: 'manual',
      });
      for (const [name, value] of wanted.headers) sent.setHeader(name, value);
      const abort = (): void => {
        reject(wanted.signal.reason as Error);
        sent.abort();
      };
      wanted.signal.addEventListener('abort', abort, { once: true });
      sent.on('response', (message) => resolve(toResponse(message, wanted.method === 'HEAD')));
      sent.on('redirect', (status, _method, target) => {
        resolve(new Response(null, { status, headers: { location: target } }));
        sent.abort();
      });
      sent.on('error', (cause) => {
        wanted.signal.removeEventListener('abort', abort);
        reject(new TypeError('fetch failed', { cause }));
      });
      sent.end(body);
    });
  };
}
