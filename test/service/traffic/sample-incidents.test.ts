import { beforeAll, describe, expect, it } from 'vitest';
import { NO_SIMULATION } from '../../../src-main/common/model/connections/local-service.ts';
import { weighTraffic } from '../../../src-main/service/sample/draw-turn.ts';
import { generateHistory } from '../../../src-main/service/sample/generate-history.ts';
import { listIncidents, type Incident } from '../../../src-main/service/sample/incidents.ts';
import { createLiveTraffic } from '../../../src-main/service/simulation/live-traffic.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { reportIncidents } from '../../../src-main/service/simulation/watch-platform.ts';
import type {
  RecordStore,
  NewInboundRecord,
  NewOutboundRecord,
  TrafficBatch,
} from '../../../src-main/service/store/record-store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 30;
const RECORDS = 200_000;

interface Traffic {
  readonly inbound: readonly NewInboundRecord[];
  readonly outbound: readonly NewOutboundRecord[];
}

function join(batches: readonly TrafficBatch[]): Traffic {
  return {
    inbound: batches.flatMap(({ inbound }) => inbound),
    outbound: batches.flatMap(({ outbound }) => outbound),
  };
}

/** New traffic from `fromMs` on, written second by second into nothing but memory. */
async function runLive(endMs: number, fromMs: number, lengthMs: number): Promise<Traffic> {
  let nowMs = fromMs;
  const batches: TrafficBatch[] = [];
  const properties = {
    records: String(RECORDS),
    days: String(DAYS),
    history_end_ms: String(endMs),
    next_session: '1',
    live_until_ms: String(fromMs),
  };
  const store: Pick<RecordStore, 'readProperties' | 'writeProperties' | 'writeBatch'> = {
    readProperties: () => Promise.resolve(properties),
    writeProperties: () => Promise.resolve(),
    writeBatch: (batch) => {
      batches.push(batch);
      return Promise.resolve();
    },
  };
  const traffic = await createLiveTraffic(store as RecordStore, createRandom(5), () => nowMs);
  while (nowMs < fromMs + lengthMs) {
    nowMs += 1_000;
    await traffic.writeSecond();
  }
  return join(batches);
}

