import type { StartMessage } from '../common/start-message.ts';

const ALIVE_EVERY_MS = 1_000;

export interface StartReport {
  readonly tell: (said: StartMessage['channelscope']) => void;
}

/**
 * Tells the command that started the application, where there is one, that the start goes on, until the window is
 * shown. Without a word from here, that command opens the browser instead.
 */
export function reportStart(send: ((message: StartMessage) => unknown) | undefined): StartReport {
  let isOver = false;
  // The command stops listening after its answer, while a window may be opened more than once.
  const tell = (said: StartMessage['channelscope']): void => {
    if (isOver) return;
    isOver = said !== 'alive';
    if (isOver) clearInterval(timer);
    try {
      send?.({ channelscope: said });
    } catch {
      // The command has ended: nobody waits for it any more.
      clearInterval(timer);
    }
  };
  const timer = setInterval(() => tell('alive'), ALIVE_EVERY_MS);
  timer.unref();
  tell('alive');
  return { tell };
}
