import { createToken, digestToken, matchesDigest } from '../node/secret-tokens.ts';

const MAX_LAUNCH_MS = 10 * 60_000;
const MAX_IDLE_MS = 12 * 3_600_000;
const MAX_AGE_MS = 7 * 24 * 3_600_000;

interface Session {
  readonly headerDigest: Buffer;
  readonly startedAtMs: number;
  usedAtMs: number;
}

/** The two halves of a session: one that scripts can't read, one that other servers on this computer never receive. */
export interface SessionTokens {
  readonly cookie: string;
  readonly header: string;
}

export interface WebSessions {
  /** Valid once, for ten minutes. A session lasts for twelve hours after the person's last action, seven days at most. */
  readonly launchToken: string;
  /** Swaps the launch token for a session; null when it is wrong, used or too old. */
  tryLaunch(token: string): SessionTokens | null;
  /** The cookie alone opens nothing but downloads whose path is itself a secret. */
  hasCookie(cookie: string): boolean;
  isAllowed(cookie: string, header: string): boolean;
  /** Notes that the person did something, `agoMs` before now. */
  use(cookie: string, agoMs: number): void;
  end(cookie: string): void;
}

/** Keeps the sessions of one process in memory (W-04, W-06, W-07). */
export function createWebSessions(now: () => number): WebSessions {
  const launchToken = createToken();
  const startedAtMs = now();
  let launchDigest: Buffer | null = digestToken(launchToken);
  // By digest of the cookie.
  const sessions = new Map<string, Session>();

  const tryFind = (cookie: string): Session | undefined => {
    const nowMs = now();
    for (const [key, session] of sessions) {
      const isOver = nowMs - session.usedAtMs >= MAX_IDLE_MS || nowMs - session.startedAtMs >= MAX_AGE_MS;
      if (isOver) sessions.delete(key);
    }
    return sessions.get(toKey(cookie));
  };

  return {
    launchToken,
    tryLaunch: (token) => {
      if (launchDigest === null || now() - startedAtMs >= MAX_LAUNCH_MS) return null;
      if (!matchesDigest(token, launchDigest)) return null;
      launchDigest = null;
      const tokens = { cookie: createToken(), header: createToken() };
      const session = { headerDigest: digestToken(tokens.header), startedAtMs: now(), usedAtMs: now() };
      sessions.set(toKey(tokens.cookie), session);
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
    },
    end: (cookie) => sessions.delete(toKey(cookie)),
  };
}

function toKey(cookie: string): string {
  return digestToken(cookie).toString('base64');
}
