import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { EventArguments } from '../../../../src-main/common/contract/index.ts';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import type { DownloadRow } from '../../../../src-main/core/cache/read/download-rows.ts';
import { createCoverageHandlers } from '../../../../src-main/core/coverage/ledger.ts';
import { listRead } from '../../../../src-main/core/coverage/read-holdings.ts';
import { createEvents } from '../../../../src-main/core/host.ts';
import { holdSnapshots, openLedger } from '../../../support/fakes/open-ledger.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 86_400_000;
const SUBJECT = { connectionId: 'one', report: 'inbound-detail' } as const;
/** Minutes [from, to) of a report; the wire's end is the last second inside. */
const span = (from: number, to: number, changes: Partial<Snapshot> = {}): Snapshot =>
  makeSnapshot({ fromMs: from * MINUTE, toMs: to * MINUTE - SECOND }, changes);
const cover = (snapshots: Snapshot[], toMinute: number, buckets: number) =>
  createCoverageHandlers({ ledger: openLedger(holdSnapshots(snapshots)) })['coverage/read']({
    ...SUBJECT,
    fromMs: 0,
    toMs: toMinute * MINUTE,
    buckets,
  });

test('each bucket shows how much of it is settled, partial, failed or was never fetched', async () => {
  const { buckets, gaps } = await cover(
    [
      span(0, 10),
      span(10, 15, { state: 'incomplete' }),
      span(15, 20, { state: 'failed', recordCount: 0 }),
      span(12, 13),
    ],
    30,
    3,
  );
  expect(buckets).toEqual([
    { fromMs: 0, toMs: 10 * MINUTE, settled: 1, open: 0, partial: 0, failed: 0 },
    { fromMs: 10 * MINUTE, toMs: 20 * MINUTE, settled: 0.1, open: 0, partial: 0.4, failed: 0.5 },
    { fromMs: 20 * MINUTE, toMs: 30 * MINUTE, settled: 0, open: 0, partial: 0, failed: 0 },
  ]);
  expect(gaps.map(({ fromMs, toMs, state }) => [fromMs / MINUTE, toMs / MINUTE, state])).toEqual([
    [10, 12, 'partial'],
    [13, 15, 'partial'],
    [15, 20, 'failed'],
    [20, 30, 'missing'],
  ]);
});

test('decision 27, client: what was fetched up to now is settled but for its last minutes', async () => {
  const snapshot = span(0, 60, { stillOpen: true, startedAtMs: 50 * MINUTE });
  const { gaps } = await cover([snapshot], 60, 1);
  expect(gaps.map(({ fromMs, toMs, state }) => [fromMs / MINUTE, toMs / MINUTE, state])).toEqual([
    [40, 50, 'open'],
    [50, 60, 'missing'],
  ]);
});

test('a cache of many holes has each of them among its gaps: none is taken for cached', async () => {
  const everyOther = Array.from({ length: 1_200 }, (_, place) => span(2 * place, 2 * place + 1));
  const { gaps } = await cover(everyOther, 2_400, 1);
  expect(gaps).toHaveLength(1_200);
  expect(gaps.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)).toBe(1_200 * MINUTE);
});

test('neighbours that end and begin within a second leave no gap', async () => {
  expect((await cover([span(0, 5), span(5, 9)], 9, 1)).gaps).toEqual([]);
});

test('every instant has the best state of the snapshots that cover it', async () => {
  const states = ['complete', 'incomplete', 'failed', 'paused'] as const;
  const one = fc
    .tuple(fc.nat(19), fc.integer({ min: 1, max: 9 }), fc.constantFrom(...states))
    .map(([from, length, state]) =>
      span(from, from + length, { state, recordCount: state === 'failed' ? 0 : 100 }),
    );
  const ranks = { complete: 'settled', incomplete: 'partial', paused: 'partial', failed: 'failed' } as const;
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 8 }), async (snapshots) => {
      const { buckets, gaps } = await cover(snapshots, 30, 30);
      for (const [minute, bucket] of buckets.entries()) {
        const here = snapshots
          .filter(({ period }) => period.fromMs <= minute * MINUTE && period.toMs >= minute * MINUTE)
          .map(({ state }) => ranks[state as keyof typeof ranks]);
        const best = (['settled', 'partial', 'failed'] as const).find((state) => here.includes(state));
        const shares = { settled: 0, open: 0, partial: 0, failed: 0, ...(best ? { [best]: 1 } : {}) };
        expect(bucket).toMatchObject(shares);
        const gap = gaps.find(({ fromMs, toMs }) => fromMs <= bucket.fromMs && toMs >= bucket.toMs);
        expect(gap?.state ?? 'settled').toBe(best ?? 'missing');
      }
    }),
  );
});

