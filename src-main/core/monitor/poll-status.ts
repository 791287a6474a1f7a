import type { Settings } from '../../common/model/settings.ts';

const LOOK_EVERY_MS = 1_000;

/** What the poll reads and calls. */
export interface StatusPoll {
  readonly readSettings: () => Pick<Settings, 'refreshSeconds'>;
  /** The connection that the window shows; undefined before there is one. */
  findWatched(): Promise<string | undefined>;
  /** When a connection's status was last requested, by the poll or the window; undefined when it never was. */
  findLastCheckMs(connectionId: string): number | undefined;
  check(connectionId: string): Promise<unknown>;
  now(): number;
}

/**
 * Requests the watched connection's status whenever its interval is over, also while no window is open. Each check
 * reads the clock and the settings again, so that waking from sleep and a changed interval need no code of their own.
 * Returns a function that ends it.
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
    // A connection may be removed before its request; the next check finds another.
    void look()
      .catch(() => undefined)
      .finally(() => (isLooking = false));
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
