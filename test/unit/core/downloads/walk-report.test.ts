import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import type { PageHead } from '../../../../src-main/core/cache/write/insert-records.ts';
import type { PageRequest, PageResponse } from '../../../../src-main/core/client/reporting-client.ts';
import { createFetchAhead, walkReport, type Walk } from '../../../../src-main/core/downloads/walk-report.ts';

const snapshot = {
  id: 1,
  report: 'inbound-detail',
  period: { startDate: 'a', endDate: 'b', fromMs: 0, toMs: 1, zone: 'UTC' },
} as Snapshot;

/** A walk over pages that are given; what was requested and stored is kept. */
function walkOver(heads: readonly PageHead[], change: Partial<Walk> = {}) {
  const asked: string[] = [];
  const stored: string[] = [];
  const walk: Walk = {
    snapshot,
    asked: snapshot.period,
    cursor: '',
    received: 0,
    readPageSize: () => 10,
    signal: new AbortController().signal,
    client: {
      fetchPage: (request) => {
        asked.push(request.lastDocument);
        return Promise.resolve({
          bytes: new ArrayBuffer(0),
          status: 200,
          requestedAtMs: 0,
          receivedAtMs: 0,
          serverTimeMs: null,
          removedSecrets: 0,
        });
      },
    },
    cache: {
      endWalk: () => Promise.resolve(null),
      storePage: (page) => {
        const head = heads[asked.length - 1];
        if (head === undefined) throw new Error('Asked for a page after the end.');
        return {
          head: Promise.resolve(head),
          stored: Promise.resolve().then(() => {
            stored.push(page.cursorSent);
            return snapshot;
          }),
        };
      },
    },
    onRetry: () => undefined,
    onPage: () => undefined,
    onStored: () => undefined,
    ...change,
  };
  return { walk, asked, stored };
}

const page = (
  nextCursor: string | null,
  end: PageHead['end'] = nextCursor === null ? 'no-cursor' : null,
): PageHead => ({
  recordCount: 10,
  totalDocument: 30,
  nextCursor,
  end,
});

describe('walking a report', () => {
  it('sends each cursor once, the first empty, and stores every page before it ends', async () => {
    const { walk, asked, stored } = walkOver([page('A'), page('B'), page(null)]);
    expect(await walkReport(walk)).toBe('no-cursor');
    expect(asked).toEqual(['', 'A', 'B']);
    expect(stored).toEqual(['', 'A', 'B']);
  });

  it('says when a cursor repeats', async () => {
    const { walk } = walkOver([page('A'), page(null, 'cursor-repeated')]);
    expect(await walkReport(walk)).toBe('cursor-repeated');
  });

  it('stops at a page that could not be stored and requests no more', async () => {
    const failure = new AppError('cache.disk-full', 'full');
    const { walk, asked } = walkOver([page('A'), page('B'), page('C')], {
      cache: {
        endWalk: () => Promise.resolve(null),
        storePage: () => ({ head: Promise.resolve(page('A')), stored: Promise.reject(failure) }),
      },
    });
    await expect(walkReport(walk)).rejects.toBe(failure);
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  it('stops when cancelled, with the page in hand left unstored', async () => {
    const cancel = new AbortController();
    const { walk, stored } = walkOver([page('A'), page('B'), page(null)], {
      signal: cancel.signal,
      onPage: () => cancel.abort(),
    });
    await expect(walkReport(walk)).rejects.toMatchObject({ name: 'AbortError' });
    expect(stored).toEqual(['']);
  });
});

describe('pages that are requested ahead', () => {
  const PAGE_BYTES = 4_000_000;
  const PAGES_OF_A_SLICE = 8;
  const dates = (hour: number) => ({
    startDate: `2026-11-20 0${hour}:00:00`,
    endDate: `2026-11-20 0${hour}:59:59`,
  });

  /** The most bytes that waited while four slices were stored, by a service that answers once `meet` lets it. */
  async function readAllAhead(meet: (asked: PageRequest) => Promise<unknown>): Promise<number> {
    let [received, taken, most] = [0, 0, 0];
    const fetchPage = async (asked: PageRequest): Promise<PageResponse> => {
      await meet(asked);
      received += 1;
      most = Math.max(most, received - taken);
      const next = Number(asked.lastDocument || 0) + 1;
      const lastDocument = next === PAGES_OF_A_SLICE ? '' : String(next);
      const bytes = new ArrayBuffer(PAGE_BYTES);
      new TextEncoder().encodeInto(JSON.stringify({ lastDocument }), new Uint8Array(bytes));
      return { bytes, status: 200, requestedAtMs: 0, receivedAtMs: 0, serverTimeMs: null, removedSecrets: 0 };
    };
    const ahead = createFetchAhead({
      share: { read: () => 6, note: () => undefined, noteStored: () => undefined, fallBack: () => undefined },
      connect: () => ({ client: { fetchPage }, maxWalks: null }),
      readPageSize: () => 5000,
      now: () => performance.now(),
      onInFlight: () => undefined,
    });
    for (const hour of [1, 2, 3, 4]) {
      ahead.setSlices('inbound-detail', [1, 2, 3, 4].filter((other) => other >= hour).map(dates));
      for (let page = 0; page < PAGES_OF_A_SLICE; page += 1) {
        const asked = { report: 'inbound-detail', ...dates(hour), size: 5000 } as const;
        await ahead.fetchPage({ ...asked, lastDocument: page === 0 ? '' : String(page) }, {});
        taken += 1;
        // Storing it takes long enough for whatever is requested ahead to come.
        await new Promise((resolve) => setTimeout(resolve, 20));
        ahead.noteStored(20);
      }
    }
    ahead.stop();
    return most * PAGE_BYTES;
  }

  it('take little memory where the service is quicker than storing, and more where storing waits for it', async () => {
    expect(await readAllAhead(() => Promise.resolve())).toBeLessThanOrEqual(24_000_000);
    let present = '';
    const most = await readAllAhead(async ({ startDate }) => {
      present ||= startDate;
      // The slice that is being stored is the slow one.
      if (startDate === present) await new Promise((resolve) => setTimeout(resolve, 100));
    });
    expect(most).toBeGreaterThan(24_000_000);
    expect(most).toBeLessThanOrEqual(64_000_000);
  });
});
