import { AppError } from '../../common/contract/errors.ts';
import type { Period } from '../../common/model/period.ts';
import type {
  PageCallOptions,
  PageRequest,
  PageResponse,
  ReportingClient,
} from '../client/reporting-client.ts';
import type { ServiceShare } from './fetch-queue.ts';

/** A page, and how many records were asked for in it. */
export type AheadPage = PageResponse & { readonly sizeAsked: number };

/** Requests the pages of a download's next slices while those of the present one are stored. */
export interface FetchAhead {
  /** The slices of a report as they are asked for, from the present one on. */
  setSlices(report: PageRequest['report'], slices: readonly Pick<Period, 'startDate' | 'endDate'>[]): void;
  /** The page as it was requested ahead, or requested now. Rejects as the client does. */
  fetchPage(request: PageRequest, options: PageCallOptions): Promise<AheadPage>;
  /** A page was stored, which took so long: more is requested ahead only where storing would wait. */
  noteStored(durationMs: number): void;
  /** What it requested ahead is dropped, and nothing more is. */
  stop(): void;
}

interface AheadOptions {
  /** What may be asked of the service at once. */
  readonly share: ServiceShare;
  /** Called for each request, so that a changed connection is noticed; may throw. */
  connect(): { readonly client: Pick<ReportingClient, 'fetchPage'>; readonly maxWalks: number | null };
  readPageSize(): number;
  now(): number;
  /** How many requests are under way. */
  onInFlight(count: number): void;
}

/** One slice that is read ahead: a walk over cursors whose pages wait to be stored. */
interface Walk {
  readonly key: string;
  readonly dates: Pick<PageRequest, 'report' | 'startDate' | 'endDate'>;
  /** Cursor of the request to make next; null once there is none, or it isn't known. */
  nextCursor: string | null;
  isBusy: boolean;
  /** By the cursor that each was requested with. */
  readonly pages: Map<string, Promise<AheadPage>>;
  readonly cursors: Set<string>;
}

/** Pages that wait to be stored take no more than this; the present slice's next page is requested all the same. */
const MAX_WAITING_BYTES = 48_000_000;
/** The envelope's own fields stand before or after the records. */
const ENVELOPE_BYTES = 2_000;
const TOTAL = /"totalDocument"\s*:\s*"?(\d{1,15})\b/iu;
const CURSOR = /"lastDocument"\s*:\s*("(?:[^"\\]|\\.)*")/iu;

/**
 * A cursor forbids two requests within one walk, but slices are independent: up to six walks of one download run at
 * once. Pages are stored in the order of the slices, as if there were one walk: what is in the cache does not depend on
 * how many there were, and what was requested ahead and not stored is requested again after a restart. The cursor of a
 * page requested ahead is a guess from its bytes; the present walk, whose cursors come from the stored page, takes only
 * the page that it would have requested itself.
 */
