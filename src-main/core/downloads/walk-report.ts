import { AppError } from '../../common/contract/errors.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import type { Period } from '../../common/model/period.ts';
import { isDetailKind } from '../../common/reporting/reports.ts';
import type { Cache } from '../cache/cache.ts';
import type { PageHead } from '../cache/write/insert-records.ts';
import type {
  PageCallOptions,
  PageRequest,
  PageResponse,
  ReportingClient,
} from '../client/reporting-client.ts';
import type { ServiceShare } from './fetch-queue.ts';
import { toAskedEnd } from './slice-period.ts';

export interface Walk {
  /** A page may come with another size than was asked for now: it was requested ahead. */
  readonly client: {
    fetchPage(
      ...call: Parameters<ReportingClient['fetchPage']>
    ): Promise<PageResponse & { readonly sizeAsked?: number }>;
  };
  readonly cache: Pick<Cache, 'storePage' | 'endWalk'>;
  readonly snapshot: Snapshot;
  /** What to request, but for the second more that details are asked for: the snapshot's period, or one slice of it. */
  readonly asked: Pick<Period, 'startDate' | 'endDate'>;
  /** Cursor to begin with; empty for the first page. */
  readonly cursor: string;
  /** Entries that the walk received before, when it is resumed. */
  readonly received: number;
  readonly signal: AbortSignal;
  /** Records to request in the next page. */
  readPageSize(): number;
  onRetry(retryAtMs: number): void;
  /** A page is parsed: entries received so far, the service's newest total, and how long the response took. */
  onPage(received: number, totalDocument: number | null, durationMs: number): void;
  /** A page is committed, which took so long; null where the end of the walk was stored. */
  onStored(snapshot: Snapshot, durationMs: number | null): void;
}

/** Remarks of a walk over pages that broke off: no cursor leads to the report's end. */
const BROKEN = new Set(['cursor-repeated', 'page-repeated']);
/** Remarks that keep a report from being whole although the walk came to its end. */
const SHORT = new Set(['fewer-than-total', 'fewer-than-forecast', 'end-not-stated', 'pages-overlap']);

/** Whether a walk of the snapshot ended at a repetition: then no cursor leads to the report's end. */
export function hasBrokenEnd({ remarks }: Pick<Snapshot, 'remarks'>): boolean {
  return remarks.some(({ code }) => BROKEN.has(code));
}

/** Codes of the remarks that keep a report which was read to its end from being complete (decision 8). */
export function listShortcomings({ remarks }: Pick<Snapshot, 'remarks'>): string[] {
  return remarks.map(({ code }) => code).filter((code) => BROKEN.has(code) || SHORT.has(code));
}

/**
 * Reads a report page by page into the cache, in the cursor order of the specification (Endpoints, rule 1;
 * decision 8). The next page is requested while the last one is being written, one page at a time.
 * Returns why the walk ended; rejects with the AppError that stopped it. Pages stored before stay.
 */
export async function walkReport(walk: Walk): Promise<NonNullable<PageHead['end']>> {
  const { snapshot, asked } = walk;
  let { cursor, received } = walk;
  let storing: Promise<void> = Promise.resolve();

  /** Requests the page at the cursor and hands it over to be stored. */
  const readNext = async (): Promise<PageHead> => {
    const size = walk.readPageSize();
    const response = await walk.client.fetchPage(
      {
        report: snapshot.report,
        startDate: asked.startDate,
        endDate: isDetailKind(snapshot.report) ? toAskedEnd(asked) : asked.endDate,
        size,
        lastDocument: cursor,
      },
      { signal: walk.signal, onRetry: walk.onRetry },
    );
    // One page may be waiting to be written; more would only pile up in memory.
    await storing;
    walk.signal.throwIfAborted();
    const storingSinceMs = performance.now();
    const page = walk.cache.storePage(
      {
        snapshotId: snapshot.id,
        cursorSent: cursor,
        requestedAtMs: response.requestedAtMs,
        receivedAtMs: response.receivedAtMs,
        status: response.status,
        zone: snapshot.period.zone,
        sizeAsked: response.sizeAsked ?? size,
        removedSecrets: response.removedSecrets,
      },
      response.bytes,
    );
    storing = page.stored.then((stored) => walk.onStored(stored, performance.now() - storingSinceMs));
    // Its failure is thrown at the next await of `storing`; until then it must not count as unhandled.
    storing.catch(() => undefined);
    const head = await page.head;
    received += head.recordCount;
    walk.onPage(received, head.totalDocument, response.receivedAtMs - response.requestedAtMs);
    return head;
  };
  /** True where the failure signals the end of the report, after all records that were announced (decision 8). */
  const endsWith = async (error: unknown): Promise<boolean> => {
    const signal = cursor === '' ? null : toEndSignal(error);
    if (signal === null) return false;
    // The page of this failure was not stored; the one before it must be.
    await storing.catch((failure: unknown) => {
      if (failure !== error) throw failure;
    });
    const ended = await walk.cache.endWalk({ snapshotId: snapshot.id, signal });
    if (ended !== null) walk.onStored(ended, null);
    return ended !== null;
  };

  try {
    for (;;) {
      const head = await readNext().catch(async (error: unknown) => {
        if (await endsWith(error)) return null;
        throw error;
      });
      if (head === null) return 'total-reached';
      if (head.nextCursor === null) {
        await storing;
        return head.end ?? 'no-cursor';
      }
      cursor = head.nextCursor;
    }
  } finally {
    await storing.catch(() => undefined);
  }
}

