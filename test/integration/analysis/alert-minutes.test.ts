import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MinuteCondition } from '../../../src-main/common/model/alerts/alert-rule.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { readMinutes } from '../../../src-main/core/alerts/read-minutes.ts';
import { testRule } from '../../../src-main/core/alerts/test-rule.ts';
import type { RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
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
const INBOUND: { direction: 'inbound'; filter: RecordFilter } = {
  direction: 'inbound',
  filter: { conditions: [] },
};
/** An hour a day and a half ago, and an hour today; the first has an error that comes again in the second. */
const documents = Array.from({ length: 1800 }, (_, index) => {
  const minute = Math.floor((index * 2) / 60);
  const isBad = minute >= 20 && minute < 40;
  return createDocument(index * 2, {
    ReponseCode: isBad ? 503 : 200,
    Error: isBad ? (minute === 25 ? `Disk ${index} full` : 'Timed out') : '',
    ReponseTime: isBad ? 4000 : 100,
    // The way to the connector is slow at another time than the responses.
    BotLatency: minute >= 5 && minute < 15 ? 900 : 30,
    Service: 7,
  });
});
const EARLIER_MS = FROM_MS - 1.5 * DAY_MS;
const earlier = Array.from({ length: 60 }, (_, index) =>
  createDocument(index, {
    Date: new Date(EARLIER_MS + index * MINUTE_MS).toISOString(),
    ReponseCode: 503,
    Error: 'Timed out',
  }),
);

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
  await fillSnapshot(cache, earlier, { period: toPeriod(EARLIER_MS) });
  await fillSnapshot(cache, documents);
  for (let minute = 0; minute < 60; minute += 1) {
    await cache.addStatusSample({
      connectionId: 'one',
      checkedAtMs: FROM_MS + minute * MINUTE_MS,
      roundTripMs: 5,
      platform: minute >= 10 && minute < 20 ? 'down' : 'up',
      connector: 'up',
      internalResponseTimeMs: null,
      sessions: null,
      traffic: [],
      trafficText: '',
      failure: null,
    });
  }
});
afterAll(async () => {
  await engine.close();
  await cache.close();
  await place.remove();
});

const NO_FINDINGS = { readFindingsOf: () => Promise.reject(new Error('not asked for')) };
const test = (condition: MinuteCondition) =>
  testRule({ cache, engine, ledger: openLedger(cache), ...NO_FINDINGS }, 'one', condition, {
    nowMs: FROM_MS + 3_600_000,
    connection: { name: 'Local', valueNames: [], zone: 'UTC' },
    words: ENGLISH,
  });
const measured = (change: object): MinuteCondition => ({
  kind: 'measure',
  measure: 'error-share',
  ...INBOUND,
  comparison: 'above',
  threshold: 0.05,
  minutes: 5,
  minRequests: 20,
  ...change,
});

it('minutes are counted as the records say, with the slow ones by threshold', async () => {
  const span = { fromMs: FROM_MS, toMs: FROM_MS + 3_600_000 };
  const condition = measured({ measure: 'p95', threshold: 1000 });
  const [read] = await readMinutes(
    { cache, engine, ledger: openLedger(cache) },
    { connectionId: 'one', condition, span },
    { thresholds: [5000] },
  );
  expect([...(read?.own.known ?? [])]).toEqual(Array.from({ length: 60 }, () => 1));
  expect([...(read?.own.totals ?? [])]).toEqual(Array.from({ length: 60 }, () => 30));
  expect([...(read?.own.hits ?? [])]).toEqual(
    Array.from({ length: 60 }, (_, minute) => (minute >= 20 && minute < 40 ? 30 : 0)),
  );
  expect([...(read?.with(5000).hits ?? [])]).toEqual(Array.from({ length: 60 }, () => 0));
});

it('the time to the connector is watched by itself', async () => {
  const { firings, series } = await test(measured({ measure: 'bot-median', threshold: 300 }));
  expect(firings).toMatchObject([{ sinceMs: FROM_MS + 8 * MINUTE_MS }]);
  expect(series.at(-1)?.value).toBe(900);
  // Outbound requests have none: nothing is said of them.
  const outbound = { ...measured({ measure: 'bot-p95', threshold: 300 }), direction: 'outbound' as const };
  expect((await test(outbound)).firings).toEqual([]);
});

it('a rule is tested on what is cached, and nothing is said of the rest', async () => {
  const tested = await test(measured({}));
  expect(tested.firings).toMatchObject([
    { sinceMs: FROM_MS + 21 * MINUTE_MS, untilMs: FROM_MS + 47 * MINUTE_MS },
  ]);
  expect(tested.unknown).toHaveLength(2);
  expect(tested.others.map(({ threshold }) => threshold)).toEqual([0.02, 0.03, 0.05, 0.1, 0.2]);
});

it.each<[string, MinuteCondition, number[]]>([
  [
    'error share of a service',
    measured({ filter: { conditions: [{ field: 'service', values: [7] }] } }),
    [FROM_MS + 21 * MINUTE_MS],
  ],
  ['platform down', { kind: 'down', part: 'platform', minutes: 3 }, [FROM_MS + 13 * MINUTE_MS]],
  ['connector down', { kind: 'down', part: 'connector', minutes: 3 }, []],
  // What came a day and a half earlier is not new, whatever numbers are in it.
  ['a new error family', { kind: 'new-family', ...INBOUND, minutes: 5 }, [FROM_MS + 26 * MINUTE_MS]],
  [
    'nothing received',
    {
      kind: 'silence',
      direction: 'inbound',
      filter: { conditions: [{ field: 'service', values: [8] }] },
      minutes: 30,
    },
    [EARLIER_MS + 30 * MINUTE_MS],
  ],
])('%s fires when it should', async (_name, condition, sinceMs) => {
  const { firings, series, notes } = await test(condition);
  expect(firings.map((firing) => firing.sinceMs)).toEqual(sinceMs);
  expect(series).toHaveLength(14 * 24);
  expect(notes.filter(({ kind }) => kind === 'fired')).toHaveLength(sinceMs.length);
});

it('the percentile of an hour is drawn, and what it says fits the threshold', async () => {
  const { series, firings } = await test(measured({ measure: 'p95', threshold: 1000 }));
  expect(firings).toMatchObject([{ sinceMs: FROM_MS + 21 * MINUTE_MS }]);
  expect(series.at(-1)?.value).toBe(4000);
});
