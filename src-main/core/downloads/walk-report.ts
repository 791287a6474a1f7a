import type { Period } from '../../common/model/period.ts';
import type { Snapshot } from '../../common/model/snapshot.ts';
import type { Cache } from '../cache/cache.ts';
import type { PageHead } from '../cache/write/store-page.ts';
import type { ReportingClient } from '../client/reporting-client.ts';

export interface Walk {
  readonly client: Pick<ReportingClient, 'fetchPage'>;
  readonly cache: Pick<Cache, 'storePage'>;
  readonly snapshot: Snapshot;
  /** What to request: the snapshot's period, or one slice of it. */
  readonly period: Period;
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
  /** A page is committed. */
  onStored(snapshot: Snapshot): void;
}

/** Whether a walk of the snapshot ended at a repetition: there is no cursor to reach the report's end by. */
export function hasBrokenEnd({ remarks }: Snapshot): boolean {
  return remarks.some(({ code }) => code === 'cursor-repeated' || code === 'page-repeated');
}

/**
 * Reads a report page by page into the cache, in the cursor order of the specification (Endpoints, rule 1;
 * decision 8). The next page is requested while the last one is being written, one page at a time.
 * Returns why the walk ended; rejects with the AppError that stopped it. Pages stored before stay.
 */
export async function walkReport(walk: Walk): Promise<NonNullable<PageHead['end']>> {
  const { snapshot, period } = walk;
  let { cursor, received } = walk;
  let storing: Promise<void> = Promise.resolve();
  try {
    for (;;) {
      const size = walk.readPageSize();
      const response = await walk.client.fetchPage(
        {
          report: snapshot.report,
          startDate: period.startDate,
          endDate: period.endDate,
          size,
          lastDocument: cursor,
        },
        { signal: walk.signal, onRetry: walk.onRetry },
      );
      // One page may be waiting to be written; more would only pile up in memory.
      await storing;
      walk.signal.throwIfAborted();
      const page = walk.cache.storePage(
        {
          snapshotId: snapshot.id,
          cursorSent: cursor,
          requestedAtMs: response.requestedAtMs,
          receivedAtMs: response.receivedAtMs,
          status: response.status,
          zone: snapshot.period.zone,
          sizeAsked: size,
        },
        response.bytes,
      );
      storing = page.stored.then(walk.onStored);
      // Its failure is thrown at the next await of `storing`; until then it must not count as unhandled.
      storing.catch(() => undefined);
      const head: PageHead = await page.head;
      received += head.recordCount;
      walk.onPage(received, head.totalDocument, response.receivedAtMs - response.requestedAtMs);
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
