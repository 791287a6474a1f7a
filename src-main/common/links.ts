/** The scheme of links that lead into the window. */
export const LINK_SCHEME = 'channelscope';

const LINK_START = `${LINK_SCHEME}://open`;
const MAX_CHARACTERS = 8192;
const MAX_QUERY_KEYS = 20;

/**
 * The screens that a link may lead to. None of them does anything by being opened: a form for something new and the first
 * run are left out, and no address holds a statement of SQL.
 */
const SCREENS =
  /^\/(?:overview|incidents|conversations|compare|library|planned(?:\/marks)?|deprecations|sql|local-service|connections|wall|about|help(?:\/[\w-]{1,40}(?:\/[\w.-]{1,80})?)?|settings\/connections|(?:inbound|outbound)\/(?:summary|family|detail(?:\/\d{1,10})?)|(?:alerts|cases|schedules|service-levels)(?:\/(?!new$)[\w-]{1,64})?|session\/[\w%.~-]{1,200})$/u;
const QUERY_KEY = /^[a-z][a-z-]{0,23}$/u;

/** Returns a place in the window, written in the one way that the window writes it; null for anything else. */
export function findPlace(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > MAX_CHARACTERS) return null;
  // No system hands these on in a link, and nothing that is shown should hold them.
  if (/[\p{Cc}\p{Zl}\p{Zp}\\]/u.test(address)) return null;
  const [path = '', query = '', ...rest] = address.split('?');
  if (rest.length > 0 || address.includes('#') || !SCREENS.test(path)) return null;
  const values = readQuery(query);
  if (values === null) return null;
  const pairs = [...values].map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** Returns the values of a query by their keys; null for one that the window never writes. */
function readQuery(query: string): ReadonlyMap<string, string> | null {
  const values = new Map<string, string>();
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const key = pair.slice(0, end);
    const value = decode(pair.slice(end + 1));
    if (!QUERY_KEY.test(key) || values.has(key) || value === null || /\p{Cc}/u.test(value)) return null;
    values.set(key, value);
  }
  return values.size > MAX_QUERY_KEYS ? null : values;
}

/** Returns the text that a value of a query stands for; null where it stands for none. */
function decode(value: string): string | null {
  try {
    const text = decodeURIComponent(value.replaceAll('+', ' '));
    return text.isWellFormed() ? text : null;
  } catch {
    return null;
  }
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

/** Pages of others that the window leads to. No other address is ever handed to the system. */
const KNOWN_PLACES = ['https://spdx.org/licenses/'] as const;

/** Windows passes on no address longer than this. */
const MAX_LENGTH = 2048;
/** No characters that a parser would read in another way: what the person is shown is what is opened. */
const PLAIN = /^[\w\-.~/:]+$/u;

/** Whether an address lies below one of the known places. Compared as text: a parser would take a disguise off first. */
export function isKnownPlace(address: unknown): address is string {
  return (
    typeof address === 'string' &&
    address.length <= MAX_LENGTH &&
    PLAIN.test(address) &&
    !/\/\.|\/\//u.test(address.slice('https://'.length)) &&
    KNOWN_PLACES.some((place) => address.startsWith(place))
  );
}

/** Returns the page about a licence; null for an expression with several, or a name that SPDX doesn't list. */
export function findLicencePage(licence: string): string | null {
  const address = `${KNOWN_PLACES[0]}${licence}.html`;
  return /^[A-Za-z0-9][\w.-]*$/u.test(licence) && isKnownPlace(address) ? address : null;
}

/** Where a link of a person's text may lead outside of the window. */
const OUTSIDE = /^(?:https?:\/\/|mailto:)[^\s"<>]+$/iu;

/** Whether a link leads out of the window, to a place that is safe to name. */
export function isOutside(to: string): boolean {
  return OUTSIDE.test(to);
}
