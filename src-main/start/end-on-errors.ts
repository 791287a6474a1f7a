import type { Logger } from '../core/logging/logger.ts';
import { toErrorText } from '../node/error-text.ts';
import { say } from './read-options.ts';

/** What can't end in order by then ends anyway. */
const MAX_STOP_MS = 10_000;

/** Logs what nobody caught, says so, and ends in order: after it nothing can be relied on. */
export function endOnErrors(
  program: Pick<NodeJS.Process, 'on' | 'exit'>,
  { findLogger, stop }: { findLogger: () => Logger | null; stop: () => Promise<void> },
): void {
  let isEnding = false;
  const exit = (): void => program.exit(1);
  const end = (error: unknown): void => {
    findLogger()?.error('uncaught', { error });
    if (isEnding) return;
    isEnding = true;
    say(`Channelscope ends, since something unexpected happened: ${toErrorText(error)}`);
    setTimeout(exit, MAX_STOP_MS).unref();
    stop().then(exit, exit);
  };
  program.on('uncaughtException', end);
  program.on('unhandledRejection', end);
}
