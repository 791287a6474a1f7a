import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InboundDetailDocument } from '../../../src-main/common/reporting/wire-documents.ts';
import { fillStore } from '../../../src-main/service/sample/generate-history.ts';
import { createLiveTraffic } from '../../../src-main/service/simulation/live-traffic.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import type { RecordPeriod, RecordStore } from '../../../src-main/service/store/record-store.ts';
import { openSqliteStore } from '../../../src-main/service/store-sqlite/open-sqlite-store.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { callReport, toPeriod, walkReport } from '../../support/service/service-calls.ts';

const DAY_MS = 86_400_000;

describe('live traffic', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'live-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  it('decision 27, service: adds records second by second, none late, and sums that agree with them', async () => {
    const startMs = Date.UTC(2026, 10, 20, 12);
    let nowMs = startMs;
    const store = openSqliteStore(folder);
    try {
      await fillStore(store, { tenant: 1001, records: 500, days: 2, seed: 3, nowMs });
      const traffic = await createLiveTraffic(store, createRandom(5), () => nowMs, { perSecond: 2 });
      let lastCount = 500;
      for (let second = 0; second < 700; second += 1) {
        nowMs += 1000;
        await traffic.writeSecond();
        const count = (await store.readSize()).inboundRecords;
        expect(count).toBeGreaterThan(lastCount);
        lastCount = count;
      }
      await expectSumsToAgree(store, { fromMs: startMs - 3 * DAY_MS, toMs: nowMs + 1 });
      const period = { fromMs: startMs, toMs: nowMs };
      const { records } = await store.readDetailPage('inbound', { ...period, after: null, limit: 10_000 });
      const arrivals = records.map(({ arrival }) => arrival);
      expect(arrivals).toEqual(arrivals.toSorted((a, b) => a - b));
    } finally {
      await store.close();
    }
  });

  it('catches nothing up after a pause and writes nothing twice when the clock stands still', async () => {
    let nowMs = Date.UTC(2026, 10, 20, 12);
    const store = openSqliteStore(folder);
    try {
      await fillStore(store, { tenant: 1001, records: 0, days: 1, seed: 3, nowMs });
      const traffic = await createLiveTraffic(store, createRandom(5), () => nowMs);
      nowMs += 3_600_000;
      await traffic.writeSecond();
      expect(await countInbound(store, nowMs - 1000)).toBe(0);
      const count = await countInbound(store, nowMs);
      nowMs -= 5_000;
      await traffic.writeSecond();
      expect(await countInbound(store, nowMs + DAY_MS)).toBe(count);
    } finally {
      await store.close();
    }
  });

  it('makes up for the time that the service was off before it serves: like the history, bounded, nothing twice', async () => {
    const startMs = Date.UTC(2026, 10, 20, 12);
    let nowMs = startMs;
    const options = { dataFolder: folder, now: () => nowMs, records: 3_000, days: 3, live: true };
    const count = async (fromMs: number, toMs: number): Promise<number> => {
      const store = openSqliteStore(folder);
      try {
        await expectSumsToAgree(store, { fromMs: 0, toMs: nowMs + DAY_MS });
        const period = { fromMs, toMs, after: null, limit: 1 };
        return (await store.readDetailPage('inbound', period)).total;
      } finally {
        await store.close();
      }
    };
    const runFor = async (runMs: number, live: boolean): Promise<void> => {
      const service = await startTestService({ ...options, live });
      nowMs += runMs;
      await service.stop();
    };
    await runFor(0, true);
    nowMs += 2 * DAY_MS;
    await runFor(0, true);
    const twoDays = await count(startMs, nowMs);
    expect(twoDays).toBeGreaterThan(600);
    expect(twoDays).toBeLessThan(3_000);
    expect(await count(startMs + DAY_MS, startMs + 2 * DAY_MS)).toBeGreaterThan(300);
    // What was served without new traffic stays as it was served.
    const silentMs = nowMs;
    await runFor(DAY_MS, false);
    await runFor(0, true);
    expect(await count(silentMs, nowMs)).toBe(0);
    const awayMs = nowMs;
    nowMs += 100 * DAY_MS;
    await runFor(0, true);
    expect(await count(awayMs, nowMs - 7 * DAY_MS)).toBe(0);
    expect(await count(nowMs - 7 * DAY_MS, nowMs)).toBeGreaterThan(3_000);
  });

  it('makes up for a week of heavy traffic only in part, so that the start stays short', async () => {
    let nowMs = Date.UTC(2026, 10, 20, 12);
    const store = openSqliteStore(folder);
    try {
      await fillStore(store, { tenant: 1001, records: 500, days: 2, seed: 3, nowMs });
      nowMs += 7 * DAY_MS;
      const traffic = await createLiveTraffic(store, createRandom(5), () => nowMs, { perSecond: 500 });
      await traffic.writeMissed();
      const written = (await store.readSize()).inboundRecords - 500;
      expect(written).toBeGreaterThan(90_000);
      expect(written).toBeLessThan(140_000);
      expect((await store.readProperties())['live_until_ms']).toBe(String(nowMs));
    } finally {
      await store.close();
    }
  });

  it('decision 10, service: a walk neither repeats nor skips what was there when it began, while records arrive', async () => {
    const service = await startTestService({ live: true, livePerSecond: 2, records: 1500 });
    try {
      const period = toPeriod(Date.now() - 7 * DAY_MS, Date.now() + DAY_MS);
      const before = await walkReport<InboundDetailDocument>(service, 'inbound-detail', period, 10_000);
      const started = (await service.readSize()).inboundRecords;
      const walked: InboundDetailDocument[] = [];
      let lastDocument = '';
      do {
        const page = await callReport(service, 'inbound-detail', { ...period, size: 50, lastDocument });
        walked.push(...(page.documents as InboundDetailDocument[]));
        lastDocument = page.lastDocument;
        // The walk must meet new records on its way, so it waits for one early on.
        while (walked.length === 50 && (await service.readSize()).inboundRecords === started) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      } while (lastDocument !== '');
      expect(walked.slice(0, before.length)).toEqual(before);
      expect(walked.length).toBeGreaterThan(before.length);
      const payloads = walked.map((each) => `${each.Date}${each.Payload}`);
      expect(new Set(payloads).size).toBe(payloads.length);
    } finally {
      await service.stop();
    }
  });
});

async function countInbound(store: RecordStore, toMs: number): Promise<number> {
  return (await store.readDetailPage('inbound', { fromMs: 0, toMs, after: null, limit: 1 })).total;
}

async function expectSumsToAgree(store: RecordStore, period: RecordPeriod): Promise<void> {
  const size = await store.readSize();
  for (const direction of ['inbound', 'outbound'] as const) {
    const { total } = await store.readDetailPage(direction, { ...period, after: null, limit: 1 });
    const groups = await store.readSummary(direction, period);
    expect(total).toBe(size[`${direction}Records`]);
    expect(groups.reduce((sum, group) => sum + group.records, 0)).toBe(total);
  }
}
