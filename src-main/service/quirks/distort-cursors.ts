import type { QuirkName } from '../../common/model/simulation.ts';

/** What of a report's answer the cursor quirks look at. */
interface CursorAnswer {
  readonly isValid: boolean;
  readonly lastDocument: string;
}

/** Asks for the page after the last one, which a service that always gives a cursor must answer. */
const END_CURSOR = 'bm8tZnVydGhlci1wYWdl';
const EXPIRED_CURSOR = '!expired';
const CURSOR_LIFETIME_MS = 5_000;
/** Cursors remembered; older ones count as never issued, which an expired one does too. */
const MOST_CURSORS = 10_000;

/** Misbehaviour that needs to remember which cursors were given. One for each running service. */
export class CursorQuirks {
  readonly #quirks: ReadonlySet<QuirkName>;
  readonly #now: () => number;
  readonly #issuedMs = new Map<string, number>();
  readonly #firstCursors = new Map<string, string>();

  constructor(quirks: ReadonlySet<QuirkName>, now: () => number) {
    this.#quirks = quirks;
    this.#now = now;
  }

  /** The cursor that the exact service is asked with instead of the one that was sent. */
  replaceSent(sentCursor: string): string {
    if (this.#quirks.has('cursor-never-empty') && sentCursor === END_CURSOR) return '';
    if (!this.#quirks.has('cursor-expires') || sentCursor === '') return sentCursor;
    const issuedMs = this.#issuedMs.get(sentCursor);
    return issuedMs !== undefined && this.#now() - issuedMs < CURSOR_LIFETIME_MS
      ? sentCursor
      : EXPIRED_CURSOR;
  }

  /** True when the page after the last one was asked for, which holds no records. */
  isPastEnd(sentCursor: string): boolean {
    return this.#quirks.has('cursor-never-empty') && sentCursor === END_CURSOR;
  }

  /** The cursor that is answered; `walk` names the report and period that the pages belong to. */
  replaceAnswered(walk: string, sentCursor: string, { isValid, lastDocument }: CursorAnswer): string {
    if (!isValid) return lastDocument;
    if (this.isPastEnd(sentCursor)) return END_CURSOR;
    const cursor = this.#replaceNext(walk, sentCursor, lastDocument);
    if (this.#quirks.has('cursor-expires') && cursor !== '') {
      remember(this.#issuedMs, cursor, this.#now());
    }
    return cursor;
  }

  #replaceNext(walk: string, sentCursor: string, next: string): string {
    if (next === '') return this.#quirks.has('cursor-never-empty') ? END_CURSOR : '';
    if (sentCursor !== '' && this.#quirks.has('cursor-repeats')) return sentCursor;
    if (!this.#quirks.has('cursor-cycles')) return next;
    if (sentCursor === '') remember(this.#firstCursors, walk, next);
    const first = this.#firstCursors.get(walk) ?? next;
    // The first cursor leads to a second one, and that leads back.
    return sentCursor === '' || sentCursor === first ? next : first;
  }
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_CURSORS && oldest !== undefined) map.delete(oldest);
}
