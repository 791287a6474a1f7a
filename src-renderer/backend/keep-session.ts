import { askForSession, shareSession, type OpenChannel } from './session-handover.ts';
import { hideSessionToken, leaveWithoutSession, type SessionPage } from './web-session.ts';

/** A page that is left is gone by then; one that only began a download goes on. */
const LEAVING_MS = 5_000;
/** Another tab that has just been opened with a new session may still be loading. */
const MAX_ASKED = 5;

/** What the carrier says of its session. */
export interface KeptSession {
  readonly onDoubt: (isDoubted: boolean) => void;
  readonly onSessionLost: () => void;
}

type KeepingPage = SessionPage & {
  readonly location: Pick<Location, 'reload'>;
  addEventListener(name: 'beforeunload', listener: () => void): void;
};

/**
 * Keeps the session of a tab through reloads, shares it with other tabs while its host is certain, and takes that of
 * another tab where the host no longer knows this one's: whoever starts the host anew may open a page with a new one.
 */
export function keepSession(page: KeepingPage, token: string, openChannel: OpenChannel): KeptSession {
  let isCertain = true;
  let isLeaving = false;
  let isLost = false;
  const stopSharing = shareSession(openChannel, () => (isCertain && !isLost ? token : null));
  const store = (): void => {
    // A reload ends the stream of events too, which says nothing of the host.
    if (!isLeaving && !isLost) hideSessionToken(page, token, !isCertain);
  };
  page.addEventListener('beforeunload', () => {
    isLeaving = true;
    setTimeout(() => {
      isLeaving = false;
      store();
    }, LEAVING_MS);
  });

  async function recover(): Promise<void> {
    stopSharing();
    for (let asked = 0; asked < MAX_ASKED; asked += 1) {
      const given = await askForSession(openChannel);
      if (given === null || given === token) continue;
      hideSessionToken(page, given, false);
      page.location.reload();
      return;
    }
    leaveWithoutSession(page);
  }
  return {
    onDoubt: (isDoubted) => {
      isCertain = !isDoubted;
      store();
    },
    onSessionLost: () => {
      if (isLost) return;
      isLost = true;
      void recover();
    },
  };
}
