import { Readable } from 'node:stream';
import { net, type IncomingMessage, type Session } from 'electron';

/** These answers have no body, and a Response refuses to be made with one. */
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
 * A fetch over Chromium's network, which knows the system's proxy and certificates. It keeps what the core knows
 * from Node's: a failure is a TypeError with the reason as its cause, and a redirect is an answer that says where
 * it points; Electron's own fetch can't tell that. No cookie or password of the system ever goes along.
 */
export function createNetworkFetch(session: Session): typeof globalThis.fetch {
  return async (input, init) => {
    const asked = new Request(input, init);
    const body = asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer());
    asked.signal.throwIfAborted();
    return new Promise<Response>((resolve, reject) => {
      const sent = net.request({
        session,
        method: asked.method,
        url: asked.url,
        credentials: 'omit',
        useSessionCookies: false,
        cache: 'no-store',
        redirect: 'manual',
      });
      for (const [name, value] of asked.headers) sent.setHeader(name, value);
      const abort = (): void => {
        reject(asked.signal.reason as Error);
        sent.abort();
      };
      asked.signal.addEventListener('abort', abort, { once: true });
      sent.on('response', (message) => resolve(toResponse(message, asked.method === 'HEAD')));
      sent.on('redirect', (status, _method, target) => {
        resolve(new Response(null, { status, headers: { location: target } }));
        sent.abort();
      });
      sent.on('error', (cause) => {
        asked.signal.removeEventListener('abort', abort);
        reject(new TypeError('fetch failed', { cause }));
      });
      sent.end(body);
    });
  };
}
