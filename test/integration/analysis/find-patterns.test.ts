import { expect, it } from 'vitest';
import type { CallContext } from '../../../src-main/core/calls/calls.ts';
import { findPatterns, type PatternsProgress } from '../../../src-main/core/analysis/engine/find-patterns.ts';
import { createFamilyLearner } from '../../../src-main/core/analysis/families/learn-families.ts';
import { makePlain } from './random-records.ts';
import { useFedEngine, type UnfedRecord } from './use-fed-engine.ts';

const engine = useFedEngine();
const PERIOD = { fromMs: 0, toMs: 24_000 };
const NAMES = ['Ana de la Fuente', 'Zoë', "Sean O'Neill", 'Mary Ann Lee'];

const toOrder = (at: number): string =>
  JSON.stringify({
    type: 'template',
    name: 'order_update',
    to: `+49 170 ${1_000_000 + at}`,
    id: `a${at}f00d`,
  });
const toGreeting = (at: number): string =>
  `Hello ${NAMES[at % NAMES.length] ?? ''}, ${1000 + at} messages wait for you.`;

function createRecords(count: number): UnfedRecord[] {
  return Array.from({ length: count }, (_none, at) =>
    makePlain({
      ...{ dateMs: at * 4, channel: 1, service: 1, responseCode: 200, responseTimeMs: 1 },
      ...{ sessionId: at % 5 === 4 ? '' : `session ${at % 7}`, client: `client ${at % 3}` },
      payload: at % 10 === 9 ? '' : at % 3 === 0 ? toGreeting(at) : toOrder(at),
    }),
  );
}

function listen(controller = new AbortController()) {
  const reported: PatternsProgress[] = [];
  const context: CallContext<PatternsProgress> = {
    signal: controller.signal,
    pause: () => {
      controller.signal.throwIfAborted();
      return Promise.resolve();
    },
    progress: (value) => void reported.push(value),
  };
  return { context, reported };
}

const feed = async (records: readonly UnfedRecord[]) => {
  const [fed] = await engine.feed([records]);
  if (fed === undefined) throw new Error('Nothing was fed.');
  return fed;
};

it('texts of a field are grouped as errors are, with whom and when, and what a filter for them can name', async () => {
  const { scope, records } = await feed(createRecords(600));
  const { context, reported } = listen();
  const question = { field: 'payload', period: PERIOD } as const;
  const found = await findPatterns(
    engine.connection,
    { scope, filter: { conditions: [] } },
    question,
    context,
  );
  const withText = records.filter(({ payload }) => payload !== '');
  const learner = createFamilyLearner();
  for (const { payload } of withText) learner.find(payload);
  learner.settle();
  const plain = Map.groupBy(withText, ({ payload }) => learner.find(payload));
  expect(found).toMatchObject({
    ...{ patternCount: plain.size, recordCount: 600, textRecordCount: 540, readCount: 540 },
  });
  expect(plain.size).toBe(2);
  for (const pattern of found.patterns) {
    const own = plain.get(pattern.pattern) ?? [];
    const dates = own.map(({ dateMs }) => dateMs ?? 0);
    expect(pattern).toMatchObject({
      count: own.length,
      sessionCount: new Set(own.flatMap(({ sessionId }) => sessionId || [])).size,
      clientCount: new Set(own.map(({ client }) => client)).size,
      firstMs: Math.min(...dates),
      lastMs: Math.max(...dates),
      textCount: new Set(own.map(({ payload }) => payload)).size,
    });
    expect(pattern.trend.reduce((sum, count) => sum + count, 0)).toBe(own.length);
    expect(pattern.examples).toHaveLength(10);
    // A filter by these words finds all of them, and none of the others.
    const meets = ({ payload }: (typeof records)[number]): boolean =>
      pattern.words.every((word) => payload.includes(word));
    expect(records.filter(meets)).toEqual(own);
    expect(pattern.words.length).toBeGreaterThan(0);
  }
  expect(reported.at(-1)).toEqual({ read: 540, total: 540 });
});

it('of more records than are read at most, some that are spread over all of them stand for the rest', async () => {
  const { scope } = await feed(createRecords(6_000));
  const { context } = listen();
  const records = { scope, filter: { conditions: [{ field: 'channel' as const, values: [1] }] } };
  const found = await findPatterns(
    engine.connection,
    records,
    { field: 'payload', period: PERIOD, maxRecords: 500 },
    context,
  );
  expect(found).toMatchObject({ recordCount: 6_000, textRecordCount: 5_400 });
  expect(found.readCount).toBeGreaterThan(250);
  expect(found.readCount).toBeLessThan(1_000);
  expect(found.patterns.reduce((sum, { count }) => sum + count, 0)).toBe(found.readCount);
  expect(found.patterns.map(({ trend }) => trend.filter((count) => count > 0).length)).toEqual([24, 24]);
});

it('a question that is taken back ends early, and a field that records lack has no patterns', async () => {
  const { scope } = await feed(createRecords(5_000));
  const controller = new AbortController();
  const { context, reported } = listen(controller);
  const records = { scope, filter: { conditions: [] } };
  const ended = findPatterns(
    engine.connection,
    records,
    { field: 'payload', period: PERIOD },
    {
      ...context,
      progress(value) {
        context.progress(value);
        controller.abort();
      },
    },
  );
  await expect(ended).rejects.toThrow();
  expect(reported).toHaveLength(1);
  const none = await findPatterns(
    engine.connection,
    records,
    { field: 'response', period: PERIOD },
    listen().context,
  );
  expect(none).toEqual({
    patterns: [],
    patternCount: 0,
    recordCount: 5_000,
    textRecordCount: 0,
    readCount: 0,
  });
});
