export interface Throttled {
  (): void;
  /** Forgets a run that is still to come. */
  cancel(): void;
}

/** Runs at once, then at most once in each interval; calls in between are joined to one at its end. */
export function throttle(run: () => void, intervalMs: number): Throttled {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isWanted = false;
  const runNow = (): void => {
    isWanted = false;
    timer = setTimeout(() => {
      timer = null;
      if (isWanted) runNow();
    }, intervalMs);
    run();
  };
  const throttled = (): void => {
    if (timer === null) runNow();
    else isWanted = true;
  };
  throttled.cancel = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    isWanted = false;
  };
  return throttled;
}
