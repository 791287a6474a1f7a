import type { Snapshot, SnapshotState } from '../../common/model/snapshot.ts';
import type { Cache, PageHead } from '../cache/cache.ts';
import type { ReportingClient } from '../client/reporting-client.ts';

export interface Walk {
  readonly client: Pick<ReportingClient, 'fetchPage'>;
  readonly cache: Pick<Cache, 'storePage'>;
  readonly snapshot: Snapshot;
  /** Records asked for in a page. */
  readonly pageSize: number;
  readonly signal: AbortSignal;
  onRetry(retryAtMs: number): void;
  /** A page is parsed: records received so far, and the service's newest total. */
  onPage(received: number, totalDocument: number | null): void;
  /** A page is committed. */
  onStored(snapshot: Snapshot): void;
}

/**
 * Reads a report page by page into the cache, in the cursor order of the specification (Endpoints, rule 1;
 * decision 8). The next page is asked for while the last one is being written, one page at a time.
 * Answers how the walk ended; rejects with the AppError that stopped it. Pages stored before stay.
 */
export async function walkReport(walk: Walk): Promise<SnapshotState> {
  const { snapshot } = walk;
  let cursor = '';
  let received = 0;
  let storing: Promise<void> = Promise.resolve();
  try {
    for (;;) {
      const answer = await walk.client.fetchPage(
        {
          report: snapshot.report,
          startDate: snapshot.period.startDate,
          endDate: snapshot.period.endDate,
          size: walk.pageSize,
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
          requestedAtMs: answer.requestedAtMs,
          receivedAtMs: answer.receivedAtMs,
          status: answer.status,
          zone: snapshot.period.zone,
        },
        answer.bytes,
      );
      storing = page.stored.then(walk.onStored);
      // Its failure is met at the next await of `storing`; until then it must not count as unhandled.
      storing.catch(() => undefined);
      const head: PageHead = await page.head;
      received += head.recordCount;
      walk.onPage(received, head.totalDocument);
      if (head.nextCursor === null) {
        await storing;
        return head.end === 'cursor-repeated' ? 'incomplete' : 'complete';
      }
      cursor = head.nextCursor;
    }
  } finally {
    await storing.catch(() => undefined);
  }
}
