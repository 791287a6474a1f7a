import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { writeFileAtomicallySync } from '../node/write-file-atomically.ts';

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
export type KeptSession = Static<typeof KeptSession>;

const KeptPlace = Type.Object({
  port: Type.Integer({ minimum: 0, maximum: 65_535 }),
  /** A name of this computer that only this profile has (W-08). */
  name: Type.String({ pattern: '^[0-9a-f]{16}\\.localhost$' }),
  sessions: Type.Array(KeptSession, { maxItems: 100 }),
});

/** Where a profile was last served, and to whom: open pages find their host again at the same place. */
export type KeptPlace = Static<typeof KeptPlace>;

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
    writeFileAtomicallySync(join(folder, FILE_NAME), JSON.stringify(place), MAX_WAIT_MS);
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
