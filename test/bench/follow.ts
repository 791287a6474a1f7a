import { DETAIL_KINDS } from '../../src-main/common/reporting/reports.ts';
import { createFollowingRig } from '../support/following/following-rig.ts';
import type { BenchFigure } from './figure.ts';

const BENCH = 'follow';
/** Inbound, and as many outbound. */
const RECORDS_PER_SECOND = 50;
const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 2, 10, 10);
const FAULTY_SHARE = 3;

/**
 * Follows the real service in simulated time, with 5 % of late records, faults, a lost network and a sleeping computer
 * in between, then while nothing happens. `size` is the number of records: 360,000 are an hour of 50 a second in both
 * directions. The figures of the processor hold the service and the writing of its records, too.
 */
export async function* benchFollow({ size }: { size: number }): AsyncGenerator<BenchFigure> {
  const minutes = Math.max(20, size / (2 * RECORDS_PER_SECOND * 60));
  const rig = await createFollowingRig({
    startMs: START_MS,
    recordsPerSecond: RECORDS_PER_SECOND,
    lateShare: 0.05,
  });
  try {
    const cpu = process.cpuUsage();
    await rig.pass(minutes * 0.2);
    rig.network.answer = () =>
      Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }));
    await rig.pass(minutes * 0.05);
    let calls = 0;
    rig.network.answer = () => {
      calls += 1;
      return calls % FAULTY_SHARE === 0 ? new Response('{"documents": [{') : undefined;
    };
    await rig.pass(minutes * 0.15);
    rig.network.answer = null;
    const residentBefore = process.memoryUsage.rss();
    await rig.sleep(minutes * 0.2);
    await rig.pass(minutes * 0.4);
    const { user, system } = process.cpuUsage(cpu);
    const residentAfter = process.memoryUsage.rss();
    let differing = 0;
    let settled = 0;
    let lagMs = 0;
    for (const report of DETAIL_KINDS) {
      const { served, cached, settledToMs } = await rig.readSettled(report);
      settled += served.length;
      differing += countDifferences(served, cached);
      lagMs = Math.max(lagMs, rig.now() - settledToMs);
    }
    yield toFigure('records of settled minutes', settled, '');
    yield toFigure('of those, missing or too many', differing, '', 0);
    yield toFigure('settled up to, before now', lagMs / MINUTE_MS, 'min', 20);
    yield toFigure('processor, service included', (user + system) / 10 / (minutes * MINUTE_MS), '%', 3);
    const growth = Math.max(0, residentAfter - residentBefore) / 2 ** 20;
    yield toFigure('memory, more than before the sleep', growth, 'MB', 100);
    rig.rest();
    await rig.pass(10);
    const before = rig.network.calls.length;
    await rig.pass(30);
    yield toFigure('calls a minute, nothing happens', (rig.network.calls.length - before) / 30, '', 3);
  } finally {
    await rig.stop();
  }
}

function countDifferences(served: readonly string[], cached: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const each of served) counts.set(each, (counts.get(each) ?? 0) + 1);
  for (const each of cached) counts.set(each, (counts.get(each) ?? 0) - 1);
  return [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

function toFigure(figure: string, value: number, unit: string, goal: number | null = null): BenchFigure {
  const rest = { peer: null, peerValue: null, ratio: null };
  return { bench: BENCH, figure, value, unit, goal, met: goal === null ? null : value <= goal, ...rest };
}
