import { drawLength, drawSession, MEAN_LENGTH, type SampleSession } from '../sample/draw-turn.ts';
import type { Random } from '../sample/random.ts';

/** Whoever hasn't written for so long has left. */
const IDLE_MS = 300_000;
/** Looking through all of them for each request would take long where there are many. */
const SWEEP_EVERY_MS = 1_000;

interface OpenSession {
  readonly session: SampleSession;
  left: number;
  lastMs: number;
}

/** Sessions of new traffic: as many begin and as many requests has each as in the history. */
export interface LiveSessions {
  /** The session whose request is next. */
  pick(atMs: number): SampleSession;
  /** The first session number that is still free. */
  getNext(): number;
}

/** Session numbers count on from `firstSession`. */
export function createLiveSessions(random: Random, firstSession: number): LiveSessions {
  let nextSession = firstSession;
  let open: OpenSession[] = [];
  let sweptMs = -Infinity;
  const sweep = (atMs: number): void => {
    if (atMs - sweptMs < SWEEP_EVERY_MS) return;
    open = open.filter(({ lastMs }) => atMs - lastMs < IDLE_MS);
    sweptMs = atMs;
  };
  const goOn = (place: number, atMs: number): SampleSession | undefined => {
    const going = open[place];
    if (going === undefined) return undefined;
    going.left -= 1;
    going.lastMs = atMs;
    const last = open.at(-1);
    if (going.left === 0 && last !== undefined) {
      open[place] = last;
      open.pop();
    }
    return going.session;
  };
  return {
    pick: (atMs) => {
      sweep(atMs);
      const going = random() * MEAN_LENGTH >= 1 ? goOn(Math.floor(random() * open.length), atMs) : undefined;
      if (going !== undefined) return going;
      const session = drawSession(random, nextSession);
      nextSession += 1;
      const left = drawLength(random) - 1;
      if (left > 0) open.push({ session, left, lastMs: atMs });
      return session;
    },
    getNext: () => nextSession,
  };
}