/** What a service says in place of an empty last page; null for any other failure. */
function toEndSignal(error: unknown): string | null {
  if (!(error instanceof AppError)) return null;
  const { code, details } = error;
  if (code === 'client.not-found') return 'status 404';
  if (code === 'client.not-json' && details['reason'] === 'empty') return 'an empty body';
  if (code !== 'client.unexpected-shape') return null;
  if (details['reason'] === 'null') return 'null';
  return details['reason'] === 'no-records' ? 'a page without records' : null;
}

/** A page, and how many records were asked for in it. */
export type AheadPage = PageResponse & { readonly sizeAsked: number };

/** Requests the pages of a download's next slices while those of the present one are stored. */
interface FetchAhead {
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
interface WalkAhead {
  readonly key: string;
  readonly dates: Pick<PageRequest, 'report' | 'startDate' | 'endDate'>;
  /** Cursor of the request to make next; null once there is none, or it isn't known. */
  nextCursor: string | null;
  isBusy: boolean;
  /** By the cursor that each was requested with. */
  readonly pages: Map<string, Promise<AheadPage>>;
  readonly cursors: Set<string>;
}

/**
 * Pages that wait to be stored take no more than this; the present slice's next page is requested all the same. More of
 * them are of use only while storing has to wait for pages: where the service is the quicker of both, they only take memory.
 */
const MAX_WAITING_BYTES = 48_000_000;
const FEW_WAITING_BYTES = 12_000_000;
/** As many pages were there before they were needed: the service is the quicker of both. */
const PROMPT_PAGES = 8;
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
  const walks = new Map<string, WalkAhead>();
  let upcoming: readonly WalkAhead[] = [];
  let presentKey = '';
  /** The present walk has received its last page. */
  let isPresentOver = false;
  let inFlight = 0;
  let waitingBytes = 0;
  /** Pages since storing last waited for one. */
  let promptPages = PROMPT_PAGES;
  let storedMs = Number.POSITIVE_INFINITY;

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
  const end = (walk: WalkAhead, cursor: string): void => {
    walk.pages.delete(cursor);
    walk.nextCursor = null;
  };
  const request = (walk: WalkAhead): void => {
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
    const roomBytes = promptPages < PROMPT_PAGES ? MAX_WAITING_BYTES : FEW_WAITING_BYTES;
    isPresentOver ||= present?.isBusy === false && present.nextCursor === null && present.cursors.size > 0;
    // The present walk counts as one, also between two of its requests, until its last page is there.
    let running =
      (isPresentOver ? 0 : 1) + upcoming.filter(({ key, isBusy }) => isBusy && key !== presentKey).length;
    for (const walk of upcoming) {
      const isPresent = walk.key === presentKey;
      const hasRoom = waitingBytes < roomBytes || (isPresent && walk.pages.size === 0);
      if (walk.isBusy || walk.nextCursor === null || !hasRoom) continue;
      if (!isPresent && running >= most) return;
      running += isPresent ? 0 : 1;
      request(walk);
    }
  };
  const drop = (walk: WalkAhead): void => {
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
        const askedAtMs = now();
        const page = await send(asked, options);
        promptPages = now() - askedAtMs > storedMs ? 0 : promptPages + 1;
        isPresentOver = asked.startDate === presentKey && findCursor(page.bytes) === null;
        pump();
        return page;
      }
      // One page of a walk is under way at a time, the last one of those that it has.
      promptPages = walk.isBusy && walk.pages.size === 1 ? 0 : promptPages + 1;
      const page = await untilAborted(ahead, options.signal);
      walk.pages.delete(asked.lastDocument);
      waitingBytes -= page.bytes.byteLength;
      pump();
      return page;
    },
    noteStored(durationMs) {
      storedMs = durationMs;
      limit.noteStored(durationMs);
    },
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
