import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../../src-main/common/model/analysis/finding.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import {
  FROM_MS,
  HOUR_MS,
  isWithin,
  LAST_MS,
  MINUTE_MS,
  openUnusualDay,
  TO_MS,
  type UnusualDay,
} from './unusual-day.ts';

const PER_MINUTE = 16;

/** Values of which each small one has four per cent of the requests of three channels and two services. */
function pick(random: () => number, large: readonly string[], small: readonly string[]): string {
  const place = Math.floor(random() * 25);
  return place < small.length ? (small[place] ?? '') : (large[place % large.length] ?? '');
}

function createTraffic(direction: Direction): object[] {
  const random = createRandom(direction === 'inbound' ? 21 : 22);
  const isInbound = direction === 'inbound';
  const documents: object[] = [];
  for (let atMs = FROM_MS; atMs < TO_MS; atMs += MINUTE_MS / PER_MINUTE) {
    const [channel, service] = [1 + Math.floor(random() * 3), 7 + Math.floor(random() * 2)];
    const origin = pick(random, ['web', 'app'], ['kiosk', 'mail']);
    const action = pick(random, ['-1', '11', '12'], ['13', '14']);
    if (isInbound && origin === 'mail' && isWithin(atMs, 11, 90)) continue;
    const isFailing =
      (isInbound && origin === 'kiosk' && isWithin(atMs, 3, 60)) ||
      (!isInbound && action === '13' && isWithin(atMs, 7, 60)) ||
      (origin === 'mail' && isWithin(atMs, 15, 60)) ||
      (isInbound && channel === 2 && isWithin(atMs, 18, 60));
    const isSlow = !isInbound && action === '14' && isWithin(atMs, 20, 60);
    const isLate = origin === 'kiosk' && isWithin(atMs, 22, 60);
    const isFailed = isFailing || random() < 0.01;
    documents.push({
      Id: `00000000-0000-4000-8000-${String(documents.length).padStart(12, '0')}`,
      Date: new Date(atMs).toISOString(),
      Channel: channel,
      Service: service,
      Client: `client ${documents.length % 50}`,
      ReponseTime: Math.round((80 + random() * 60) * (isSlow ? 10 : 1)),
      ReponseCode: isFailing ? 503 : isFailed ? (random() < 0.5 ? 504 : 400) : 200,
      Error: isFailed ? 'Refused' : '',
      Payload: '',
      Origin: origin,
      ...(isInbound
        ? { BotLatency: 3 + (documents.length % 3) + (isLate ? 60 : 0) }
        : { ActionId: action, Reponse: '' }),
    });
  }
  return documents;
}

const of = (field: string, value: string): object => ({ field, value });
const ANYWHERE = { channel: null, service: null };

describe('a fault of one origin or action that is too small to show in its channels', () => {
  let day: UnusualDay;
  beforeAll(async () => {
    day = await openUnusualDay(createTraffic);
  }, 300_000);
  afterAll(() => day.close());

  const findAt = (hour: number): readonly Finding[] =>
    day.findings.filter(({ sinceMs }) => Math.abs(sinceMs - LAST_MS - hour * HOUR_MS) < 15 * MINUTE_MS);

  it.each([
    ['an origin fails', 3, 'errors-up', ['inbound'], [of('origin', 'kiosk'), of('responseCode', '503')]],
    ['an action fails', 7, 'errors-up', ['outbound'], [of('actionId', '13'), of('responseCode', '503')]],
    ['an origin falls silent', 11, 'volume-down', ['inbound'], [of('origin', 'mail')]],
    [
      'an origin fails in both directions',
      15,
      'errors-up',
      ['inbound', 'outbound'],
      [of('origin', 'mail'), of('responseCode', '503')],
    ],
    ['an action is ten times slower', 20, 'slower', ['outbound'], [of('actionId', '14')]],
    ['an origin takes long to the connector', 22, 'slow-connector', ['inbound'], [of('origin', 'kiosk')]],
  ])('is found, once, at its place: %s', (_name, hour, kind, directions, within) => {
    const found = findAt(hour);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ kind, directions, within, ...ANYWHERE });
    expect(Math.abs((found[0]?.endedMs ?? 0) - (found[0]?.sinceMs ?? 0))).toBeGreaterThan(40 * MINUTE_MS);
  });

  it('is not told of each origin where a channel has it, and names the code that is beyond the usual', () => {
    expect(findAt(18)).toMatchObject([
      { kind: 'errors-up', channel: 2, service: null, within: [of('responseCode', '503')] },
    ]);
  });

  it('is the only thing told, by ids of its own', () => {
    expect(day.findings).toHaveLength(7);
    expect(new Set(day.findings.map(({ id }) => id)).size).toBe(7);
  });

  it('counts exactly the records that its filter shows, of all requests at its place', async () => {
    const [failing] = findAt(3);
    if (failing === undefined) throw new Error('Nothing was found.');
    expect(failing.count / failing.requests).toBeGreaterThan(0.9);
    expect(failing.usual).toBeLessThan(0.02);
    const { viewId } = await day.engine.openView({
      scope: { connectionId: 'one', report: 'inbound-detail', fromMs: LAST_MS, toMs: TO_MS },
      filter: failing.filter,
      order: [{ column: 'dateMs', descending: true }],
    });
    expect(await day.engine.countView(viewId)).toMatchObject({ rowCount: failing.count });
    expect(failing.filter.conditions).toContainEqual({ field: 'responseCode', values: [503] });
    expect(failing.trend.at(-1)).toBeGreaterThan(0.5);
  });
});
