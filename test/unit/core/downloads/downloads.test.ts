import { describe, expect, it } from 'vitest';
import { AppError, type ErrorCode } from '../../../../src-main/common/contract/errors.ts';
import type { Period } from '../../../../src-main/common/model/period.ts';
import { fromWireDate, toWireDate } from '../../../../src-main/common/reporting/wire-documents.ts';
import {
  adaptPageSize,
  planDownload,
  slicePeriod,
  suggestSliceDays,
  toFirstSizing,
  toPeriod,
} from '../../../../src-main/core/downloads/slice-period.ts';
import {
  type FailurePlace,
  judgeFailure,
  sleepAwake,
} from '../../../../src-main/core/downloads/judge-failure.ts';

const DAY_MS = 86_400_000;

function createPeriod(startDate: string, endDate: string, zone = 'UTC'): Period {
  const [fromMs, toMs] = [startDate, endDate].map((text) => fromWireDate(text, zone)) as [number, number];
  return { startDate, endDate, fromMs, toMs, zone };
}

describe('cutting a period', () => {
  it('decision 5, client: begins each slice one second after the last one ends', () => {
    const slices = slicePeriod(createPeriod('2026-11-18 10:15:30', '2026-11-20 08:00:00'), 1);
    expect(slices.map(({ startDate, endDate }) => `${startDate} … ${endDate}`)).toEqual([
      '2026-11-18 10:15:30 … 2026-11-18 23:59:59',
      '2026-11-19 00:00:00 … 2026-11-19 23:59:59',
      '2026-11-20 00:00:00 … 2026-11-20 08:00:00',
    ]);
  });

  it.each([
    ['America/Sao_Paulo', '2018-11-02 00:00:00', '2018-11-06 12:00:00'],
    ['Europe/Madrid', '2026-10-23 13:00:00', '2026-10-27 01:00:00'],
    ['America/New_York', '2026-03-06 00:00:00', '2026-03-10 23:59:59'],
    ['Asia/Kathmandu', '2026-02-27 05:00:00', '2026-03-02 05:00:00'],
    ['Australia/Lord_Howe', '2026-04-03 00:00:00', '2026-04-06 00:00:00'],
  ])('covers every second of %s across its clock change, once', (zone, startDate, endDate) => {
    const slices = slicePeriod(createPeriod(startDate, endDate, zone), 1);
    expect(slices.length).toBeGreaterThan(3);
    for (const [place, slice] of slices.entries()) {
      const before = slices[place - 1];
      if (before !== undefined) {
        const end = fromWireDate(before.endDate, 'UTC') as number;
        expect(slice.startDate).toBe(toWireDate(end + 1000, 'UTC'));
      }
      expect(slice.fromMs).toBeLessThanOrEqual(slice.toMs);
    }
    expect(slices[0]?.startDate).toBe(startDate);
    expect(slices.at(-1)?.endDate).toBe(endDate);
  });

  it('makes few enough slices of any period to go through them', () => {
    for (const [end, days] of [
      ['2199-12-31 23:59:59', 1 / 24],
      ['2001-12-31 23:59:59', 1 / 24],
      ['1901-12-31 23:59:59', 1 / 24],
    ] as const) {
      const slices = slicePeriod(createPeriod('1900-01-01 05:30:00', end), days);
      expect(slices.length).toBeLessThanOrEqual(4_000);
      expect(slices.length).toBeGreaterThan(1_500);
      expect(slices[1]?.startDate).toMatch(/ \d\d:00:00$/);
      expect(slices.at(-1)?.endDate).toBe(end);
    }
  });

  it('keeps several days together, a single second whole, and a period uncut when not asked', () => {
    const month = createPeriod('2026-11-01 00:00:00', '2026-11-30 23:59:59');
    expect(slicePeriod(month, 7)).toHaveLength(5);
    expect(slicePeriod(month, null)).toEqual([month]);
    const second = createPeriod('2026-11-01 23:59:59', '2026-11-01 23:59:59');
    expect(slicePeriod(second, 1)).toEqual([second]);
    expect(suggestSliceDays(month)).toBe(1);
    expect(suggestSliceDays(second)).toBeNull();
  });
});