test('what connections have of both directions is what is told of each by itself', async () => {
  const one = fc.record({
    from: fc.nat(19),
    length: fc.integer({ min: 1, max: 9 }),
    state: fc.constantFrom('complete', 'incomplete', 'failed', 'paused'),
    connectionId: fc.constantFrom('one', 'two', 'three'),
    report: fc.constantFrom('inbound-detail', 'outbound-detail'),
  });
  const asked = ['two', 'none', 'one'];
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 8 }), async (drawn) => {
      const snapshots = drawn.map(({ from, length, ...own }) => span(from, from + length, own));
      const ledger = openLedger(holdSnapshots(snapshots));
      const within = { fromMs: 3 * MINUTE, toMs: 25 * MINUTE };
      const known = await ledger.readCovered(asked, within);
      expect([...known.keys()]).toEqual(asked);
      for (const connectionId of asked) {
        const apart = openLedger(holdSnapshots(snapshots.filter((own) => own.connectionId === connectionId)));
        for (const direction of ['inbound', 'outbound'] as const) {
          const subject = { connectionId, report: `${direction}-detail` } as const;
          expect(known.get(connectionId)?.[direction]).toEqual({
            read: listRead((await apart.read(subject, within)).spans),
            extent: await apart.readExtent(subject),
          });
        }
      }
    }),
  );
});

test('the look-back is the one that the connection has now', async () => {
  const cache = holdSnapshots([span(0, 60, { stillOpen: true, startedAtMs: 60 * MINUTE })]);
  let lookBackMinutes = 10;
  const ledger = openLedger(cache, {
    connections: { get: (id) => ({ id, following: { lookBackMinutes }, lookBackMinutes }) as never },
  });
  const readOpen = async (): Promise<unknown> => {
    const { spans } = await ledger.read(SUBJECT, { fromMs: 0, toMs: 60 * MINUTE });
    return spans.map(({ fromMs, state }) => [fromMs / MINUTE, state]);
  };
  expect(await readOpen()).toEqual([
    [0, 'settled'],
    [50, 'open'],
  ]);
  lookBackMinutes = 30;
  expect(await readOpen()).toEqual([
    [0, 'settled'],
    [30, 'open'],
  ]);
});

test('a longer look-back opens again what was over when it was fetched', async () => {
  const cache = holdSnapshots([span(0, 60, { startedAtMs: 75 * MINUTE })]);
  const readWith = async (lookBackMinutes: number): Promise<unknown> => {
    const connections = {
      get: (id: string) => ({ id, following: { lookBackMinutes }, lookBackMinutes }) as never,
    };
    const { spans } = await openLedger(cache, { connections }).read(SUBJECT, {
      fromMs: 0,
      toMs: 60 * MINUTE,
    });
    return spans.map(({ fromMs, state }) => [fromMs / MINUTE, state]);
  };
  expect(await readWith(10)).toEqual([[0, 'settled']]);
  expect(await readWith(45)).toEqual([
    [0, 'settled'],
    [30, 'open'],
  ]);
});

test('a longer look-back opens a followed day again, in which late records were looked for with a shorter one', async () => {
  const readWith = async (day: Partial<Snapshot>, lookBackMinutes: number): Promise<unknown> => {
    const connections = {
      get: (id: string) => ({ id, following: { lookBackMinutes }, lookBackMinutes }) as never,
    };
    const ledger = openLedger(holdSnapshots([span(0, 60, { settledLookBackMs: 10 * MINUTE, ...day })]), {
      connections,
    });
    const { spans } = await ledger.read(SUBJECT, { fromMs: 0, toMs: 60 * MINUTE });
    return spans.map(({ fromMs, state }) => [fromMs / MINUTE, state]);
  };
  const underWay = { settledToMs: 50 * MINUTE, stillOpen: true };
  const over = { settledToMs: 60 * MINUTE, stillOpen: false };
  for (const lookBackMinutes of [5, 10]) {
    expect(await readWith(over, lookBackMinutes)).toEqual([[0, 'settled']]);
    expect(await readWith(underWay, lookBackMinutes)).toEqual([
      [0, 'settled'],
      [50, 'open'],
    ]);
  }
  for (const day of [underWay, over]) expect(await readWith(day, 11)).toEqual([[0, 'open']]);
});

