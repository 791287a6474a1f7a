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
