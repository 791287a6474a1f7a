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

const PER_MINUTE = 4;
const ORIGINS = ['web', 'web', 'web', 'web', 'app', 'kiosk'];
/** The code of all that fails. */
const CODE = { field: 'responseCode', value: '504' };
const ACTIONS = ['-1', '11', '11', '12', '12', '13'];

/** What becomes of a request: as usual but for five hours of the last day. */
function createTraffic(direction: Direction): object[] {
  const random = createRandom(direction === 'inbound' ? 11 : 12);
  const documents: object[] = [];
  for (let atMs = FROM_MS; atMs < TO_MS; atMs += MINUTE_MS / PER_MINUTE) {
    const [channel, service] = [1 + Math.floor(random() * 2), 7 + Math.floor(random() * 2)];
    const origin = ORIGINS[Math.floor(random() * ORIGINS.length)] ?? '';
    const action = ACTIONS[Math.floor(random() * ACTIONS.length)] ?? '';
    const isInbound = direction === 'inbound';
    if (isInbound && origin === 'web' && isWithin(atMs, 16, 120)) continue;
    const isFailing =
      (isInbound && origin === 'kiosk' && isWithin(atMs, 9, 60)) ||
      (!isInbound && action === '13' && isWithin(atMs, 12, 60)) ||
      (isInbound && channel === 1 && isWithin(atMs, 21, 60));
    const isFailed = random() < (isFailing ? 0.85 : 0.01);
    const isSlow = isInbound && origin === 'app' && isWithin(atMs, 13, 60);
    documents.push({
      Id: `00000000-0000-4000-8000-${String(documents.length).padStart(12, '0')}`,
      Date: new Date(atMs).toISOString(),
      Channel: channel,
      Service: service,
      Client: `client ${documents.length % 50}`,
      ReponseTime: Math.round((80 + random() * 60) * (isSlow ? 8 : 1)),
      ReponseCode: isFailed ? 504 : 200,
      Error: isFailed ? 'Gateway timeout' : '',
      Payload: '',
      Origin: origin,
      ...(isInbound ? { BotLatency: 3 } : { ActionId: action, Reponse: '' }),
    });
  }
  return documents;
}

describe('what is unusual at one origin or action', () => {
  let day: UnusualDay;
  beforeAll(async () => {
    day = await openUnusualDay(createTraffic);
  }, 300_000);
  afterAll(() => day.close());

  const findAt = (hour: number): Finding | undefined =>
    day.findings.find(({ sinceMs }) => Math.abs(sinceMs - LAST_MS - hour * HOUR_MS) < 15 * MINUTE_MS);

  it.each([
    ['requests of one origin fail', 9, 'errors-up', [{ field: 'origin', value: 'kiosk' }, CODE]],
    ['requests of one action fail', 12, 'errors-up', [{ field: 'actionId', value: '13' }, CODE]],
    ['requests of one origin are slow', 13, 'slower', [{ field: 'origin', value: 'app' }]],
    ['one origin is silent', 16, 'volume-down', [{ field: 'origin', value: 'web' }]],
    ['requests of one channel fail, whatever their origin', 21, 'errors-up', [CODE]],
  ])('names it, and nothing closer than what explains it: %s', (_name, hour, kind, within) => {
    const found = findAt(hour);
    expect(found).toMatchObject({ kind, within });
    const isOfChannel = within.every(({ field }) => field === CODE.field);
    expect(found).toMatchObject({ channel: isOfChannel ? 1 : null, service: null });
  });

  it('counts and measures the requests of the closer place alone, and shows exactly those', async () => {
    const failing = findAt(9);
    expect(failing?.recent).toBeGreaterThan(0.75);
    expect(failing?.requests).toBeLessThan(75);
    const slow = findAt(13);
    expect(slow?.usual).toBeLessThan(140);
    expect(slow?.recent).toBeGreaterThan(640);
    const silent = findAt(16);
    expect(silent?.recent).toBe(0);
    expect(silent?.usual).toBeGreaterThan(200);
    expect(silent?.usual).toBeLessThan(360);
    for (const finding of [failing, slow]) {
      if (finding === undefined) throw new Error('Nothing was found.');
      const [shown] = finding.shown;
      const { viewId } = await day.engine.openView({
        scope: { connectionId: 'one', report: 'inbound-detail', fromMs: LAST_MS, toMs: TO_MS },
        filter: finding.filter,
        order: [{ column: 'dateMs', descending: true }],
      });
      expect(await day.engine.countView(viewId)).toMatchObject({ rowCount: shown?.count });
      expect(finding.filter.conditions).toContainEqual(
        expect.objectContaining({ field: 'origin', values: [finding.within[0]?.value] }),
      );
    }
  });
});