describe.each([
  ['a working day at noon', Date.UTC(2026, 10, 18, 12)],
  ['a Sunday before dawn', Date.UTC(2026, 10, 22, 3, 17, 5)],
  ['midnight at the start of a week', Date.UTC(2026, 10, 23)],
])('the sample history that ends at %s', (_title, endMs) => {
  let history: Traffic;
  let incidents: Incident[];
  beforeAll(() => {
    history = join([...generateHistory({ records: RECORDS, days: DAYS, seed: 2, endMs })]);
    incidents = listIncidents(endMs, endMs - DAYS * DAY_MS, endMs);
  });

  const meets = (incident: Incident, record: NewInboundRecord): boolean =>
    (incident.channel === undefined || record.channel === incident.channel) &&
    (incident.service === undefined || record.service === incident.service);
  const within = (incident: Incident, fromMs: number, toMs: number): NewInboundRecord[] =>
    history.inbound.filter((each) => each.dateMs >= fromMs && each.dateMs < toMs && meets(incident, each));
  const failedShare = (records: readonly NewInboundRecord[], code: number): number =>
    records.filter(({ responseCode }) => responseCode === code).length / Math.max(1, records.length);
  const meanUs = (records: readonly NewInboundRecord[]): number =>
    records.reduce((sum, { responseTimeUs }) => sum + responseTimeUs, 0) / records.length;
  const find = (kind: Incident['kind']): Incident => {
    const found = incidents.find((each) => each.kind === kind);
    if (found === undefined) throw new Error(`It has no ${kind}.`);
    return found;
  };

  it('holds incidents of ten kinds', () => {
    expect(new Set(incidents.map(({ kind }) => kind)).size).toBe(10);
  });

  it('decision 38, service: fails from the first minute of an incident to its last, with the code that is its own', () => {
    for (const incident of incidents) {
      const { failureShare = 0, responseCode = 0, fromMs } = incident;
      if (failureShare < 0.2) continue;
      const records = within(incident, fromMs, Math.min(endMs, incident.toMs));
      const length = Math.min(endMs, incident.toMs) - fromMs;
      expect(records.length, incident.kind).toBeGreaterThan(20);
      expect(failedShare(records, responseCode), incident.kind).toBeGreaterThan(failureShare * 0.6);
      expect(failedShare(within(incident, fromMs - length, fromMs), responseCode)).toBeLessThan(0.1);
    }
  });

  it('swells, and falls silent on one channel, between clear ends', () => {
    const surge = find('volume-surge');
    const length = surge.toMs - surge.fromMs;
    const usual = within(surge, surge.toMs, surge.toMs + length).length;
    const expected = weighTraffic(surge.fromMs + length / 2) / weighTraffic(surge.toMs + length / 2);
    const ratio = within(surge, surge.fromMs, surge.toMs).length / usual / expected;
    expect(ratio).toBeGreaterThan(2.4);
    expect(ratio).toBeLessThan(5);
    const silent = find('channel-silent');
    expect(within(silent, silent.fromMs, silent.toMs)).toEqual([]);
    expect(within(silent, silent.fromMs - HOUR_MS, silent.fromMs).length).toBeGreaterThan(10);
    expect(within(silent, silent.toMs, silent.toMs + HOUR_MS).length).toBeGreaterThan(10);
  });

  it('creeps up over days, and brings an error that is nowhere else', () => {
    const leak = find('slow-leak');
    const days = [0, 1, 2, 3].map((day) =>
      meanUs(within(leak, leak.fromMs + day * DAY_MS, leak.fromMs + (day + 1) * DAY_MS)),
    );
    expect(days).toEqual(days.toSorted((a, b) => a - b));
    expect(days[3]! / days[0]!).toBeGreaterThan(1.8);
    const release = find('bad-release');
    const dates = history.inbound
      .filter(({ responseCode }) => responseCode === 422)
      .map(({ dateMs }) => dateMs);
    expect(Math.min(...dates)).toBeGreaterThanOrEqual(release.fromMs);
    expect(Math.min(...dates)).toBeLessThan(release.fromMs + 20 * MINUTE_MS);
    expect(Math.max(...dates)).toBeLessThan(release.toMs);
  });

  it('has a quiet week, and new traffic goes on at its rate', async () => {
    const quiet = history.inbound.filter(({ dateMs }) => {
      const days = (Math.floor(endMs / DAY_MS) * DAY_MS - dateMs) / DAY_MS;
      return days > 20 && days <= 28;
    });
    expect(quiet.filter(({ responseCode }) => responseCode >= 400).length / quiet.length).toBeLessThan(0.03);
    const lengthMs = 4 * HOUR_MS;
    const live = await runLive(endMs, endMs, lengthMs);
    const sameHours = history.inbound.filter(({ dateMs }) => {
      return dateMs >= endMs - 28 * DAY_MS && dateMs < endMs - 28 * DAY_MS + lengthMs;
    });
    expect(live.inbound.length / sameHours.length).toBeGreaterThan(0.7);
    expect(live.inbound.length / sameHours.length).toBeLessThan(1.4);
    const toLength = ({ inbound }: Traffic): number =>
      inbound.length / new Set(inbound.map(({ session }) => session)).size;
    expect(toLength(live)).toBeGreaterThan(0.6 * toLength(history));
    expect(toLength(live)).toBeLessThan(1.4 * toLength(history));
  });

  it('goes wrong again afterwards, and the status says so except where it deliberately does not', async () => {
    const coming = listIncidents(endMs, endMs + HOUR_MS / 2, endMs + DAY_MS);
    let nowMs = endMs;
    const platform = { read: () => ({ simulation: NO_SIMULATION, changedMs: -Infinity }) };
    const reported = reportIncidents(
      platform,
      endMs,
      () => true,
      () => nowMs,
    );
    const states = coming.map(({ kind, fromMs, toMs }) => {
      const at = [fromMs - 1, fromMs, toMs - 1, toMs].map((atMs) => {
        nowMs = atMs;
        const { simulation } = reported.read();
        return simulation.platformDown ? 'P' : simulation.connectorDown ? 'C' : '-';
      });
      return [kind, at.join('')];
    });
    expect(Object.fromEntries(states)).toEqual({
      'silent-failure': '----',
      'connector-outage': '-CC-',
      'platform-outage': '-PP-',
      timeouts: '----',
      'slow-service': '----',
      'channel-silent': '----',
    });
    const silent = coming.find(({ kind }) => kind === 'silent-failure')!;
    expect(silent.toMs - silent.fromMs).toBeGreaterThan(9 * MINUTE_MS);
    const live = await runLive(endMs, silent.fromMs, silent.toMs - silent.fromMs);
    expect(live.inbound.length).toBeGreaterThan(5);
    expect(live.inbound.every(({ responseCode }) => responseCode < 400)).toBe(true);
    expect(live.outbound.every(({ responseCode }) => responseCode >= 400)).toBe(true);
  });
});

it('repeats its incidents every thirty days in a longer history', () => {
  const endMs = Date.UTC(2026, 10, 18, 12);
  const monthMs = 30 * DAY_MS;
  const ofMonth = (back: number): number[] =>
    listIncidents(endMs, endMs - (back + 1) * monthMs, endMs - back * monthMs - 6 * HOUR_MS)
      .map(({ fromMs }) => fromMs + back * monthMs)
      .toSorted((a, b) => a - b);
  expect(ofMonth(2)).toEqual(ofMonth(1));
  expect(ofMonth(1).length).toBe(9);
});
