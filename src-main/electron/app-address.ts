/** The scheme and host of the window's own files; no address on a network has them. */
export const APP_SCHEME = 'app';
const APP_HOST = 'channelscope';
export const APP_ORIGIN = `${APP_SCHEME}://${APP_HOST}`;
export const APP_URL = `${APP_ORIGIN}/index.html`;

/**
 * Whether a URL is the application's one page, whatever place in it. Compared as text: a parser would accept
 * capitals, credentials and ports too.
 */
export function isAppPage(url: unknown): boolean {
  return typeof url === 'string' && (url === APP_URL || url.startsWith(`${APP_URL}#`));
}