describe('the page size', () => {
  const quick = { kind: 'received', durationMs: 100 } as const;
  const tooMuch = { kind: 'too-much' } as const;

  it('never leaves its limits, whatever happens', () => {
    for (const most of [1, 50, 100, 1000, 10_000, 100_000]) {
      let sizing = toFirstSizing(most);
      for (let step = 0; step < 300; step += 1) {
        const outcome =
          (step * 7) % 5 === 0 ? tooMuch : { kind: 'received' as const, durationMs: (step * 977) % 30_000 };
        sizing = adaptPageSize(sizing, outcome, most);
        expect(sizing.size).toBeLessThanOrEqual(Math.min(most, 10_000));
        expect(sizing.size).toBeGreaterThanOrEqual(Math.min(most, 100));
      }
    }
  });

  it('halves after a failure, grows while quick, and comes back slowly to what failed', () => {
    let sizing = adaptPageSize(toFirstSizing(8000), tooMuch, 8000);
    expect(sizing.size).toBe(4000);
    sizing = adaptPageSize(sizing, quick, 8000);
    expect(sizing.size).toBe(6000);
    sizing = adaptPageSize(sizing, quick, 8000);
    expect(sizing.size).toBeLessThan(7000);
    for (let step = 0; step < 20; step += 1) sizing = adaptPageSize(sizing, quick, 8000);
    expect(sizing.size).toBe(8000);
    expect(adaptPageSize(sizing, { kind: 'received', durationMs: 20_000 }, 8000).size).toBe(5333);
    expect(adaptPageSize(sizing, { kind: 'received', durationMs: 5_000 }, 8000).size).toBe(8000);
  });
});

describe('a failure', () => {
  const place: FailurePlace = {
    cursor: 'A',
    isWatched: false,
    failures: 1,
    withoutProgressMs: 0,
    canShrink: true,
    restarts: 0,
  };
  const judge = (code: ErrorCode, change: Partial<FailurePlace> = {}, details = {}) =>
    judgeFailure(new AppError(code, '', details), { ...place, ...change }, 0.5);

  it('of the network is waited for with growing delays, at most a minute, for twelve hours', () => {
    const delays = Array.from({ length: 12 }, (_, index) => {
      const verdict = judge('client.unreachable', { failures: index + 1 });
      return verdict.kind === 'wait' ? verdict.delayMs : NaN;
    });
    expect(delays.slice(0, 3)).toEqual([375, 750, 1500]);
    expect(Math.max(...delays)).toBe(45_000);
    expect(judge('client.unreachable', { withoutProgressMs: 12 * 3_600_000 })).toEqual({ kind: 'pause' });
  });

  it('of the built-in service that was stopped is waited for, and shown at once to whoever has just started it', () => {
    expect(judge('local-service.not-running').kind).toBe('wait');
    expect(judge('local-service.not-running', { isWatched: true }).kind).toBe('stop');
  });

  it('waits as long as the service asks for', () => {
    expect(judge('client.rate-limited', {}, { retryAfterMs: 300_000 })).toMatchObject({ delayMs: 300_000 });
    expect(judge('client.rate-limited', {}, { retryAfterMs: 1e12 })).toMatchObject({ delayMs: 604_800_000 });
  });

  it('is shown at once to a person who just asked', () => {
    expect(judge('client.refused-connection', { isWatched: true, cursor: '' })).toEqual({ kind: 'stop' });
    expect(judge('client.html', { isWatched: true, cursor: '', failures: 3 })).toEqual({ kind: 'stop' });
  });

  it('of a refused cursor begins the walk again, of a refused first page ends it', () => {
    expect(judge('client.invalid-request')).toEqual({ kind: 'restart-walk' });
    expect(judge('client.invalid-request', { cursor: '' })).toEqual({ kind: 'stop' });
    expect(judge('client.invalid-request', { restarts: 5 })).toEqual({ kind: 'stop' });
  });

  it('of size leads to smaller pages, until there are none', () => {
    expect(judge('client.http-status', {}, { status: 413 })).toMatchObject({ kind: 'wait', isTooMuch: true });
    expect(judge('client.too-large', { canShrink: false })).toEqual({ kind: 'stop' });
    // Headers that are too large are as large for smaller pages.
    expect(judge('client.too-large', { canShrink: true }, { kind: 'headers' })).toEqual({ kind: 'stop' });
    expect(judge('client.server-error', {}, { status: 500 })).toMatchObject({ isTooMuch: true });
    expect(judge('client.timeout', {}, { kind: 'connect' })).toMatchObject({ isTooMuch: false });
  });

  it('that only a person can mend pauses', () => {
    for (const code of ['cache.disk-full', 'secrets.locked', 'client.credentials-refused'] as const) {
      expect(judge(code)).toEqual({ kind: 'pause' });
    }
    expect(judge('cache.snapshot-not-found')).toEqual({ kind: 'stop' });
  });

  it('of a cache that opens its file again is outlasted', () => {
    expect(judge('cache.damaged')).toMatchObject({ kind: 'wait' });
    expect(judge('app.cancelled')).toMatchObject({ kind: 'wait' });
  });
});

