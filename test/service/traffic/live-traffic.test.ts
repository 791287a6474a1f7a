import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InboundDetailDocument } from '../../../src-main/common/reporting/wire-schemas.ts';
import { fillStore } from '../../../src-main/service/sample/fill-store.ts';
import { createLiveTraffic } from '../../../src-main/service/sample/live-traffic.ts';
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
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('decision 27, service: adds records for every second, none late, and sums that agree with them', async () => {
    const startMs = Date.UTC(2026, 10, 20, 12);
    let nowMs = startMs;
    const store = openSqliteStore(folder);
    try {
      await fillStore(store, { tenant: 1001, records: 500, days: 2, seed: 3, nowMs });
      const traffic = await createLiveTraffic(store, createRandom(5), () => nowMs);
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

  it('decision 10, service: a walk neither repeats nor skips what was there when it began, while records arrive', async () => {
    const service = await startTestService({ live: true, records: 1500 });
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
