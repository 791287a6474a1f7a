const WINDOW_MS = 5000;
/** Samples closer than this are joined, so that fast work keeps few of them. */
const STEP_MS = 100;
/** A rate over less than this is no measure. */
const MIN_SPAN_MS = 500;

export interface ProgressRate {
  /** Measures from here on only: what was done before took another time. */
  begin(atMs: number, done: number): void;
  add(atMs: number, done: number): void;
  /** Units a second over the last five seconds; null while too little was seen. Falls while nothing happens. */
  read(nowMs: number): number | null;
}

/** Works out a rate from the last five seconds of progress. */
export function createProgressRate(startedAtMs: number): ProgressRate {
  const samples: { atMs: number; done: number }[] = [{ atMs: startedAtMs, done: 0 }];
  return {
    begin(atMs, done) {
      samples.splice(0, samples.length, { atMs, done });
    },
    add(atMs, done) {
      const last = samples.at(-1);
      if (last !== undefined && samples.length > 1 && atMs - last.atMs < STEP_MS) last.done = done;
      else samples.push({ atMs, done });
      while ((samples[1]?.atMs ?? Infinity) <= atMs - WINDOW_MS) samples.shift();
    },
    read(nowMs) {
      const windowStartMs = nowMs - WINDOW_MS;
      const last = samples.at(-1);
      const first = samples.findLast((sample) => sample.atMs <= windowStartMs) ?? samples[0];
      if (first === undefined || last === undefined) return null;
      const spanMs = nowMs - Math.max(first.atMs, windowStartMs);
      return spanMs < MIN_SPAN_MS ? null : Math.max(0, ((last.done - first.done) * 1000) / spanMs);
    },
  };
}
