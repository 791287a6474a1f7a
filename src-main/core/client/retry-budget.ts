const WINDOW_MS = 60_000;
const FREE_REQUESTS = 20;
const RETRY_SHARE = 0.1;

/** Keeps repeated requests to a small share, so that an overloaded service doesn't get more and more of them. */
export interface RetryBudget {
  noteRequest(isRetry: boolean): void;
  allowsRetry(): boolean;
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
    allowsRetry() {
      forgetOld();
      const retries = requests.filter(({ isRetry }) => isRetry).length;
      return requests.length < FREE_REQUESTS || retries + 1 <= (requests.length + 1) * RETRY_SHARE;
    },
  };
}