test('a reported summary holds none of the hour that a clock shows twice, for sure', async () => {
  // Madrid's clock went back from 03:00 to 02:00 at 01:00Z; 02:30 was at 00:30Z and at 01:30Z.
  const [first, second] = [Date.UTC(2025, 9, 26, 0, 30), Date.UTC(2025, 9, 26, 1, 30)];
  const [before, after] = [first - 60 * MINUTE, second + 60 * MINUTE];
  const read = async (fromMs: number, toMs: number): Promise<unknown> => {
    const period = { fromMs, toMs: toMs - SECOND, zone: 'Europe/Madrid' };
    const summary = makeSnapshot(period, { report: 'inbound-summary', startedAtMs: toMs + DAY });
    const { spans } = await openLedger(holdSnapshots([summary])).read(
      { ...SUBJECT, report: 'inbound-summary' },
      { fromMs, toMs },
    );
    return spans.map((each) => [each.fromMs, each.toMs, each.state]);
  };
  const [from, to] = [before - DAY, after + DAY];
  expect(await read(from, to)).toEqual([[from, to, 'settled']]);
  for (const end of [first, second]) {
    expect(await read(before, end)).toEqual(
      [
        [before, first, 'settled'],
        [first, end, 'partial'],
      ].filter(([fromMs, toMs]) => fromMs !== toMs),
    );
    expect(await read(end, after)).toEqual(
      [
        [end, second, 'partial'],
        [second, after, 'settled'],
      ].filter(([fromMs, toMs]) => fromMs !== toMs),
    );
  }
});

describe('a download that is not over', () => {
  const THREE_DAYS = { fromMs: 0, toMs: 3 * DAY - SECOND };
  /** In three slices of a day, stopped in the second one. */
  const read = async (
    change: Partial<DownloadRow>,
    reach: { firstMs: number; lastMs: number } | null,
    snapshot: Partial<Snapshot> = {},
  ) => {
    const held = makeSnapshot(THREE_DAYS, { state: 'paused', recordCount: 60, ...snapshot });
    const { sliceNumber = 1, nextCursor = 'c' } = change;
    const [sliceFromMs, sliceToMs] = [sliceNumber * DAY, (sliceNumber + 1) * DAY];
    const readSpans = [{ fromMs: 0, toMs: nextCursor === null ? sliceToMs : sliceFromMs }];
    const slice = { sliceNumber, sliceCount: 3, sliceFromMs, sliceToMs, readSpans };
    const row = { ...slice, sliceDays: 1, sliceFirstSeq: 40, nextCursor, ...change };
    const cache = { ...holdSnapshots([held], () => row), readReach: () => Promise.resolve(reach) };
    const { spans } = await openLedger(cache).read(SUBJECT, { fromMs: 0, toMs: 3 * DAY });
    return spans.map(({ fromMs, toMs, state }) => [fromMs, toMs, state]);
  };

  test.each([
    ['in the order of time', { firstMs: DAY + 5, lastMs: 1.5 * DAY + 700 }, [DAY, 1.5 * DAY]],
    ['against it', { firstMs: 2 * DAY - 5, lastMs: 1.5 * DAY + 700 }, [1.5 * DAY + 1000, 2 * DAY]],
    ['in no order', null, [DAY, 2 * DAY]],
  ])('holds its whole slices, and in part what it reached of the next: %s', async (_, reach, [from, to]) => {
    const spans = [
      [0, DAY, 'settled'],
      [DAY, from, 'missing'],
      [from, to, 'partial'],
      [to, 3 * DAY, 'missing'],
    ];
    expect(await read({}, reach)).toEqual(spans.filter(([fromMs, toMs]) => fromMs !== toMs));
  });

  test('holds those before, where it stopped between two slices', async () => {
    expect(await read({ nextCursor: null }, null)).toEqual([
      [0, 2 * DAY, 'settled'],
      [2 * DAY, 3 * DAY, 'missing'],
    ]);
  });

  test('says what it could not fetch, where it failed', async () => {
    expect(await read({ nextCursor: null }, null, { state: 'failed' })).toEqual([
      [0, 2 * DAY, 'settled'],
      [2 * DAY, 3 * DAY, 'failed'],
    ]);
  });

  test('holds in part what is known to lack records, and all of it where its end is unknown', async () => {
    const short: Partial<Snapshot> = { remarks: [{ code: 'fewer-than-total' }], state: 'incomplete' };
    expect(await read({}, { firstMs: DAY, lastMs: DAY }, short)).toEqual([
      [0, DAY, 'partial'],
      [DAY, 3 * DAY, 'missing'],
    ]);
    const broken: Partial<Snapshot> = { remarks: [{ code: 'cursor-repeated' }], state: 'incomplete' };
    expect(await read({ nextCursor: null }, null, broken)).toEqual([[0, 3 * DAY, 'partial']]);
    expect(await read({ nextCursor: null, sliceNumber: 2 }, null, short)).toEqual([[0, 3 * DAY, 'partial']]);
  });
});

