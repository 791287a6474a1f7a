import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InboundDetailDocument } from '../../../src-main/common/reporting/wire-schemas.ts';
import { fillStore } from '../../../src-main/service/sample/fill-store.ts';
import { LiveTraffic } from '../../../src-main/service/sample/live-traffic.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { openRecordStore, type RecordStore } from '../../../src-main/service/store/record-store.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { callReport, toPeriod, walkReport } from '../../support/service/service-calls.ts';

const DAY_MS = 86_400_000;

describe('live traffic', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'live-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('decision 27, service: adds records for every second, none late, and rollups that agree with them', () => {
    const startMs = Date.UTC(2026, 10, 20, 12);
    let nowMs = startMs;
    const store = openRecordStore(folder);
    try {
      fillStore(store, { tenant: 1001, records: 500, days: 2, seed: 3, nowMs });
      const traffic = new LiveTraffic(store, createRandom(5), () => nowMs);
      let lastCount = 500;
      for (let second = 0; second < 700; second += 1) {
        nowMs += 1000;
        traffic.writeSecond();
        const count = store.properties.getCounter('inbound_arrival');
        expect(count).toBeGreaterThan(lastCount);
        lastCount = count;
      }
      expectRollupsToAgree(store, startMs - 3 * DAY_MS, nowMs + 1);
      const rows = store.details.readInbound({ dateMs: startMs, arrival: 0 }, nowMs, 10_000);
      const arrivals = rows.map((row) => row.arrival);
      expect(arrivals).toEqual(arrivals.toSorted((a, b) => a - b));
    } finally {
      store.close();
    }
  });

  it('catches nothing up after a pause and writes nothing twice when the clock stands still', () => {
    let nowMs = Date.UTC(2026, 10, 20, 12);
    const store = openRecordStore(folder);
    try {
      fillStore(store, { tenant: 1001, records: 0, days: 1, seed: 3, nowMs });
      const traffic = new LiveTraffic(store, createRandom(5), () => nowMs);
      nowMs += 3_600_000;
      traffic.writeSecond();
      expect(store.counter.count('inbound', 0, nowMs - 1000)).toBe(0);
      const count = store.counter.count('inbound', 0, nowMs);
      nowMs -= 5_000;
      traffic.writeSecond();
      expect(store.counter.count('inbound', 0, nowMs + DAY_MS)).toBe(count);
    } finally {
      store.close();
    }
  });

  it('decision 10, service: a walk neither repeats nor skips what was there when it began, while records arrive', async () => {
    const service = await startTestService({ live: true, records: 1500 });
    try {
      const period = toPeriod(Date.now() - 7 * DAY_MS, Date.now() + DAY_MS);
      const before = await walkReport<InboundDetailDocument>(service, 'inbound-detail', period, 10_000);
      const started = service.readStats().inboundRecords;
      const walked: InboundDetailDocument[] = [];
      let lastDocument = '';
      do {
        const page = await callReport(service, 'inbound-detail', { ...period, size: 50, lastDocument });
        walked.push(...(page.documents as InboundDetailDocument[]));
        lastDocument = page.lastDocument;
        // The walk must meet new records on its way, so it waits for one early on.
        while (walked.length === 50 && service.readStats().inboundRecords === started) {
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

function expectRollupsToAgree(store: RecordStore, fromMs: number, toMs: number): void {
  for (const direction of ['inbound', 'outbound'] as const) {
    const total = store.properties.getCounter(`${direction}_arrival`);
    expect(store.counter.count(direction, fromMs, toMs)).toBe(total);
    const groups = store.summaries.read(direction, fromMs, toMs);
    expect(groups.reduce((sum, group) => sum + group.records, 0)).toBe(total);
  }
}
