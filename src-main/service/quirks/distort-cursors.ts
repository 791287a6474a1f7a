import type { QuirkName } from '../../common/model/connections/simulation.ts';

/** What of a report's response the cursor quirks look at. */
interface CursorResponse {
  readonly isValid: boolean;
  readonly lastDocument: string;
}

/** Requests the page after the last one, which a service that always sends a cursor must return. */
const END_CURSOR = 'bm8tZnVydGhlci1wYWdl';
const EXPIRED_CURSOR = '!expired';
const CURSOR_LIFETIME_MS = 5_000;
/** Cursors remembered; older ones count as never issued, which an expired one does too. */
const MAX_CURSORS = 10_000;

/** Misbehaviour that needs to remember which cursors were issued. One for each running service. */
export interface CursorQuirks {
  /** Returns the cursor that the exact service receives instead of the one that was sent. */
  replaceSent(sentCursor: string): string;
  /** True when the page after the last one was requested, which holds no records. */
  isPastEnd(sentCursor: string): boolean;
  /** Returns the cursor to respond with; `walk` names the report and period that the pages belong to. */
  replaceIssued(walk: string, sentCursor: string, response: CursorResponse): string;
}

/** Creates the misbehaviour of the cursor quirks that are on; `now` is in milliseconds. */
export function createCursorQuirks(quirks: ReadonlySet<QuirkName>, now: () => number): CursorQuirks {
  const issuedMs = new Map<string, number>();
  const firstCursors = new Map<string, string>();

  const isPastEnd = (sentCursor: string): boolean =>
    quirks.has('cursor-never-empty') && sentCursor === END_CURSOR;
  const replaceNext = (walk: string, sentCursor: string, next: string): string => {
    if (next === '') return quirks.has('cursor-never-empty') ? END_CURSOR : '';
    if (sentCursor !== '' && quirks.has('cursor-repeats')) return sentCursor;
    if (!quirks.has('cursor-cycles')) return next;
    if (sentCursor === '') remember(firstCursors, walk, next);
    const first = firstCursors.get(walk) ?? next;
    // The first cursor leads to a second one, and that leads back.
    return sentCursor === '' || sentCursor === first ? next : first;
  };
  return {
    replaceSent: (sentCursor) => {
      if (isPastEnd(sentCursor)) return '';
      if (!quirks.has('cursor-expires') || sentCursor === '') return sentCursor;
      const ageMs = now() - (issuedMs.get(sentCursor) ?? -Infinity);
      return ageMs < CURSOR_LIFETIME_MS ? sentCursor : EXPIRED_CURSOR;
    },
    isPastEnd,
    replaceIssued: (walk, sentCursor, { isValid, lastDocument }) => {
      if (!isValid) return lastDocument;
      if (isPastEnd(sentCursor)) return END_CURSOR;
      const cursor = replaceNext(walk, sentCursor, lastDocument);
      if (quirks.has('cursor-expires') && cursor !== '') remember(issuedMs, cursor, now());
      return cursor;
    },
  };
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_CURSORS && oldest !== undefined) map.delete(oldest);
}
