import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withValue, type MinuteCondition } from '../../../src-main/common/model/alerts/alert-rule.ts';
import type { RuleMemory } from '../../../src-main/core/alerts/alert-book.ts';
import { checkRule } from '../../../src-main/core/alerts/check-rule.ts';
import { readMinutes, readValues } from '../../../src-main/core/alerts/read-minutes.ts';
import { testRule } from '../../../src-main/core/alerts/test-rule.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { ENGLISH } from '../../../src-main/common/words/words.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  openTestEngine,
  toNewSnapshot,
} from '../cache/cache-fixture.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const EARLIER_MS = FROM_MS - 1.5 * DAY_MS;
/** An hour of four services, of which 7 fails and 5 is slow for a while; one request in four has none at all. */
const documents = Array.from({ length: 1800 }, (_, index) => {
  const minute = Math.floor((index * 2) / 60);
  const service = [2, 5, 7, null][index % 4] ?? null;
  const isBad = service === 7 && minute >= 20 && minute < 40;
  return createDocument(index * 2, {
    ReponseCode: isBad ? 503 : 200,
    Error: isBad ? (minute === 25 ? `Disk ${index} full` : 'Timed out') : '',
    ReponseTime: service === 5 && minute >= 10 && minute < 30 ? 4000 : 100,
    Service: service as number,
    Channel: index % 3,
    Client: `c${index % 11}`,
  });
});

let cache: Cache;
let engine: Engine;
let place: Awaited<ReturnType<typeof createFolder>>;
beforeAll(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
  engine = openTestEngine(place.file);
  const toPeriod = (fromMs: number) => ({
    ...toNewSnapshot().period,
    fromMs,
    toMs: fromMs + 3_600_000 - 1000,
  });
  const earlier = Array.from({ length: 60 }, (_, index) =>
    createDocument(index, {
      Date: new Date(EARLIER_MS + index * MINUTE_MS).toISOString(),
      Service: 9,
      ReponseCode: 200,
      Error: '',
    }),
  );
  await fillSnapshot(cache, earlier, { period: toPeriod(EARLIER_MS) });
  await fillSnapshot(cache, documents);
});
afterAll(async () => {
  await engine.close();
  await cache.close();
  await place.remove();
});

const refuse = () => Promise.reject(new Error('not asked for'));
const toSource = () => ({
  cache,
  engine,
  ledger: openLedger(cache),
  readFindings: refuse,
  readFindingsOf: refuse,
});
const records = { direction: 'inbound' as const, filter: { conditions: [] }, each: 'service' as const };
const measured = (change: object = {}): MinuteCondition => ({
  kind: 'measure',
  measure: 'error-share',
  ...records,
  comparison: 'above',
  threshold: 0.05,
  minutes: 5,
  minRequests: 5,
  ...change,
});

describe('minutes of each value', () => {
  const span = { fromMs: FROM_MS, toMs: FROM_MS + 3_600_000 };
  it.each<[string, MinuteCondition]>([
    ['error share', measured()],
    ['error share of a channel', measured({ filter: { conditions: [{ field: 'channel', values: [1] }] } })],
    ['percentile', measured({ measure: 'p95', threshold: 1000 })],
    ['volume', measured({ measure: 'volume', threshold: 10 })],
    ['clients hit', measured({ measure: 'failed-clients', threshold: 2 })],
    ['silence', { kind: 'silence', ...records, minutes: 5 }],
    ['new error', { kind: 'new-family', ...records, minutes: 5 }],
    ['error share by channel', measured({ each: 'channel' })],
    ['error share by error family', measured({ each: 'errorFamily', measure: 'volume', threshold: 1 })],
  ])('%s: as a rule of that value alone has them', async (_name, condition) => {
    const seen = await readValues(toSource(), { connectionId: 'one', condition, span });
    const values = seen.map(({ value }) => value);
    expect(values.length).toBeGreaterThan(1);
    const together = await readMinutes(toSource(), { connectionId: 'one', condition, span, values });
    let counted = 0;
    for (const [index, value] of values.entries()) {
      const own = { connectionId: 'one', condition: withValue(condition, value), span };
      const [alone] = await readMinutes(toSource(), own);
      expect(together[index]?.own, String(value)).toEqual(alone?.own);
      counted += alone?.own.totals.reduce((sum, total) => sum + total, 0) ?? 0;
    }
    expect(counted).toBeGreaterThan(0);
  });

  it('values are those of the span, the one without a value among them', async () => {
    const seen = await readValues(toSource(), { connectionId: 'one', condition: measured(), span });
    expect(seen.map(({ value }) => value).toSorted()).toEqual([2, 5, 7, null]);
  });
});

it('the past is tested for each value, and shown of the one that would have fired', async () => {
  const test = (condition: MinuteCondition, change: object = {}) =>
    testRule(toSource(), 'one', condition, {
      nowMs: FROM_MS + 3_600_000,
      connection: { name: 'Local', valueNames: [], zone: 'UTC' },
      words: ENGLISH,
      ...change,
    });
  const tested = await test(measured({ critical: 0.6 }));
  expect(tested.firings).toMatchObject([{ value: 7, level: 'critical', sinceMs: FROM_MS + 21 * MINUTE_MS }]);
  expect(tested.value).toBe(7);
  expect(tested.values).toHaveLength(5);
  expect(tested.values[0]).toEqual({ value: 7, count: 1, judgedToMs: expect.any(Number) as number });
  expect(tested.series.at(-1)?.value).toBe(1);
  // Two hours are no past to go by.
  expect(tested.suggestion).toEqual({ kind: 'too-little', knownMinutes: 120 });
  const other = await test(measured(), { value: 2 });
  expect(other.value).toBe(2);
  expect(other.series.at(-1)?.value).toBe(0);
  const slow = await test(measured({ measure: 'p95', threshold: 1000 }));
  expect(slow.value).toBe(5);
  expect(slow.series.at(-1)?.value).toBe(4000);
});

it('each value is judged as records come, and of what is not cached nothing is said', async () => {
  const rule = {
    id: 'r',
    connectionId: 'one',
    name: 'Errors',
    isActive: true,
    condition: measured(),
    mute: null,
    madeAtMs: 0,
    savedAtMs: 0,
  };
  let state: RuleMemory | undefined;
  const turns: string[] = [];
  for (let minute = 5; minute <= 60; minute += 1) {
    const checked = await checkRule(toSource(), { rule }, state, FROM_MS + minute * MINUTE_MS);
    state = checked.state ?? undefined;
    turns.push(...checked.turns.map(({ turn, value }) => `${turn.kind} ${String(value)}`));
  }
  expect(turns).toEqual(['fired 7', 'ended 7']);
  expect(state?.standings.map(({ value }) => value).toSorted()).toEqual([2, 5, 7, 9, null]);
  const later = await checkRule(toSource(), { rule }, state, FROM_MS + 90 * MINUTE_MS);
  expect(later.state?.judgedToMs).toBe(FROM_MS + 60 * MINUTE_MS);
  expect(later.turns).toEqual([]);
});
