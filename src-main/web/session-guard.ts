import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Connections, countHeader } from '../node/http/harden-server.ts';
import { type FailureLimiter, refuse } from '../node/http/problem.ts';
import type { WebSessions } from './web-sessions.ts';

const COOKIE_OPTIONS: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'strict' };

/** Finds the session of a request, and rejects requests that have none. */
export interface SessionGuard {
  /** A hook: the cookie alone, for downloads. */
  readonly requireCookie: Hook;
  /** A hook: the cookie and the header token, for everything else. */
  readonly requireSession: Hook;
  /** Whether the session of a request lasts; to ask is no use of it. */
  hasSession(request: FastifyRequest): boolean;
  /** Swaps the launch token for a session: sets the cookie and returns the header token; null when the token is wrong. */
  startSession(request: FastifyRequest, reply: FastifyReply, launchToken: string): string | null;
  endSession(request: FastifyRequest, reply: FastifyReply): FastifyReply;
}

export function createSessionGuard(parts: {
  sessions: WebSessions;
  failures: FailureLimiter;
  connections: Connections;
}): SessionGuard {
  const { sessions, failures, connections } = parts;
  const hasSession = (request: FastifyRequest): boolean =>
    sessions.isAllowed(readCookie(request), readToken(request));
  const useSession = (request: FastifyRequest): boolean => {
    if (!hasSession(request)) return false;
    sessions.use(readCookie(request), readIdleMs(request));
    return true;
  };
  const requireAccess =
    (hasAccess: (request: FastifyRequest) => boolean): Hook =>
    (request, reply, done) => {
      if (hasAccess(request)) {
        connections.trust(request.raw.socket);
        done();
      } else if (!refuseWhileSlowedDown(request, reply, failures)) {
        failures.add(request.ip);
        void refuse(reply, 401);
      }
    };
  return {
    requireCookie: requireAccess((request) => sessions.hasCookie(readCookie(request))),
    requireSession: requireAccess(useSession),
    hasSession,
    startSession: (request, reply, launchToken) => {
      const tokens = sessions.tryLaunch(launchToken);
      if (tokens === null) return null;
      void reply.setCookie(toCookieName(request), tokens.cookie, COOKIE_OPTIONS);
      return tokens.header;
    },
    endSession: (request, reply) => {
      sessions.end(readCookie(request));
      return reply.clearCookie(toCookieName(request), COOKIE_OPTIONS);
    },
  };
}

/** Refuses with 429 after too many failures; true when it did. Every client shares 127.0.0.1, so all of them wait. */
export function refuseWhileSlowedDown(
  request: FastifyRequest,
  reply: FastifyReply,
  failures: FailureLimiter,
): boolean {
  const waitSeconds = failures.getWaitSeconds(request.ip);
  if (waitSeconds === 0) return false;
  void refuse(reply.header('retry-after', String(waitSeconds)), 429);
  return true;
}

function readToken({ headers }: FastifyRequest): string {
  const token = headers['x-channelscope-session'];
  return typeof token === 'string' ? token : '';
}

/** How long ago the person did something, as the window says; a request without it counts as the person's own. */
function readIdleMs({ headers }: FastifyRequest): number {
  const idleMs = Number(headers['x-channelscope-idle-ms'] ?? 0);
  return Number.isFinite(idleMs) && idleMs > 0 ? idleMs : 0;
}

/** Two instances on one computer share their cookies, so each has a cookie name of its own. */
function toCookieName(request: FastifyRequest): string {
  return `channelscope-${request.socket.localPort ?? 0}`;
}

/** Empty when the cookie is missing, or sent twice: another server on this computer may have set the second one. */
function readCookie(request: FastifyRequest): string {
  const name = toCookieName(request);
  const isSentOnce = (request.headers.cookie ?? '').split(`${name}=`).length === 2;
  return isSentOnce ? (request.cookies[name] ?? '') : '';
}

/** Runs before a body is read; responds itself when it doesn't call `done`. */
type Hook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

/** A hook that refuses other methods with 405. */
export function allowMethods(...methods: readonly string[]): Hook {
  return (request, reply, done) => {
    if (methods.includes(request.method)) done();
    else void refuse(reply.header('allow', methods.join(', ')), 405);
  };
}

/**
 * A hook that accepts calls only from a page of the same address; calls of other pages on this computer, and of the
 * application's page under another name, are rejected. The address itself was checked before.
 */
export const refuseForeignOrigin: Hook = (request, reply, done) => {
  const { host, origin, 'sec-fetch-site': site } = request.headers;
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  const isOwnOrigin =
    origin === undefined
      ? isReading
      : origin === `http://${host ?? ''}` && countHeader(request.raw, 'origin') === 1;
  if (isOwnOrigin && (site === undefined || site === 'same-origin')) done();
  else void refuse(reply, 403);
};

/** The languages of the browser that shows the window. */
export interface BrowserLanguages {
  /** The preferred one first; those of this process until a browser came. */
  list(): readonly string[];
  /** Takes over what a browser says when it asks for the page. */
  note(header: string | undefined): void;
}

const MAX_LANGUAGES = 20;

/** Starts with the language of this process, which takes a moment to find out, and is asked for where no browser comes. */
export function createBrowserLanguages(): BrowserLanguages {
  let languages: readonly string[] | null = null;
  return {
    list: () => (languages ??= [Intl.DateTimeFormat().resolvedOptions().locale]),
    note(header) {
      const given = readAcceptLanguage(header ?? '');
      if (given.length > 0) languages = given;
    },
  };
}

/** Reads an Accept-Language header (RFC 9110, section 12.5.4); what weighs nothing is left out. */
export function readAcceptLanguage(header: string): readonly string[] {
  return header
    .split(',', MAX_LANGUAGES)
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
      const quality = parameters.find((text) => text.startsWith('q='));
      return { tag, weight: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ tag, weight }) => /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(tag) && weight > 0)
    .toSorted((first, second) => second.weight - first.weight)
    .map(({ tag }) => tag);
}
