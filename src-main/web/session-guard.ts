import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Connections } from '../node/http/cap-connections.ts';
import type { FailureLimiter } from '../node/http/failure-limiter.ts';
import { refuse } from '../node/http/problem.ts';
import type { Hook } from './request-checks.ts';
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
