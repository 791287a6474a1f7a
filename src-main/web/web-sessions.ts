import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { writeFileAtomicallySync } from '../node/files.ts';
import { type Connections, countHeader } from '../node/http/harden-server.ts';
import { type FailureLimiter, refuse } from '../node/http/problem.ts';
import { digestToken, makeSecretToken, matchesDigest } from '../node/secret-tokens.ts';

const MAX_LAUNCH_MS = 10 * 60_000;
/** Of tickets that wait, the newest ones. */
const MAX_TICKETS = 20;
const MAX_IDLE_MS = 12 * 3_600_000;
const MAX_AGE_MS = 7 * 24 * 3_600_000;
const MAX_KEPT = 20;
const KEEP_EVERY_MS = 10 * 60_000;

interface Session {
  readonly headerDigest: Buffer;
  readonly startedAtMs: number;
  usedAtMs: number;
}

/** The two halves of a session: one that scripts can't read, one that other servers on this computer never receive. */
interface SessionTokens {
  readonly cookie: string;
  readonly header: string;
}

/** What opens the application once, within ten minutes. */
interface LaunchTicket {
  readonly token: string;
  readonly isUsed: () => boolean;
}

/** A session lasts for twelve hours after the person's last action, seven days at most. */
export interface WebSessions {
  /** Makes one more way in; those from before stay valid. */
  makeTicket(): LaunchTicket;
  /** Swaps the token of a ticket for a session; null when it is wrong, used or too old. */
  tryLaunch(token: string): SessionTokens | null;
  /** The cookie alone opens nothing but downloads whose path is itself a secret. */
  hasCookie(cookie: string): boolean;
  isAllowed(cookie: string, header: string): boolean;
  /** Notes that the person did something, `agoMs` before now. */
  use(cookie: string, agoMs: number): void;
  end(cookie: string): void;
  /**
   * Proves to a page that this is the host that its session is with, before the page sends its token again: the HMAC of
   * the page's challenge, under the digest of the header token. Null for sessions that nobody has.
   */
  prove(sessionId: string, challenge: string): string | null;
  /** Keeps the sessions as they are now. */
  keep(): void;
}

interface KeptSessions {
  readonly sessions: readonly KeptSession[];
  readonly keep: (sessions: readonly KeptSession[]) => void;
}

/** Keeps sessions by their digests (W-04, W-06, W-07), also for the next start at the same place. */
export function createWebSessions(now: () => number, kept: KeptSessions): WebSessions {
  let keptAtMs = now();
  // By digest of the token.
  const tickets = new Map<string, { readonly atMs: number; readonly use: () => void }>();
  // By digest of the cookie.
  const sessions = new Map<string, Session>(
    kept.sessions.map(({ cookieDigest, headerDigest, ...times }) => [
      cookieDigest,
      { ...times, headerDigest: Buffer.from(headerDigest, 'base64') },
    ]),
  );

  const removeOver = (): void => {
    const nowMs = now();
    for (const [key, session] of sessions) {
      const isOver = nowMs - session.usedAtMs >= MAX_IDLE_MS || nowMs - session.startedAtMs >= MAX_AGE_MS;
      if (isOver) sessions.delete(key);
    }
  };
  const tryFind = (cookie: string): Session | undefined => {
    removeOver();
    return sessions.get(toKey(cookie));
  };
  const keep = (): void => {
    removeOver();
    keptAtMs = now();
    const list = [...sessions].map(([cookieDigest, { headerDigest, ...times }]) => ({
      ...times,
      cookieDigest,
      headerDigest: headerDigest.toString('base64'),
    }));
    kept.keep(list.slice(-MAX_KEPT));
  };

  return {
    makeTicket: () => {
      const token = makeSecretToken();
      const key = toKey(token);
      let isUsed = false;
      tickets.set(key, { atMs: now(), use: () => (isUsed = true) });
      for (const oldest of [...tickets.keys()].slice(0, -MAX_TICKETS)) tickets.delete(oldest);
      return { token, isUsed: () => isUsed };
    },
    tryLaunch: (token) => {
      const ticket = tickets.get(toKey(token));
      if (ticket === undefined || now() - ticket.atMs >= MAX_LAUNCH_MS) return null;
      tickets.delete(toKey(token));
      ticket.use();
      const tokens = { cookie: makeSecretToken(), header: makeSecretToken() };
      const session = { headerDigest: digestToken(tokens.header), startedAtMs: now(), usedAtMs: now() };
      sessions.set(toKey(tokens.cookie), session);
      keep();
      return tokens;
    },
    hasCookie: (cookie) => tryFind(cookie) !== undefined,
    isAllowed: (cookie, header) => {
      const session = tryFind(cookie);
      return session !== undefined && matchesDigest(header, session.headerDigest);
    },
    use: (cookie, agoMs) => {
      const session = tryFind(cookie);
      if (session !== undefined) session.usedAtMs = Math.max(session.usedAtMs, now() - agoMs);
      if (now() - keptAtMs >= KEEP_EVERY_MS) keep();
    },
    end: (cookie) => {
      sessions.delete(toKey(cookie));
      keep();
    },
    prove: (sessionId, challenge) => {
      removeOver();
      for (const { headerDigest } of sessions.values()) {
        if (matchesDigest(sessionId, digestToken(toSessionId(headerDigest)))) {
          return createHmac('sha256', headerDigest).update(challenge).digest('hex');
        }
      }
      return null;
    },
    keep,
  };
}

