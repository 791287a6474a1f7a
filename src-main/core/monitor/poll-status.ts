import type { Settings } from '../../common/model/settings/settings.ts';

const LOOK_EVERY_MS = 1_000;

/** What the poll reads and calls. */
export interface StatusPoll {
  readonly readSettings: () => Pick<Settings, 'refreshSeconds'>;
  /** The connections that windows show, and others that are followed. */
  listWatched(): readonly { readonly connectionId: string; readonly isShown: boolean }[];
  /** When a connection's status was last requested, by the poll or the window; undefined when it never was. */
  findLastCheckMs(connectionId: string): number | undefined;
  /** True once its credentials were refused, as asking on could lock the account, and for a pause that it asks for. */
  isRefused(connectionId: string): boolean;
  check(connectionId: string): Promise<unknown>;
  now(): number;
}

/**
 * Requests the status of each watched connection whenever its interval is over, also while no window is open. Those that
 * are not shown are spread over the interval. Each look reads the clock and the settings again, so that waking from sleep
 * and a changed interval need no code of their own. Returns a function that ends it.
 */
export function pollStatus(poll: StatusPoll): () => void {
  const underWay = new Set<string>();
  let startedAtMs = -Infinity;
  const look = (): void => {
    const intervalMs = poll.readSettings().refreshSeconds * 1_000;
    if (intervalMs === 0) return;
    const watched = poll.listWatched();
    const [due] = watched
      .map(({ connectionId, isShown }) => {
        const lastMs = poll.findLastCheckMs(connectionId);
        const agoMs = lastMs === undefined ? Infinity : Math.abs(poll.now() - lastMs);
        return { connectionId, isShown, agoMs };
      })
      .filter(({ connectionId, agoMs, isShown }) => {
        if (underWay.has(connectionId) || poll.isRefused(connectionId) || agoMs < intervalMs) return false;
        return isShown || Math.abs(poll.now() - startedAtMs) >= intervalMs / (2 * watched.length);
      })
      .sort((a, b) => Number(b.isShown) - Number(a.isShown) || b.agoMs - a.agoMs);
    if (due === undefined) return;
    const { connectionId } = due;
    startedAtMs = poll.now();
    // One that takes its time keeps back no other; one may be removed before its request.
    underWay.add(connectionId);
    void poll
      .check(connectionId)
      .catch(() => undefined)
      .finally(() => underWay.delete(connectionId));
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
