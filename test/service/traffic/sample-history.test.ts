import { describe, expect, it } from 'vitest';
import type {
  InboundDetailDocument,
  OutboundDetailDocument,
} from '../../../src-main/common/reporting/wire-documents.ts';
import { generateHistory } from '../../../src-main/service/sample/generate-history.ts';
import type { NewInboundRecord } from '../../../src-main/service/store/record-store.ts';
import { startTestService, type TestServiceOptions } from '../../support/service/running-service.ts';
import { toPeriod, walkReport } from '../../support/service/service-calls.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2026, 10, 20, 15, 30, 12, 345);

async function readHistory(options: TestServiceOptions): Promise<[unknown[], unknown[]]> {
  const service = await startTestService({ now: () => NOW_MS, records: 800, ...options });
  try {
    const period = toPeriod(NOW_MS - 40 * DAY_MS, NOW_MS);
    return [
      await walkReport<InboundDetailDocument>(service, 'inbound-detail', period, 10_000),
      await walkReport<OutboundDetailDocument>(service, 'outbound-detail', period, 10_000),
    ];
  } finally {
    await service.stop();
  }
}

describe('the sample history', () => {
  it('is the same for the same seed and end, and another for another seed', async () => {
    const first = await readHistory({ seed: 7 });
    expect(await readHistory({ seed: 7 })).toEqual(first);
    expect((await readHistory({ seed: 8 }))[0]).not.toEqual(first[0]);
  });

  it('has exactly the records asked for, in order, before its end, and about 1.3 outbound for each', () => {
    const batches = [...generateHistory({ records: 20_000, days: 30, seed: 1, endMs: NOW_MS })];
    const inbound = batches.flatMap((batch) => batch.inbound);
    const outbound = batches.flatMap((batch) => batch.outbound);
    expect(inbound).toHaveLength(20_000);
    expect(outbound.length / inbound.length).toBeCloseTo(1.3, 1);
    for (const records of [inbound, outbound]) {
      const dates = records.map((record) => record.dateMs);
      expect(dates).toEqual(dates.toSorted((a, b) => a - b));
      expect(dates.at(-1)).toBeLessThan(NOW_MS);
      expect(dates[0]).toBeGreaterThanOrEqual(NOW_MS - 30 * DAY_MS);
    }
    expect(new Set(inbound.map((record) => record.channel)).size).toBe(6);
    expect(new Set(inbound.map((record) => record.service)).size).toBe(8);
    expect(new Set(inbound.map((record) => record.origin)).size).toBe(4);
  });

  it('shows a day and a week, and the stretch in which channel 3 timed out on service 7', () => {
    const batches = [...generateHistory({ records: 100_000, days: 28, seed: 1, endMs: NOW_MS })];
    const inbound = batches.flatMap((batch) => batch.inbound);
    const countWhere = (accept: (record: NewInboundRecord) => boolean): number =>
      inbound.filter(accept).length;
    const hourOf = (record: NewInboundRecord): number => new Date(record.dateMs).getUTCHours();
    const dayOf = (record: NewInboundRecord): number => new Date(record.dateMs).getUTCDay();
    const nightShare = countWhere((each) => hourOf(each) === 3) / countWhere((each) => hourOf(each) === 11);
    expect(nightShare).toBeGreaterThan(0.15);
    expect(nightShare).toBeLessThan(0.25);
    expect(countWhere((each) => dayOf(each) === 2)).toBeGreaterThan(
      1.6 * countWhere((each) => dayOf(each) === 0),
    );
    const ill = inbound.filter((each) => {
      const ageHours = (NOW_MS - each.dateMs) / 3_600_000;
      return each.channel === 3 && each.service === 7 && ageHours <= 5 && ageHours > 3.5;
    });
    expect(ill.filter((each) => each.responseCode === 504).length).toBeGreaterThan(ill.length / 3);
    const failed = countWhere((each) => each.responseCode >= 400);
    expect(failed / inbound.length).toBeGreaterThan(0.01);
    expect(failed / inbound.length).toBeLessThan(0.08);
  });

  it.each([
    ['a Saturday night', Date.UTC(2026, 10, 21, 3, 50), 1],
    ['a Saturday noon', Date.UTC(2026, 10, 21, 12), 2],
    ['a Sunday night', Date.UTC(2026, 10, 22, 3), 3],
    ['a weekday', Date.UTC(2026, 10, 18, 11), 1],
  ])('has errors and slow requests that stand out in the last hour of %s', (_title, endMs, seed) => {
    const batches = [...generateHistory({ records: 200_000, days: 30, seed, endMs })];
    const day = batches.flatMap((batch) => batch.inbound).filter((each) => endMs - each.dateMs <= DAY_MS);
    const measure = (channel: number, service: number, isRecent: boolean) => {
      const flow = day.filter(
        (each) =>
          each.channel === channel && each.service === service && endMs - each.dateMs <= HOUR_MS === isRecent,
      );
      const failures = flow.filter((each) => each.responseCode >= 400).length;
      const timeUs = flow.reduce((sum, each) => sum + each.responseTimeUs, 0);
      return { requests: flow.length, failures, share: failures / flow.length, timeUs: timeUs / flow.length };
    };
    const [failing, failingBefore] = [measure(3, 7, true), measure(3, 7, false)];
    expect(failingBefore.requests).toBeGreaterThanOrEqual(50);
    expect(failing.failures).toBeGreaterThanOrEqual(20);
    expect(failing.share).toBeGreaterThan(3 * failingBefore.share);
    const [slow, slowBefore] = [measure(1, 2, true), measure(1, 2, false)];
    expect(slow.requests).toBeGreaterThanOrEqual(50);
    expect(slow.timeUs).toBeGreaterThan(2 * slowBefore.timeUs);
  });
});
