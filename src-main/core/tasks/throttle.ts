export interface Throttle {
  /** Sends now, or once the interval since the last sending is over. */
  request(): void;
  /** Sends what is still waiting, at once, and rests. */
  flush(): void;
}

/** Lets `send` run at most once in an interval; the last request is never lost. */
export function createThrottle(intervalMs: number, send: () => void): Throttle {
  let timer: NodeJS.Timeout | null = null;
  let waiting = false;

  function sendAndRest(): void {
    waiting = false;
    timer = setTimeout(() => {
      timer = null;
      if (waiting) sendAndRest();
    }, intervalMs);
    send();
  }

  return {
    request() {
      if (timer === null) sendAndRest();
      else waiting = true;
    },
    flush() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (!waiting) return;
      waiting = false;
      send();
    },
  };
}
