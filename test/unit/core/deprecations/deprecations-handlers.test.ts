import { expect, it } from 'vitest';
import type { ConnectionSigns } from '../../../../src-main/common/model/analysis/deprecation-match.ts';
import { createDeprecationsHandlers } from '../../../../src-main/core/deprecations/deprecations-handlers.ts';

const HOUR = 3_600_000;
const SIGNS = { texts: ['old'], channels: [], codes: [] };

function open(directions: readonly ('inbound' | 'outbound')[], kept: ConnectionSigns = {}) {
  let signs = kept;
  const handlers = createDeprecationsHandlers({
    connections: {
      get: () => ({}) as never,
      saveSigns: (id, change) => {
        signs = change(signs);
        return Promise.resolve({ id, signs } as never);
      },
    },
    engine: {
      matchSigns: ({ direction, watched }) => {
        const dates =
          direction === 'inbound' ? { firstMs: HOUR, lastMs: 5 * HOUR } : { firstMs: null, lastMs: null };
        const count = direction === 'inbound' ? 3 : 2;
        return Promise.resolve({
          direction,
          all: { count: 10, firstMs: 0, lastMs: 6 * HOUR },
          matches: watched.map(({ id }) => ({
            id,
            count,
            ...dates,
            signs: [{ sign: { kind: 'text' as const, value: 'old' }, count, ...dates }],
          })),
        });
      },
    },
    ledger: {
      readExtent: ({ report }) =>
        Promise.resolve(
          directions.some((direction) => report === `${direction}-detail`)
            ? { fromMs: 0, toMs: 8 * HOUR }
            : null,
        ),
      read: () =>
        Promise.resolve({
          unreadyRecords: 0,
          spans: (['settled', 'missing', 'partial', 'open'] as const).map((state, place) => ({
            fromMs: place * 2 * HOUR,
            toMs: (place + 1) * 2 * HOUR,
            state,
            fetching: null,
            ready: true,
          })),
        }),
    },
  });
  return { handlers, read: () => signs };
}

it('both directions are added up, and what of their time is not cached in full is said', async () => {
  const { handlers } = open(['inbound', 'outbound']);
  const watched = [{ id: 'a', signs: SIGNS }];
  expect(await handlers['deprecations/match']({ connectionId: 'one', watched })).toEqual({
    matches: [
      {
        id: 'a',
        count: 5,
        firstMs: HOUR,
        lastMs: 5 * HOUR,
        signs: [
          {
            direction: 'inbound',
            sign: { kind: 'text', value: 'old' },
            count: 3,
            firstMs: HOUR,
            lastMs: 5 * HOUR,
          },
          {
            direction: 'outbound',
            sign: { kind: 'text', value: 'old' },
            count: 2,
            firstMs: null,
            lastMs: null,
          },
        ],
      },
    ],
    searched: [
      { direction: 'inbound', count: 10, firstMs: 0, lastMs: 6 * HOUR, missingMs: 4 * HOUR },
      { direction: 'outbound', count: 10, firstMs: 0, lastMs: 6 * HOUR, missingMs: 4 * HOUR },
    ],
  });
});

it('a direction of which nothing is cached says nothing', async () => {
  const { handlers } = open([]);
  const watched = [{ id: 'a', signs: SIGNS }];
  expect(await handlers['deprecations/match']({ connectionId: 'one', watched })).toEqual({
    matches: [{ id: 'a', count: 0, firstMs: null, lastMs: null, signs: [] }],
    searched: [],
  });
});

it('what is looked for is kept for each, and given up for what came with the application', async () => {
  const { handlers, read } = open([], { b: SIGNS });
  const save = handlers['deprecations/save-signs'];
  await save({ connectionId: 'one', deprecationId: 'a', signs: { ...SIGNS, channels: [7] } });
  expect(read()).toEqual({ a: { ...SIGNS, channels: [7] }, b: SIGNS });
  await save({ connectionId: 'one', deprecationId: 'b', signs: null });
  expect(read()).toEqual({ a: { ...SIGNS, channels: [7] } });
});
