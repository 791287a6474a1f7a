import { createRandom } from '../../src-main/service/sample/random.ts';
import {
  SPECIFIED_REPORT_IDENTIFIERS,
  type ReportKind,
} from '../../src-main/common/reporting/report-identifiers.ts';
import { toWireDate } from '../../src-main/common/reporting/wire-dates.ts';
import { startTestService } from '../support/running-service.ts';
import { measure, toQuantile, toTimeFigure, type BenchFigure } from './figure.ts';

const BENCH = 'service';
const DAYS = 30;
const CALLS = 100;
const START_GOAL_MS = 5_000;

interface ReportCase {
  readonly report: ReportKind;
  readonly size: number;
  readonly goalMs: number;
}
const CASES: readonly ReportCase[] = [
  { report: 'inbound-detail', size: 1_000, goalMs: 8 },
  { report: 'outbound-detail', size: 1_000, goalMs: 8 },
  { report: 'inbound-summary', size: 10_000, goalMs: 15 },
];

/** The bundled service with `size` inbound records: its start, and reports of random periods over HTTP. */
export async function benchService(options: { size: number }): Promise<BenchFigure[]> {
  const { value: service, ms } = await measure(() => startTestService({ records: options.size, days: DAYS }));
  try {
    // The goal is stated for the default history.
    const startGoalMs = options.size <= 200_000 ? START_GOAL_MS : null;
    const figures = [toTimeFigure(BENCH, `start with ${options.size} records`, ms, startGoalMs)];
    for (const each of CASES) {
      const times = await timeReports(service.url, each);
      const name = `${each.report}, size ${each.size}`;
      figures.push(toTimeFigure(BENCH, `${name}, median`, toQuantile(times, 0.5), each.goalMs));
      figures.push(toTimeFigure(BENCH, `${name}, 99th percentile`, toQuantile(times, 0.99)));
    }
    return figures;
  } finally {
    await service.stop();
  }
}

async function timeReports(url: string, { report, size }: ReportCase): Promise<number[]> {
  const address = `${url}/api/ServiceReporting/ExecuteReport/1001/${SPECIFIED_REPORT_IDENTIFIERS[report]}`;
  const random = createRandom(1);
  const nowMs = Date.now();
  const times: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    const fromMs = nowMs - random() * DAYS * 86_400_000;
    const toMs = fromMs + random() * (nowMs - fromMs);
    const body = { startDate: toWireDate(fromMs, 'UTC'), endDate: toWireDate(toMs, 'UTC'), size };
    const { ms } = await measure(async () => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
      await response.arrayBuffer();
    });
    times.push(ms);
  }
  return times;
}
