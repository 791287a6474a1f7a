import type { Core } from '../../core/create-core.ts';
import type { Logger } from '../../core/logging/logger.ts';

/** Logs what happens before there is a core as soon as there is one; null, or one that fails, logs nothing. */
export function logLater(creation: Promise<Pick<Core, 'logger'>> | null): Pick<Logger, 'error' | 'warn'> {
  // Why there is none is told elsewhere, once.
  const log = (write: (logger: Logger) => void): void =>
    void creation?.then(({ logger }) => write(logger)).catch(() => undefined);
  return {
    error: (...said) => log((logger) => logger.error(...said)),
    warn: (...said) => log((logger) => logger.warn(...said)),
  };
}