function toKey(token: string): string {
  return digestToken(token).toString('base64');
}

/** A name for a session that opens nothing: the digest of the digest. */
function toSessionId(headerDigest: Buffer): string {
  return digestToken(headerDigest.toString('hex')).toString('hex');
}

const FILE_NAME = 'web.json';
/** A start that waits for this file is worse than pages that need a new session. */
const MAX_WAIT_MS = 200;

/** A session by its digests: what opens it is in the browser only. */
const KeptSession = Type.Object({
  cookieDigest: Type.String({ pattern: '^[\\w+/]{43}=$' }),
  headerDigest: Type.String({ pattern: '^[\\w+/]{43}=$' }),
  startedAtMs: Type.Integer(),
  usedAtMs: Type.Integer(),
});
type KeptSession = Static<typeof KeptSession>;

const KeptPlace = Type.Object({
  port: Type.Integer({ minimum: 0, maximum: 65_535 }),
  /** A name of this computer that only this profile has (W-08). */
  name: Type.String({ pattern: '^[0-9a-f]{16}\\.localhost$' }),
  sessions: Type.Array(KeptSession, { maxItems: 100 }),
});

/** Where a profile was last served, and to whom: open pages find their host again at the same place. */
type KeptPlace = Static<typeof KeptPlace>;

/** Reads what the last start left; a new name, no port and no sessions where it left nothing that fits. */
export function readKeptPlace(folder: string): KeptPlace {
  try {
    const kept: unknown = JSON.parse(readFileSync(join(folder, FILE_NAME), 'utf8'));
    if (Value.Check(KeptPlace, kept)) return kept;
  } catch {
    // The first start, or a file that was damaged: pages ask for a new session.
  }
  return { port: 0, name: `${randomBytes(8).toString('hex')}.localhost`, sessions: [] };
}

/** Writes it for its owner only. Never throws. */
export function writeKeptPlace(folder: string, place: KeptPlace): void {
  try {
    writeFileAtomicallySync(join(folder, FILE_NAME), JSON.stringify(place), {
      maxWaitMs: MAX_WAIT_MS,
      // The first page waits for it; what a power cut takes of it is made anew.
      isFlushed: false,
    });
  } catch {
    // A full disk: the sessions end with this process.
  }
}

/** Returns the port if nobody holds it, else 0. */
export function findFreePort(port: number): Promise<number> {
  if (port === 0) return Promise.resolve(0);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen({ port, host: '127.0.0.1' }, () => server.close(() => resolve(port)));
  });
}

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
