import type { Readable } from 'node:stream';
import { net, type AuthInfo, type ClientRequest, type IncomingMessage, type Session } from 'electron';

import type { ProxyLogins } from '../../core/host.ts';

const PROXY_LOGIN_REQUIRED = 407;
/** Responses with these statuses have no body; the constructor of Response rejects one. */
const BODILESS = new Set([204, 205, 304]);
/** How much of a body may wait for its reader before the network has to wait too. */
const MAX_WAITING_BYTES = 256 * 1024;

/**
 * Names and values in turn, as they came: Electron's own record leaves the second of some names out. Chromium gives text
 * of any alphabet, while a Headers takes bytes only: it becomes what it was on the wire, as Node's fetch has it. A name
 * that is none is left out.
 */
function toHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const bytes = Buffer.from(raw[at + 1] ?? '', 'utf8').toString('latin1');
    try {
      headers.append(raw[at] ?? '', bytes.replace(/[\0\r\n]/gu, ' '));
    } catch {
      // No code reads a header by such a name.
    }
  }
  return headers;
}

/** Throws for a status that no Response can have. */
function toResponse(sent: ClientRequest, message: IncomingMessage, isHead: boolean): Response {
  const { statusCode: status } = message;
  const stream = message as unknown as Readable;
  // An error after the last byte that anybody reads concerns nobody; without a listener it would end the application.
  stream.on('error', () => undefined);
  if (status < 200 || status > 599) {
    throw Object.assign(new Error(`The status is ${status}.`), { code: 'ERR_INVALID_HTTP_RESPONSE' });
  }
  const headers = toHeaders(message.rawHeaders);
  if (isHead || BODILESS.has(status)) {
    stream.resume();
    return new Response(null, { status, headers });
  }
  // Its status text is left out: it may hold what a Response refuses, and nothing shows it.
  return new Response(toBody(sent, stream), { status, headers });
}

/**
 * The bytes of a response as they come. Node's own adapter throws, within the network's event, for a chunk that comes
 * after a cancellation, and leaves the request running.
 */
function toBody(sent: ClientRequest, stream: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isOver = false;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: (controller) => {
        const end = (finish: () => void): void => {
          if (!isOver) finish();
          isOver = true;
        };
        stream.on('data', (chunk: Uint8Array<ArrayBuffer>) => {
          if (isOver) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) stream.pause();
        });
        stream.once('end', () => end(() => controller.close()));
        stream.on('error', (error) => end(() => controller.error(error)));
        stream.once('close', () => end(() => controller.error(new TypeError('terminated'))));
        stream.pause();
      },
      pull: () => void stream.resume(),
      // Whoever cancels the body wants no more of it from the network either.
      cancel: () => {
        isOver = true;
        sent.abort();
      },
    },
    { highWaterMark: MAX_WAITING_BYTES, size: (chunk) => chunk.byteLength },
  );
}

/**
 * A fetch over Chromium's network, which uses the system's proxy and certificates. It behaves as
 * Node's does: a failure is a TypeError with the reason as its cause, and a redirect is a response with its `location`,
 * which Electron's own fetch hides. No cookie or password of the system is ever sent along; a proxy that asks who is
 * calling is told what `findLogins` knows.
 */
export function createNetworkFetch(
  network: Session,
  findLogins: () => ProxyLogins | null = () => null,
): typeof globalThis.fetch {
  return async (input, init) => {
    const wanted = new Request(input, init);
    const body = wanted.body === null ? undefined : Buffer.from(await wanted.arrayBuffer());
    wanted.signal.throwIfAborted();
    return new Promise<Response>((resolve, reject) => {
      const sent = net.request({
        session: network,
        method: wanted.method,
        url: wanted.url,
        credentials: 'omit',
        useSessionCookies: false,
        cache: 'no-store',
        redirect: 'manual',
      });
      for (const [name, value] of wanted.headers) sent.setHeader(name, value);
      let asksForLogin = false;
      const proxyAnswers = answerProxy(findLogins());
      const fail = (cause: unknown): void => reject(new TypeError('fetch failed', { cause }));
      // These are called from within the network's own events: what they throw would end the application.
      const settle = (answer: () => Response): void => {
        try {
          resolve(answer());
        } catch (error) {
          fail(error);
          sent.abort();
        }
      };
      const abort = (): void => {
        reject(wanted.signal.reason as Error);
        sent.abort();
      };
      wanted.signal.addEventListener('abort', abort, { once: true });
      sent.on('response', (message) => {
        proxyAnswers.end(message.statusCode !== PROXY_LOGIN_REQUIRED);
        settle(() => toResponse(sent, message, wanted.method === 'HEAD'));
      });
      sent.once('close', () => proxyAnswers.end(false));
      sent.on('redirect', (status, _method, target) => {
        settle(() => new Response(null, { status, headers: toHeaders(['location', target]) }));
        sent.abort();
      });
      sent.on('login', (info, answer) => {
        asksForLogin = info.isProxy;
        proxyAnswers.answer(info, answer);
      });
      sent.on('error', (cause) => {
        proxyAnswers.end(false);
        wanted.signal.removeEventListener('abort', abort);
        fail(asksForLogin ? Object.assign(cause, { code: 'ERR_PROXY_AUTH_REQUESTED' }) : cause);
      });
      sent.end(body);
    });
  };
}

/** Answers the proxy of one request with what is known, and says what came of it. */
export function answerProxy(logins: ProxyLogins | null) {
  let attempt = 0;
  let told: string | null = null;
  return {
    answer(
      { isProxy, host, port, realm }: AuthInfo,
      answer: (userName?: string, password?: string) => void,
    ): void {
      if (!isProxy || logins === null) {
        answer();
        return;
      }
      attempt += 1;
      const proxy = `${host}:${port}`;
      logins.find({ proxy, realm, attempt }).then(
        (login) => {
          if (login === null) {
            told = null;
            answer();
          } else {
            told = proxy;
            answer(login.userName, login.password);
          }
        },
        () => answer(),
      );
    },
    end(isThrough: boolean): void {
      if (told !== null) logins?.note(told, isThrough ? 'accepted' : 'unknown');
      told = null;
    },
  };
}
