import type { Settings } from '../../common/model/settings.ts';

const LOOK_EVERY_MS = 1_000;

/** What the poll needs to know and may do. */
export interface StatusPoll {
  readonly readSettings: () => Pick<Settings, 'refreshSeconds'>;
  /** The connection that the person watches; undefined before there is one. */
  findWatched(): Promise<string | undefined>;
  /** When a connection was last asked, by whomever; undefined when it never was. */
  findLastCheckMs(connectionId: string): number | undefined;
  check(connectionId: string): Promise<unknown>;
  now(): number;
}

/**
 * Asks for the watched connection's status whenever its interval is over, also while no window is open. Each look
 * reads the clock and the settings anew, so that a slept computer or a changed interval needs no word of its own.
 * The answer ends it.
 */
export function pollStatus(poll: StatusPoll): () => void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    const { refreshSeconds } = poll.readSettings();
    if (refreshSeconds === 0) return;
    const connectionId = await poll.findWatched();
    if (connectionId === undefined) return;
    const lastMs = poll.findLastCheckMs(connectionId);
    const agoMs = lastMs === undefined ? Infinity : Math.abs(poll.now() - lastMs);
    if (agoMs >= refreshSeconds * 1_000) await poll.check(connectionId);
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // A connection may be removed between finding and asking; the next look finds another.
    void look()
      .catch(() => undefined)
      .finally(() => (isLooking = false));
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
