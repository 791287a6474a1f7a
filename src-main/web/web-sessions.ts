import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { writeFileAtomicallySync } from '../node/files.ts';
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
