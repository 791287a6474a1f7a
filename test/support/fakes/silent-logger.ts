import type { Logger } from '../../../src-main/core/logging/logger.ts';

/** A logger for tests that don't look at log lines. */
export function createSilentLogger(): Logger {
  const ignore = (): void => undefined;
  return { info: ignore, warn: ignore, error: ignore, child: createSilentLogger };
}
