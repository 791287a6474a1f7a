const SAME_SIGNAL_MS = 1_000;
const CANCELLED = 7;

/**
 * Ends the process at once at a second Ctrl+C: it doesn't wait for an end in order. npm passes each one on, so the same
 * one may come twice.
 */
export function endOnSecondSignal(process: Pick<NodeJS.Process, 'on' | 'exit'>): void {
  let firstAtMs: number | null = null;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      firstAtMs ??= performance.now();
      if (performance.now() - firstAtMs > SAME_SIGNAL_MS) process.exit(CANCELLED);
    });
  }
}
