import type { Backend } from './backend.ts';
import { createIpcBackend, type DesktopBridge } from './ipc-backend.ts';
import { keepSession } from './keep-session.ts';
import { proveHost } from './prove-host.ts';
import { askForSession } from './session-handover.ts';
import type { OtherTabs } from './share-stream.ts';
import { createWebBackend } from './web-backend.ts';
import { hideSessionToken, leaveWithoutSession, takeSessionToken } from './web-session.ts';

const openChannel = (name: string): BroadcastChannel => new BroadcastChannel(name);

/** Returns the session of this tab, or takes over that of another one; leaves the page where there is none. */
async function findToken(page: Window): Promise<string> {
  const own = takeSessionToken(page);
  if (own !== null) return own;
  const given = await askForSession(openChannel);
  if (given === null) leaveWithoutSession(page);
  else hideSessionToken(page, given, false);
  return given ?? '';
}

/** Returns the carrier for this window: the desktop's bridge where there is one, else the host of the page. */
export async function chooseBackend(
  page: Window & { readonly channelscope?: DesktopBridge },
): Promise<Backend> {
  if (page.channelscope !== undefined) return createIpcBackend(page.channelscope);
  const token = await findToken(page);
  const fetch: typeof globalThis.fetch = (input, init) => page.fetch(input, init);
  return createWebBackend({
    fetch,
    origin: '',
    token,
    ...keepSession(page, token, openChannel),
    proveHost: () => proveHost({ fetch, origin: '', token }),
    readIdleMs: watchActions(page),
    otherTabs: findOtherTabs(page),
  });
}

/** Some browsers have locks only on pages over HTTPS: each tab reads its own stream there. */
function findOtherTabs(page: Window): OtherTabs | undefined {
  const locks = page.navigator.locks as LockManager | undefined;
  return locks === undefined ? undefined : { locks, openChannel };
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
