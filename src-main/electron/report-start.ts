import { appendFileSync } from 'node:fs';
import type { StartMessage } from '../common/start-message.ts';

const ALIVE_EVERY_MS = 1_000;

export interface StartReport {
  readonly tell: (said: StartMessage['channelscope']) => void;
}

/**
 * Tells the command that started the application, where there is one, that the start goes on, until the window is
 * shown. Without a word from here, that command opens the browser instead.
 */
export function reportStart(
  send: ((message: StartMessage) => unknown) | undefined,
  file?: string,
): StartReport {
  let isOver = false;
  const ways: readonly StartReport['tell'][] = [
    (said) => send?.({ channelscope: said }),
    (said) => {
      if (file !== undefined && file !== '') appendFileSync(file, `${said}\n`);
    },
  ];
  // The command stops listening after its answer, while a window may be opened more than once.
  const tell = (said: StartMessage['channelscope']): void => {
    if (isOver) return;
    isOver = said !== 'alive';
    if (isOver) clearInterval(timer);
    for (const say of ways) {
      try {
        say(said);
      } catch {
        // The command has ended: nobody waits for it there any more.
      }
    }
  };
  const timer = setInterval(() => tell('alive'), ALIVE_EVERY_MS);
  timer.unref();
  tell('alive');
  return { tell };
}
