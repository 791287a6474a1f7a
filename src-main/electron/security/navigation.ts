import type { WebContents } from 'electron';
import { isAppPage } from '../app-address.ts';

/**
 * Keeps a window's contents on the one page they were made for: no other page, window or embedded view (E-12, E-13,
 * E-14). A link for a window of its own is refused, and its address passed on to `onLink`, which decides what it is.
 */
export function guardContents(contents: WebContents, onLink: (address: string) => void): void {
  contents.setWindowOpenHandler(({ url }) => {
    onLink(url);
    return { action: 'deny' };
  });
  contents.on('will-navigate', (event) => {
    if (!isAppPage(event.url)) event.preventDefault();
  });
  contents.on('will-frame-navigate', (event) => {
    // The application's page has no frames, so any frame is foreign.
    if (!event.isMainFrame || !isAppPage(event.url)) event.preventDefault();
  });
  contents.on('will-redirect', (event) => {
    event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => {
    event.preventDefault();
  });
}
