const WINDOW_MS = 60_000;
const FREE_REQUESTS = 20;
const RETRY_SHARE = 0.1;

/** Keeps repeated requests to a small share, so that a service that struggles is not asked ever more. */
export interface RetryBudget {
  noteRequest(isRetry: boolean): void;
  /** Milliseconds until a request may be repeated; 0 when it may be now. */
  readWaitMs(): number;
}

/** Repeats may be 10 % of the requests of the last minute, as soon as these are more than 20. */
export function createRetryBudget(now: () => number): RetryBudget {
  let requests: { readonly atMs: number; readonly isRetry: boolean }[] = [];

  const forgetOld = (): void => {
    const nowMs = now();
    // What lies in the future was noted before the clock was set back.
    requests = requests.filter(({ atMs }) => atMs <= nowMs && atMs > nowMs - WINDOW_MS);
  };
  return {
    noteRequest(isRetry) {
      forgetOld();
      requests.push({ atMs: now(), isRetry });
    },
    readWaitMs() {
      forgetOld();
      let count = requests.length;
      let retries = requests.filter(({ isRetry }) => isRetry).length;
      let waitMs = 0;
      for (const { atMs, isRetry } of requests) {
        if (count < FREE_REQUESTS || retries + 1 <= (count + 1) * RETRY_SHARE) break;
        count -= 1;
        if (isRetry) retries -= 1;
        waitMs = atMs + WINDOW_MS - now();
      }
      return waitMs;
    },
  };
}
