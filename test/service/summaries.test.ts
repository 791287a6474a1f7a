import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../src-main/service/sample/random.ts';
import type { RunningService } from '../../src-main/service/start-service.ts';
import {
  computeSummary,
  toComparable,
  type Detail,
  type Summary,
} from '../support/service/compute-summary.ts';
import { describeOverHttp } from '../support/service/engines.ts';
import { startTestService } from '../support/service/running-service.ts';
import { callReport, toPeriod, walkReport } from '../support/service/service-calls.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 20, 15, 30, 12, 345);
const START_MS = NOW_MS - 8 * DAY_MS;

interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

describeOverHttp('summaries', (engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startTestService({ ...engine, now: () => NOW_MS, records: 6000 });
  });
  afterAll(() => service.stop());

  const random = createRandom(20261120);
  const periods = Array.from({ length: 12 }, (_, index): [Period] => {
    // Seconds, minutes, hours and days long, so that every kind of rollup takes part.
    const lengthMs = [30_000, 1_800_000, 3 * 3_600_000, 5 * DAY_MS][index % 4]! * (0.5 + random());
    const fromMs = START_MS + Math.floor(random() * (8 * DAY_MS - lengthMs));
    return [toPeriod(fromMs, fromMs + lengthMs)];
  });

  it.each([...periods, [toPeriod(START_MS, NOW_MS)] as [Period]])(
    'equal what is computed from the detail records of %o',
    async (period) => {
      const inbound = await walkReport<Detail>(service, 'inbound-detail', period, 10_000);
      const outbound = await walkReport<Detail>(service, 'outbound-detail', period, 10_000);
      const summary = await walkReport<Summary>(service, 'inbound-summary', period, 10_000);
      const expected = [...computeSummary(inbound), ...computeSummary(outbound)];
      expect(toComparable(summary)).toEqual(toComparable(expected));
    },
  );

  it('are the same at every page size', async () => {
    const period = toPeriod(START_MS, NOW_MS);
    const whole = await walkReport(service, 'inbound-summary', period, 10_000);
    expect(await walkReport(service, 'inbound-summary', period, 13)).toEqual(whole);
  });

  it('of adjacent periods add up', async () => {
    const cutMs = START_MS + 4.321 * DAY_MS;
    const count = async (fromMs: number, toMs: number): Promise<number> => {
      const documents = await walkReport<Summary>(service, 'inbound-summary', toPeriod(fromMs, toMs), 10_000);
      return documents.reduce((sum, each) => sum + Number(each.Count), 0);
    };
    const cutSecondMs = Math.floor(cutMs / 1000) * 1000;
    const parts = (await count(START_MS, cutSecondMs)) + (await count(cutSecondMs + 1000, NOW_MS));
    expect(parts).toBe(await count(START_MS, NOW_MS));
  });

  it('count what totalDocument of the detail reports says', async () => {
    const period = toPeriod(START_MS + 1.7 * DAY_MS, START_MS + 6.2 * DAY_MS);
    const { totalDocument } = await callReport(service, 'outbound-detail', { ...period, size: 1 });
    const walked = await walkReport(service, 'outbound-detail', period, 777);
    expect(walked).toHaveLength(totalDocument);
  });
});
