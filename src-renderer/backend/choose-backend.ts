import type { Backend } from './backend.ts';
import { createIpcBackend, type DesktopBridge } from './ipc-backend.ts';
import { createWebBackend } from './web-backend.ts';
import { leaveWithoutSession, takeSessionToken } from './web-session.ts';

/** Returns the carrier for this window: the desktop's bridge where there is one, else the host of the page. */
export function chooseBackend(page: Window & { readonly channelscope?: DesktopBridge }): Backend {
  if (page.channelscope !== undefined) return createIpcBackend(page.channelscope);
  const token = takeSessionToken(page);
  const onSessionLost = (): void => leaveWithoutSession(page);
  if (token === null) onSessionLost();
  return createWebBackend({
    fetch: (input, init) => page.fetch(input, init),
    origin: '',
    token: token ?? '',
    onSessionLost,
    readIdleMs: watchActions(page),
  });
}

const ACTIONS = ['pointerdown', 'keydown', 'wheel'] as const;

/** Returns a function that says how long ago the person last did something in the page. */
function watchActions(page: Window): () => number {
  let atMs = Date.now();
  for (const name of ACTIONS) {
    page.addEventListener(
      name,
      () => {
        atMs = Date.now();
      },
      { capture: true, passive: true },
    );
  }
  return () => Math.max(0, Date.now() - atMs);
}
