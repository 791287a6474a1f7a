import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import type { PageHead } from '../../../../src-main/core/cache/write/insert-records.ts';
import { walkReport, type Walk } from '../../../../src-main/core/downloads/walk-report.ts';

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