describe('what is being fetched', () => {
  const running = span(0, 30, { id: 7, state: 'downloading', recordCount: 0 });

  test('is named beside what is known, by its task or by following', async () => {
    const ledger = openLedger(holdSnapshots([running, span(0, 10)]), {
      findTask: (id) => (id === 7 ? 'task' : null),
      findFollowed: () => Promise.resolve({ fromMs: 40 * MINUTE, toMs: 50 * MINUTE }),
    });
    const { spans } = await ledger.read(SUBJECT, { fromMs: 0, toMs: 60 * MINUTE });
    expect(spans.map(({ fromMs, state, fetching }) => [fromMs / MINUTE, state, fetching])).toEqual([
      [0, 'settled', 'task'],
      [10, 'missing', 'task'],
      [30, 'missing', null],
      [40, 'missing', 'following'],
      [50, 'missing', null],
    ]);
  });

  test('is no gap, and nothing that is settled is; gaps are at whole seconds and end now', async () => {
    const cache = holdSnapshots([running, span(35, 40), span(40, 45, { state: 'incomplete' })]);
    const ledger = openLedger(cache, {
      findTask: (id) => (id === 7 ? 'task' : null),
      now: () => 50 * MINUTE + 400,
    });
    const gaps = await ledger.findGaps(SUBJECT, { fromMs: 700, toMs: DAY });
    expect(gaps.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [30 * MINUTE, 35 * MINUTE - SECOND],
      [40 * MINUTE, 50 * MINUTE],
    ]);
    expect(gaps[0]).toMatchObject({ startDate: '1970-01-01 00:30:00', endDate: '1970-01-01 00:34:59' });
  });
});

test('a span is ready once the engine has the records of every snapshot that reaches into it', async () => {
  const fed = new Map([[1, 100]]);
  const ledger = openLedger(
    holdSnapshots([span(0, 20, { id: 1 }), span(10, 30, { id: 2, recordCount: 60 })]),
    {
      engine: { countFed: (id) => fed.get(id) ?? 0, watchFed: () => undefined },
    },
  );
  const read = async () => {
    const { spans, unreadyRecords } = await ledger.read(SUBJECT, { fromMs: 0, toMs: 40 * MINUTE });
    return [spans.map(({ fromMs, ready }) => [fromMs / MINUTE, ready]), unreadyRecords];
  };
  expect(await read()).toEqual([
    [
      [0, true],
      [10, false],
      [30, true],
    ],
    60,
  ]);
  fed.set(2, 60);
  expect((await read())[1]).toBe(0);
});

test('each change is announced for its connection and report, also when the engine has what was new', async () => {
  const events = createEvents();
  const announced: unknown[] = [];
  const fedListeners: (() => void)[] = [];
  let fed = 0;
  const emit = (...event: EventArguments): void => {
    if (event[0] === 'coverage/changed') announced.push(event[1]);
  };
  const known = span(0, 10, { id: 3, report: 'outbound-detail' });
  const ledger = openLedger(holdSnapshots([known]), {
    events,
    emit,
    engine: { countFed: () => fed, watchFed: (listener) => void fedListeners.push(listener) },
  });
  await ledger.read({ connectionId: 'one', report: 'outbound-detail' }, { fromMs: 0, toMs: MINUTE });
  events.emit('snapshots/changed', span(0, 10, { id: 2, connectionId: 'two' }));
  expect(announced).toEqual([{ connectionId: 'two', report: 'inbound-detail' }]);
  fed = 100;
  fedListeners.forEach((listener) => listener());
  await vi.waitFor(() =>
    expect(announced).toEqual(
      expect.arrayContaining([
        { connectionId: 'two', report: 'inbound-detail' },
        { connectionId: 'one', report: 'outbound-detail' },
      ]),
    ),
  );
  await vi.waitFor(() => expect(announced).toHaveLength(3));
  events.emit('snapshots/removed', { snapshotIds: [3, 99] });
  await vi.waitFor(() => expect(announced).toHaveLength(4));
});