export function createFetchAhead({
  share: limit,
  connect,
  readPageSize,
  now,
  onInFlight,
}: AheadOptions): FetchAhead {
  const stopping = new AbortController();
  const walks = new Map<string, Walk>();
  let upcoming: readonly Walk[] = [];
  let presentKey = '';
  /** The present walk has received its last page. */
  let isPresentOver = false;
  let inFlight = 0;
  let waitingBytes = 0;

  const send = async (request: PageRequest, options: PageCallOptions): Promise<AheadPage> => {
    const { client } = connect();
    inFlight += 1;
    onInFlight(inFlight);
    const startedAtMs = now();
    try {
      const response = await client.fetchPage(request, {
        ...options,
        onRetry: (retryAtMs) => {
          limit.fallBack();
          options.onRetry?.(retryAtMs);
        },
      });
      limit.note({ bytes: response.bytes.byteLength, durationMs: now() - startedAtMs });
      return { ...response, sizeAsked: request.size };
    } catch (error) {
      if (error instanceof AppError && error.code !== 'app.cancelled') limit.fallBack();
      throw error;
    } finally {
      inFlight -= 1;
      onInFlight(inFlight);
    }
  };
  /** Nothing more is requested ahead of a walk; the present walk goes on alone where it ends. */
  const end = (walk: Walk, cursor: string): void => {
    walk.pages.delete(cursor);
    walk.nextCursor = null;
  };
  const request = (walk: Walk): void => {
    const cursor = walk.nextCursor ?? '';
    walk.isBusy = true;
    walk.nextCursor = null;
    walk.cursors.add(cursor);
    const page = send(
      { ...walk.dates, size: readPageSize(), lastDocument: cursor },
      { signal: stopping.signal },
    );
    walk.pages.set(cursor, page);
    page.then(
      ({ bytes }) => {
        walk.isBusy = false;
        waitingBytes += bytes.byteLength;
        const next = findCursor(bytes);
        walk.nextCursor = next === null || walk.cursors.has(next) ? null : next;
        pump();
      },
      () => {
        walk.isBusy = false;
        // Where the present walk waits for it, the failure is its own.
        end(walk, cursor);
      },
    );
  };
  const pump = (): void => {
    if (stopping.signal.aborted) return;
    let most: number;
    try {
      most = limit.read(connect().maxWalks);
    } catch {
      // The present walk meets what is wrong with the connection.
      return;
    }
    const present = walks.get(presentKey);
    isPresentOver ||= present?.isBusy === false && present.nextCursor === null && present.cursors.size > 0;
    // The present walk counts as one, also between two of its requests, until its last page is there.
    let running =
      (isPresentOver ? 0 : 1) + upcoming.filter(({ key, isBusy }) => isBusy && key !== presentKey).length;
    for (const walk of upcoming) {
      const isPresent = walk.key === presentKey;
      const hasRoom = waitingBytes < MAX_WAITING_BYTES || (isPresent && walk.pages.size === 0);
      if (walk.isBusy || walk.nextCursor === null || !hasRoom) continue;
      if (!isPresent && running >= most) return;
      running += isPresent ? 0 : 1;
      request(walk);
    }
  };
  const drop = (walk: Walk): void => {
    walks.delete(walk.key);
    walk.nextCursor = null;
    upcoming = upcoming.filter((other) => other !== walk);
    for (const page of walk.pages.values()) {
      void page.then(
        ({ bytes }) => (waitingBytes -= bytes.byteLength),
        () => undefined,
      );
    }
    walk.pages.clear();
  };

  return {
    setSlices(report, slices) {
      const keys = slices.map(({ startDate }) => startDate);
      presentKey = keys[0] ?? '';
      isPresentOver = false;
      for (const [key, walk] of walks) if (!keys.includes(key)) drop(walk);
      // The present slice is walked by its owner, unless it was begun ahead.
      for (const { startDate, endDate } of slices.slice(1)) {
        if (walks.has(startDate)) continue;
        const dates = { report, startDate, endDate };
        const state = { nextCursor: '', isBusy: false, pages: new Map(), cursors: new Set<string>() };
        walks.set(startDate, { key: startDate, dates, ...state });
      }
      upcoming = keys.flatMap((key) => walks.get(key) ?? []);
    },
    async fetchPage(asked, options) {
      const walk = walks.get(asked.startDate);
      if (walk !== undefined && !walk.isBusy && walk.nextCursor === asked.lastDocument) request(walk);
      const ahead = walk?.pages.get(asked.lastDocument);
      if (walk === undefined || ahead === undefined) {
        if (walk !== undefined) drop(walk);
        const page = await send(asked, options);
        isPresentOver = asked.startDate === presentKey && findCursor(page.bytes) === null;
        pump();
        return page;
      }
      const page = await untilAborted(ahead, options.signal);
      walk.pages.delete(asked.lastDocument);
      waitingBytes -= page.bytes.byteLength;
      pump();
      return page;
    },
    noteStored: (durationMs) => limit.noteStored(durationMs),
    stop() {
      for (const walk of walks.values()) drop(walk);
      stopping.abort();
    },
  };
}

/** The `totalDocument` that a page's bytes seem to hold; null for none. */
export function findTotal(bytes: ArrayBuffer): number | null {
  const text = listEnvelopeParts(bytes)
    .map((part) => TOTAL.exec(part)?.[1])
    .find((found) => found !== undefined);
  return text === undefined ? null : Number(text);
}

/** The cursor that a page's bytes seem to hold; null for none. */
function findCursor(bytes: ArrayBuffer): string | null {
  for (const part of listEnvelopeParts(bytes)) {
    const text = CURSOR.exec(part)?.[1];
    if (text === undefined) continue;
    try {
      const cursor: unknown = JSON.parse(text);
      return typeof cursor === 'string' && cursor !== '' ? cursor : null;
    } catch {
      return null;
    }
  }
  return null;
}

/** The beginning and the end of a page: the envelope's own fields stand before or after the records. */
function listEnvelopeParts(bytes: ArrayBuffer): string[] {
  const whole = Buffer.from(bytes);
  const rest = Math.max(ENVELOPE_BYTES, whole.length - ENVELOPE_BYTES);
  return [whole.toString('utf8', 0, ENVELOPE_BYTES), whole.toString('utf8', rest)];
}

/** Rejects as soon as the signal aborts, although what was requested ahead goes on. */
async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
