const STORAGE_KEY = 'channelscope.session';
const FRAGMENT = '#session=';

/** What a session needs of the browser's window. */
export interface SessionPage {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'replace'>;
  readonly history: Pick<History, 'replaceState'>;
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}

/**
 * Returns the header token of this tab. It arrives once, behind the # of the first address, where neither a server nor
 * another tab sees it; it is removed from the address at once, and a reload finds it in the tab's own storage.
 */
export function takeSessionToken(page: SessionPage): string | null {
  const { hash, pathname } = page.location;
  if (hash.startsWith(FRAGMENT)) {
    page.sessionStorage.setItem(STORAGE_KEY, hash.slice(FRAGMENT.length));
    page.history.replaceState(null, '', pathname);
  }
  return page.sessionStorage.getItem(STORAGE_KEY);
}

/**
 * Takes the token out of the tab's storage while the host may be gone, and puts it back then: a page that another
 * program serves at the same place must not find it there.
 */
export function hideSessionToken(page: SessionPage, token: string, isHidden: boolean): void {
  if (isHidden) page.sessionStorage.removeItem(STORAGE_KEY);
  else page.sessionStorage.setItem(STORAGE_KEY, token);
}

/** Goes to the page that says how to get a session. */
export function leaveWithoutSession(page: SessionPage): void {
  page.sessionStorage.removeItem(STORAGE_KEY);
  page.location.replace('/come-back');
}
