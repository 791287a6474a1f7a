/** The scheme of links that lead into the window. */
export const LINK_SCHEME = 'channelscope';
/** The end of the name of a file that leads into the window. */
export const VIEW_FILE_ENDING = '.channelscope';

const LINK_START = `${LINK_SCHEME}://open`;
const FILE_FORMAT = 'channelscope-view';
const MAX_CHARACTERS = 8192;
const MAX_QUERY_KEYS = 20;

/**
 * The screens that a link may lead to. None of them does anything by being opened: a form for something new and the first
 * run are left out, and no address holds a statement of SQL.
 */
const SCREENS =
  /^\/(?:overview|compare|library|deprecations|sql|local-service|connections|wall|about|settings\/connections|(?:inbound|outbound)\/(?:summary|detail(?:\/\d{1,10})?)|alerts(?:\/(?!new$)[\w-]{1,64})?|session\/[\w%.~-]{1,200})$/u;
const QUERY_KEY = /^[a-z][a-z-]{0,23}$/u;

/** Returns a place in the window, written in the one way that the window writes it; null for anything else. */
export function findPlace(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > MAX_CHARACTERS) return null;
  // No system hands these on in a link, and nothing that is shown should hold them.
  if (/[\p{Cc}\p{Zl}\p{Zp}\\]/u.test(address)) return null;
  const [path = '', query = '', ...rest] = address.split('?');
  if (rest.length > 0 || address.includes('#') || !SCREENS.test(path)) return null;
  const values = new URLSearchParams(query);
  const keys = [...values.keys()];
  if (keys.length > MAX_QUERY_KEYS || new Set(keys).size !== keys.length) return null;
  if (!keys.every((key) => QUERY_KEY.test(key))) return null;
  if ([...values.values()].some((value) => /\p{Cc}/u.test(value))) return null;
  return keys.length === 0 ? path : `${path}?${values.toString()}`;
}

/** Returns the place that a link leads to; null for one that leads nowhere in the window. */
export function readViewLink(link: unknown): string | null {
  return typeof link === 'string' && link.startsWith(`${LINK_START}/`)
    ? findPlace(link.slice(LINK_START.length))
    : null;
}

/** Returns a link to a place in the window. */
export function writeViewLink(place: string): string {
  return LINK_START + place;
}

/** Returns the place that a file leads to; null for one of another kind, or of a later version. */
export function readViewFile(text: string): string | null {
  if (text.length > MAX_CHARACTERS) return null;
  try {
    const { format, version, place } = JSON.parse(text) as Record<string, unknown>;
    return format === FILE_FORMAT && version === 1 ? findPlace(place) : null;
  } catch {
    return null;
  }
}

/** Returns the content of a file that leads to a place in the window. It holds no records, and no secrets. */
export function writeViewFile(place: string): string {
  return `${JSON.stringify({ format: FILE_FORMAT, version: 1, place }, null, 2)}\n`;
}