describe('gaps', () => {
  const span = (fromMs: number, toMs: number) => ({ fromMs, toMs });

  it('are asked for an hour wider where the clock of the service shows a time twice', () => {
    const zone = 'Europe/Madrid';
    const twice = Date.UTC(2026, 9, 25, 1, 30);
    expect(toPeriod(span(twice, twice + DAY_MS), zone).fromMs).toBe(twice - 3_600_000);
    // Whichever of the two the service takes an end for, nothing is left out.
    expect(toPeriod(span(twice - 3_600_000, twice), zone)).toMatchObject({
      startDate: '2026-10-25 01:30:00',
      endDate: '2026-10-25 03:30:00',
    });
    const once = Date.UTC(2026, 9, 26, 1, 30);
    expect(toPeriod(span(once, once + 1000), zone)).toMatchObject({ startDate: '2026-10-26 02:30:00' });
  });
});

describe('waiting', () => {
  const signal = new AbortController().signal;

  it('ends early when the machine woke up meanwhile', async () => {
    let nowMs = 0;
    let waits = 0;
    const clock = {
      now: () => nowMs,
      wait: (ms: number) => {
        waits += 1;
        nowMs += waits === 2 ? 3_600_000 : ms;
        return Promise.resolve();
      },
    };
    expect(await sleepAwake(clock, 60_000, signal)).toBe('woke');
    expect(waits).toBe(2);
    expect(await sleepAwake(clock, 12_000, signal)).toBe('over');
    expect(waits).toBe(5);
  });
});

describe('a forecast', () => {
  const period = createPeriod('2026-11-20 00:00:00', '2026-11-20 12:00:00');
  const asked = { totalDocument: 10_000, bytesPerRecord: 500, roundTripMs: 200 };
  const nothing = { recordCount: 0, receivedBytes: 0, durationMs: 0, diskShare: null };
  const rest = { pageSize: 1000, period, freeBytes: null };

  it('assumes where nothing was measured, and says so of round totals', () => {
    expect(planDownload({ asked, pace: nothing, ...rest })).toMatchObject({
      recordCount: 10_000,
      isAtLeast: true,
      pageCount: 10,
      receivedBytes: 5_000_000,
      basis: 'assumed',
      durationMs: 4000,
      diskBytes: 6_000_000,
    });
    const unknown = planDownload({ asked: { ...asked, totalDocument: null }, pace: nothing, ...rest });
    expect(unknown).toMatchObject({ recordCount: null, pageCount: null, diskBytes: null, durationMs: null });
  });

  it('follows what earlier downloads took', () => {
    const pace = { recordCount: 5000, receivedBytes: 1_000_000, durationMs: 10_000, diskShare: 2 };
    expect(planDownload({ asked, pace, ...rest })).toMatchObject({
      receivedBytes: 2_000_000,
      diskBytes: 4_000_000,
      durationMs: 20_000,
      basis: 'measured',
    });
  });
});

it('decision 24: waits a day where the service asks for one', () => {
  const place = {
    cursor: 'a',
    isWatched: false,
    failures: 1,
    withoutProgressMs: 0,
    canShrink: false,
    restarts: 0,
  };
  const error = new AppError('client.rate-limited', 'x', { status: 429, retryAfterMs: 86_400_000 });
  expect(judgeFailure(error, place, 0)).toMatchObject({ kind: 'wait', delayMs: 86_400_000 });
});
