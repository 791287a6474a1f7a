import type { LiveTraffic } from './live-traffic.ts';

const LIVE_EVERY_MS = 1_000;

/** Writes traffic once a second while it is on; a second is left out while the one before is being written. */
export function createLiveSwitch(traffic: LiveTraffic, reportError: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;
  let noting: Promise<void> = Promise.resolve();
  const write = (): void => {
    // A full disk must not end the service: what is stored can still be read.
    writing ??= traffic
      .writeSecond()
      .catch(reportError)
      .finally(() => {
        writing = null;
      });
  };
  const set = (live: boolean): void => {
    clearInterval(timer);
    timer = live ? setInterval(write, LIVE_EVERY_MS) : undefined;
    noting = noting.then(() => traffic.noteSilence(!live)).catch(reportError);
  };
  return {
    set,
    isOn: (): boolean => timer !== undefined,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await Promise.all([writing, noting]);
    },
  };
}
