import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Task } from '../../../../src-main/common/model/cache/task.ts';
import type { SavedConnection } from '../../../../src-main/core/connections/connection-file.ts';
import { createEvents } from '../../../../src-main/core/host.ts';
import { createAheadJudge } from '../../../../src-main/core/findings/findings-now.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 9, 20, 15);

beforeEach(() => vi.useFakeTimers({ now: NOW_MS }));
afterEach(() => vi.useRealTimers());

/** What judges ahead over a cache of some days, and the days that it had judged. */
function judgeAhead(firstMs: number) {
  const events = createEvents();
  const days: string[] = [];
  const counted: string[] = [];
  const parts = {
    events,
    now: Date.now,
    connections: {
      get: () => ({}) as SavedConnection,
      listSaved: () => [{ id: 'one' }] as SavedConnection[],
    },
    cache: { readOutages: () => Promise.resolve([]) },
    ledger: {
      readExtent: () => Promise.resolve({ fromMs: firstMs, toMs: Date.now() }),
      readCovered: () =>
        Promise.resolve(
          new Map([
            [
              'one',
              {
                inbound: { read: [], extent: { fromMs: firstMs, toMs: Date.now() } },
                outbound: { read: [], extent: null },
              },
            ],
          ]),
        ),
    },
    engine: {
      findPeriodFindings: ({ period }: { period: { toMs: number } }) => {
        days.push(new Date(period.toMs).toISOString().slice(0, 13));
        return Promise.resolve({ findings: [], resolved: [], learned: {}, unjudgedMs: [] });
      },
      countTraffic: ({ span }: { span: { fromMs: number; toMs: number } }) => {
        counted.push([span.fromMs, span.toMs].map((at) => new Date(at).toISOString().slice(0, 10)).join(' '));
        return Promise.resolve();
      },
    },
    logger: { info: () => undefined },
  };
  const judge = createAheadJudge(parts as unknown as Parameters<typeof createAheadJudge>[0]);
  const end = (kind: Task['kind']): void =>
    events.emit('tasks/changed', { kind, connectionId: 'one', endedAtMs: NOW_MS } as Task);
  return { days, counted, judge, end };
}

it('judges the days of what was fetched, the last one first, once it has ended', async () => {
  const { days, judge, end } = judgeAhead(NOW_MS - 3 * DAY_MS);
  end('export');
  await vi.advanceTimersByTimeAsync(120_000);
  expect(days).toEqual([]);
  end('download');
  end('download');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(days).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(days).toEqual(['2026-10-20T00', '2026-10-19T00', '2026-10-18T00']);
  judge.stop();
  end('download');
  await vi.advanceTimersByTimeAsync(7_200_000);
  expect(days).toHaveLength(3);
});

it('judges no more than thirty days, and again as days end', async () => {
  const { days, judge } = judgeAhead(NOW_MS - 300 * DAY_MS);
  await vi.advanceTimersByTimeAsync(3_600_000 + 120_000);
  expect([days.length, days.at(-1)]).toEqual([30, '2026-09-21T00']);
  await vi.advanceTimersByTimeAsync(9 * 3_600_000);
  expect(days).toContain('2026-10-21T00');
  judge.stop();
});

it('counts all whole days of what was fetched after that, once', async () => {
  const { counted, judge, end } = judgeAhead(NOW_MS - 10 * DAY_MS);
  end('download');
  await vi.advanceTimersByTimeAsync(120_000);
  const all = ['2026-10-13 2026-10-20', '2026-10-10 2026-10-13'];
  expect(counted).toEqual(all);
  await vi.advanceTimersByTimeAsync(2 * 3_600_000);
  expect(counted).toEqual(all);
  end('library-import');
  await vi.advanceTimersByTimeAsync(120_000);
  expect(counted).toEqual([...all, ...all]);
  judge.stop();
});
