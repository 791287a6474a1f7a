import { AppError } from '../../common/contract/errors.ts';
import type { Period } from '../../common/model/period.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { isDetailKind } from '../../common/reporting/reports.ts';
import type { Cache } from '../cache/cache.ts';
import type { PageHead } from '../cache/write/insert-records.ts';
import type { PageResponse, ReportingClient } from '../client/reporting-client.ts';
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
