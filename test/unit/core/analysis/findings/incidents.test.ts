import { createTrafficGrid } from '../../../../../src-main/core/analysis/findings/create-traffic-grid.ts';
import { describe, expect, it } from 'vitest';
import { expectTraffic } from '../../../../../src-main/core/analysis/findings/expect-traffic.ts';
import { findIncidents } from '../../../../../src-main/core/analysis/findings/explain-incidents.ts';
import { joinDownSpans } from '../../../../../src-main/core/analysis/findings/join-down-spans.ts';
import { joinIncidents } from '../../../../../src-main/core/analysis/findings/join-incidents.ts';
import {
  joinFamilies,
  type FamilyCell,
} from '../../../../../src-main/core/analysis/findings/judge-families.ts';
import {
  FAILED,
  type SetAside,
  type TrafficGrid,
} from '../../../../../src-main/core/analysis/findings/traffic-grid.ts';
import type { Direction } from '../../../../../src-main/common/reporting/reports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../../../src-main/common/time/time-span.ts';
import { toTrafficCells, type TrafficCell } from '../../../../support/findings/to-traffic-cells.ts';

const TODAY_MS = Date.UTC(2026, 10, 20);
const WINDOW = { fromMs: TODAY_MS, toMs: TODAY_MS + 18 * HOUR_MS };
/** Ten minutes past noon, as a minute of the window. */
const NOON = 12 * 60 + 10;
const USUAL = 15;
const SLOW = 22;
const REACHED = { [USUAL]: 6 };

interface Flow {
  readonly channel: number;
  readonly service: number;
  /** Outcomes of a minute: those of earlier days, and what is another way in a minute of the window. */
  readonly usual: Readonly<Record<number, number>>;
  readonly change?: (minute: number) => Readonly<Record<number, number>> | null;
  /** How long they take to reach the connector: usually as long as `USUAL`, and in a minute of the window another way. */
  readonly reach?: NonNullable<Flow['change']>;
}

/** Steady traffic, day and night: six requests a minute, of which one in a hundred fails. */
function makeFlow(channel: number, service: number, change?: Flow['change']): Flow {
  return {
    channel,
    service,
    usual: { [USUAL]: 6, [FAILED]: 0.06 },
    ...(change === undefined ? {} : { change }),
  };
}

const during =
  (from: number, to: number, outcomes: Readonly<Record<number, number>>) =>
  (minute: number): Readonly<Record<number, number>> | null =>
    minute >= from && minute < to ? outcomes : null;

function makeGrid(
  flows: readonly Flow[],
  covered: readonly TimeSpan[] = [{ fromMs: 0, toMs: WINDOW.toMs }],
  direction: Direction = 'inbound',
  setAside: readonly SetAside[] = [],
) {
  const list = (
    flow: Flow,
    slot: number,
    outcomes: Readonly<Record<number, number>>,
    times = 1,
  ): TrafficCell[] =>
    Object.entries(outcomes).map(([outcome, count]) => ({
      channel: flow.channel,
      service: flow.service,
      slot,
      outcome: Number(outcome),
      count: count * times,
    }));
  const isCovered = (atMs: number): boolean =>
    covered.some((span) => atMs >= span.fromMs && atMs < span.toMs);
  const [hours, minutes]: [TrafficCell[], TrafficCell[]] = [[], []];
  const late: { hours: TrafficCell[]; minutes: TrafficCell[] } = { hours: [], minutes: [] };
  for (const flow of flows) {
    for (let atMs = WINDOW.fromMs - 8 * DAY_MS; atMs < WINDOW.fromMs; atMs += HOUR_MS)
      if (isCovered(atMs)) {
        hours.push(...list(flow, atMs / HOUR_MS, flow.usual, 60));
        if (flow.reach !== undefined) late.hours.push(...list(flow, atMs / HOUR_MS, REACHED, 60));
      }
    for (let atMs = WINDOW.fromMs; atMs < WINDOW.toMs; atMs += MINUTE_MS) {
      const own = flow.change?.((atMs - WINDOW.fromMs) / MINUTE_MS) ?? flow.usual;
      if (isCovered(atMs)) minutes.push(...list(flow, atMs / MINUTE_MS, own));
      const reached = flow.reach?.((atMs - WINDOW.fromMs) / MINUTE_MS) ?? REACHED;
      if (flow.reach !== undefined && isCovered(atMs))
        late.minutes.push(...list(flow, atMs / MINUTE_MS, reached));
    }
  }
  return createTrafficGrid({
    direction,
    window: WINDOW,
    hours: toTrafficCells(hours),
    minutes: toTrafficCells(minutes),
    late: { hours: toTrafficCells(late.hours), minutes: toTrafficCells(late.minutes) },
    covered,
    setAside,
  });
}

const outline = (flows: readonly Flow[], covered?: readonly TimeSpan[]) =>
  findIncidents([makeGrid(flows, covered)]).map(({ kind, channel, service, onset, end }) => [
    kind,
    channel,
    service,
    onset,
    end,
  ]);

const findJoined = (grids: readonly TrafficGrid[]) => joinIncidents(findIncidents(grids), grids);

const OTHERS = [makeFlow(1, 2), makeFlow(2, 7), makeFlow(2, 2)];
const FAILING = during(NOON, NOON + 40, { [USUAL]: 2, [FAILED]: 4 });

describe('a time that is set aside', () => {
  const at = (from: number, to: number): TimeSpan => ({
    fromMs: TODAY_MS + from * MINUTE_MS,
    toMs: TODAY_MS + to * MINUTE_MS,
  });
  const find = (flows: readonly Flow[], setAside: readonly SetAside[]) =>
    findIncidents([makeGrid(flows, undefined, 'inbound', setAside)]).map((own) => [
      own.kind,
      own.channel,
      own.service,
      own.onset,
      own.end,
    ]);
  const silent = [makeFlow(1, 7, during(NOON, NOON + 60, {})), ...OTHERS];

  it.each([
    ['everywhere', {}],
    ['at its channel', { channel: 1 }],
    ['at its channel and service', { channel: 1, service: 7 }],
  ] as const)('%s has no incident told of it', (_where, place) => {
    expect(find(silent, [])).toEqual([['volume-down', 1, 7, NOON, NOON + 60]]);
    expect(find(silent, [{ ...at(NOON, NOON + 60), ...place }])).toEqual([]);
  });

  it('at a place has what happens at another one told', () => {
    const failing = makeFlow(2, 7, FAILING);
    const flows = [silent[0] as Flow, makeFlow(1, 2), failing, makeFlow(2, 2)];
    const told = [['errors-up', 2, 7, NOON, NOON + 40]];
    expect(find(flows, [{ ...at(NOON, NOON + 60), channel: 1 }])).toEqual(told);
    expect(find(flows, [{ ...at(NOON, NOON + 60), channel: 1, service: 7 }])).toEqual(told);
  });

  it('is no part of what is usual: failures of five mornings before hide none of today', () => {
    const struck: Flow = { ...makeFlow(1, 7, FAILING), usual: { [USUAL]: 3, [FAILED]: 3 } };
    const healthy = (minute: number) => FAILING(minute) ?? { [USUAL]: 6, [FAILED]: 0.06 };
    const flows = [{ ...struck, change: healthy }, ...OTHERS];
    const earlier = (day: number): SetAside => at(-day * 24 * 60, -day * 24 * 60 + 24 * 60);
    expect(find(flows, [])).toEqual([]);
    const spans = [1, 2, 3, 4, 5, 6, 7, 8].map(earlier);
    expect(find(flows, spans)).toEqual([['errors-up', 1, 7, NOON, NOON + 40]]);
  });
});

describe('an incident', () => {
  it.each([
    ['errors-up', { [USUAL]: 3, [FAILED]: 3 }],
    ['slower', { [SLOW]: 6 }],
    ['volume-down', {}],
    ['volume-up', { [USUAL]: 24 }],
  ] as const)('of the kind %s is found with its place, its onset and its end', (kind, outcomes) => {
    const struck = makeFlow(1, 7, during(NOON, NOON + 45, outcomes));
    expect(outline([struck, ...OTHERS])).toEqual([[kind, 1, 7, NOON, NOON + 45]]);
  });

  it.each([9, 12, 14])('begins where it begins, not with a failure by chance %i minutes before', (before) => {
    const change = (minute: number) =>
      minute === NOON - before
        ? { [USUAL]: 1, [FAILED]: 1 }
        : minute >= NOON && minute < NOON + 45
          ? { [USUAL]: 1, [FAILED]: 1 }
          : { [USUAL]: 1 };
    const thin: Flow = { channel: 1, service: 7, usual: { [USUAL]: 1, [FAILED]: 0.01 }, change };
    expect(outline([thin, ...OTHERS])).toEqual([['errors-up', 1, 7, NOON, NOON + 45]]);
  });

  it('of a place with few requests before is told of that place, and ends though few come after it', () => {
    const end = NOON + 60;
    // One request in a quarter of an hour but while it fails, and a morning is all that is cached.
    const change = (minute: number): Readonly<Record<number, number>> =>
      minute >= NOON && minute < end ? { [USUAL]: 1, [FAILED]: 2 } : minute % 15 === 0 ? { [USUAL]: 1 } : {};
    const thin: Flow = { channel: 1, service: 7, usual: {}, change };
    const covered = [{ fromMs: WINDOW.fromMs + 6 * HOUR_MS, toMs: WINDOW.toMs }];
    expect(outline([thin, ...OTHERS], covered)).toEqual([['errors-up', 1, 7, NOON, end]]);
  });

  it('of messages that reach the connector late is found where responses are as fast as ever', () => {
    const late = { ...makeFlow(1, 7), reach: during(NOON, NOON + 45, { [SLOW]: 6 }) };
    expect(outline([late, ...OTHERS])).toEqual([['slow-connector', 1, 7, NOON, NOON + 45]]);
    const both = { ...makeFlow(1, 7, during(NOON, NOON + 45, { [SLOW]: 6 })), reach: late.reach };
    expect(findJoined([makeGrid([both, ...OTHERS])])).toMatchObject([
      { kind: 'slower', also: ['slow-connector'] },
    ]);
  });

  it.each([
    ['many good requests', 4],
    ['some', 1 / 15],
    ['no request at all', 0],
  ])('is not one with a later one where %s came in the three hours between', (_what, between) => {
    const end = NOON + 70;
    const again = end + 180;
    const change = (minute: number): Readonly<Record<number, number>> => {
      const isBad = (minute >= NOON && minute < end) || (minute >= again && minute < again + 54);
      if (isBad) return { [FAILED]: 2 };
      if (minute < NOON || minute >= again) return { [USUAL]: 2 };
      if (between >= 1) return { [USUAL]: between };
      return between > 0 && minute % (1 / between) === 0 ? { [USUAL]: 1 } : {};
    };
    const flow: Flow = { channel: 1, service: 7, usual: { [USUAL]: 2, [FAILED]: 0.02 }, change };
    const failing = findJoined([makeGrid([flow, ...OTHERS])]).filter(({ kind }) => kind === 'errors-up');
    expect(failing.map(({ onset, end: until }) => [onset, until])).toEqual([
      [NOON, end],
      [again, again + 54],
    ]);
    const minutes = failing.reduce((sum, { onset, end: until }) => sum + (until ?? NaN) - onset, 0);
    expect(minutes).toBe(124);
  });

  it('of a place with a request now and then stays one while all of them fail', () => {
    const change = (minute: number) =>
      minute < NOON ? { [USUAL]: 1 } : minute % 70 === 0 ? { [FAILED]: 3 } : {};
    const rare: Flow = { channel: 1, service: 7, usual: { [USUAL]: 1, [FAILED]: 0.01 }, change };
    const failing = findJoined([makeGrid([rare, ...OTHERS])]).filter(({ kind }) => kind === 'errors-up');
    expect(failing).toMatchObject([{ onset: 770, end: null }]);
  });

  it('that goes on has no end', () => {
    const struck = makeFlow(1, 7, during(NOON, Infinity, { [FAILED]: 6 }));
    expect(outline([struck, ...OTHERS])).toEqual([['errors-up', 1, 7, NOON, null]]);
  });

  it('of failing requests is told as that, whatever else is unusual about them', () => {
    const struck = makeFlow(1, 7, during(NOON, NOON + 40, { [FAILED]: 16, [SLOW]: 8 }));
    const joined = findJoined([makeGrid([struck, ...OTHERS])]);
    expect(joined).toMatchObject([{ kind: 'errors-up', also: ['slower', 'volume-up'], onset: NOON }]);
  });

  it('is none where most requests fail anyway, and some more do', () => {
    const broken = (share: number) => ({ [USUAL]: 60 * (1 - share), [FAILED]: 60 * share });
    const flow: Flow = {
      channel: 1,
      service: 7,
      usual: broken(0.85),
      change: during(NOON, NOON + 60, broken(0.96)),
    };
    expect(outline([flow, ...OTHERS])).toEqual([]);
  });

  it('is none where nothing is unusual', () => {
    expect(outline([makeFlow(1, 7), ...OTHERS])).toEqual([]);
  });
});

it('a morning after a night is no surge where no earlier day says what is usual', () => {
  const busy = during(7 * 60, 18 * 60, { [USUAL]: 40, [FAILED]: 0.4 });
  const today = [{ fromMs: WINDOW.fromMs, toMs: WINDOW.toMs }];
  expect(outline([makeFlow(1, 7, busy), makeFlow(1, 2, busy)], today)).toEqual([]);
});

describe('the smallest place that explains it', () => {
  it('is a service that fails on every channel', () => {
    expect(
      outline([makeFlow(1, 7, FAILING), makeFlow(2, 7, FAILING), makeFlow(1, 2), makeFlow(2, 2)]),
    ).toEqual([['errors-up', null, 7, NOON, NOON + 40]]);
  });

  it('is a channel whose services all fail', () => {
    expect(
      outline([makeFlow(1, 7, FAILING), makeFlow(1, 2, FAILING), makeFlow(2, 7), makeFlow(2, 2)]),
    ).toEqual([['errors-up', 1, null, NOON, NOON + 40]]);
  });

  it('is everything where everything fails', () => {
    const flows = [1, 2, 3].flatMap((channel) =>
      [2, 7].map((service) => makeFlow(channel, service, FAILING)),
    );
    expect(outline(flows)).toEqual([['errors-up', null, null, NOON, NOON + 40]]);
  });

  it('is each of two flows that have nothing to do with one another', () => {
    const later = during(NOON + 120, NOON + 160, { [FAILED]: 6 });
    expect(outline([makeFlow(1, 7, FAILING), makeFlow(2, 2, later), makeFlow(1, 2), makeFlow(2, 7)])).toEqual(
      [
        ['errors-up', 1, 7, NOON, NOON + 40],
        ['errors-up', 2, 2, NOON + 120, NOON + 160],
      ],
    );
  });
});

describe('what is usual', () => {
  const learn = (covered: readonly TimeSpan[], usual: Flow['usual'] = { [USUAL]: 6, [FAILED]: 0.06 }) => {
    const grid = makeGrid([{ channel: 1, service: 2, usual }], covered);
    const [flow] = grid.flows;
    return flow === undefined ? null : expectTraffic(grid, flow.hours)[12];
  };
  const day = (back: number): TimeSpan => ({
    fromMs: TODAY_MS - back * DAY_MS,
    toMs: TODAY_MS - (back - 1) * DAY_MS,
  });

  it('comes from the same hour of earlier days, from the hours before without them, or is not known', () => {
    expect(learn([day(3), day(2), day(1)])).toMatchObject({ source: 'days' });
    const today = { fromMs: TODAY_MS + 8 * HOUR_MS, toMs: WINDOW.toMs };
    expect(learn([today])).toMatchObject({ source: 'hours', rate: expect.closeTo(6.06) as number });
    expect(learn([{ fromMs: TODAY_MS + 11 * HOUR_MS, toMs: WINDOW.toMs }])).toBeNull();
  });

  it('is not what stood out on one of the days', () => {
    const calm = learn([{ fromMs: 0, toMs: WINDOW.toMs }]);
    expect(calm).toMatchObject({ rate: expect.closeTo(6.06) as number });
    expect(calm?.failing).toBeCloseTo(0.01, 2);
  });

  it('is learned from nothing but what is cached: a gap is not a silence', () => {
    const gap = { fromMs: TODAY_MS + 14 * HOUR_MS, toMs: TODAY_MS + 15 * HOUR_MS };
    const around = [
      { fromMs: 0, toMs: gap.fromMs },
      { fromMs: gap.toMs, toMs: WINDOW.toMs },
    ];
    expect(outline(OTHERS, around)).toEqual([]);
  });

  it('needs more than a few requests: two failures of three show nothing', () => {
    const rare: Flow = {
      channel: 1,
      service: 7,
      usual: { [USUAL]: 0.01 },
      change: during(NOON, NOON + 3, { [FAILED]: 1 }),
    };
    expect(outline([rare, ...OTHERS])).toEqual([]);
  });
});

describe('both directions', () => {
  it('are one finding', () => {
    const grid = makeGrid([makeFlow(1, 7, FAILING), ...OTHERS]);
    const incidents = findIncidents([grid]);
    const other = incidents.map((incident) => ({
      ...incident,
      directions: ['outbound' as const],
      onset: NOON + 2,
    }));
    expect(joinIncidents([...incidents, ...other], [grid])).toMatchObject([
      { directions: ['inbound', 'outbound'], channel: 1, service: 7, onset: NOON },
    ]);
  });

  it('stay two findings where they would be a weak one: hours of one service, and minutes of all traffic', () => {
    const many = [1, 2, 3, 4, 5, 6].flatMap((channel) => [2, 3, 4].map((service) => ({ channel, service })));
    const end = NOON + 240;
    const minutes = during(NOON + 5, NOON + 15, { [FAILED]: 6 });
    const inbound = makeGrid([
      makeFlow(1, 7, during(NOON, end, { [FAILED]: 6 })),
      ...many.map(({ channel, service }) => makeFlow(channel, service)),
    ]);
    const outbound = makeGrid(
      [{ channel: 1, service: 7 }, ...many].map(({ channel, service }) =>
        makeFlow(channel, service, minutes),
      ),
      undefined,
      'outbound',
    );
    const told = findJoined([inbound, outbound]).map(
      ({ channel, service, directions, onset, end: until }) => [
        ...[channel, service, directions.join()],
        ...[onset, until],
      ],
    );
    expect(told).toEqual([
      [1, 7, 'inbound', NOON, end],
      [null, null, 'outbound', NOON + 5, NOON + 15],
    ]);
  });

  const told = (inbound: readonly Flow[], outbound: readonly Flow[]) => {
    const grids = [makeGrid(inbound), makeGrid(outbound, undefined, 'outbound')];
    return findJoined(grids).map(({ kind, channel, service, directions, onset, end }) => [
      ...[kind, channel, service, directions.join()],
      ...[onset, end],
    ]);
  };

  it('stay two where the other one comes later at the same place: it did not fail before', () => {
    const inbound = makeFlow(1, 7, during(NOON, NOON + 240, { [FAILED]: 6 }));
    const outbound = makeFlow(1, 7, during(NOON + 90, NOON + 180, { [FAILED]: 6 }));
    expect(told([inbound, ...OTHERS], [outbound, ...OTHERS])).toEqual([
      ['errors-up', 1, 7, 'inbound', NOON, NOON + 240],
      ['errors-up', 1, 7, 'outbound', NOON + 90, NOON + 180],
    ]);
  });

  it('are one where errors rose slowly, and one direction shows it some minutes earlier', () => {
    const inbound = makeFlow(1, 7, during(NOON, NOON + 170, { [USUAL]: 3, [FAILED]: 3 }));
    const outbound = makeFlow(1, 7, during(NOON + 29, NOON + 160, { [USUAL]: 3, [FAILED]: 3 }));
    expect(told([inbound, ...OTHERS], [outbound, ...OTHERS])).toEqual([
      ['errors-up', 1, 7, 'inbound,outbound', NOON, NOON + 170],
    ]);
  });

  it('have each its own: fewer requests of one are nothing of the failures of the other', () => {
    const inbound = makeFlow(1, 7, during(NOON, NOON + 60, { [FAILED]: 6 }));
    const outbound = makeFlow(1, 7, during(NOON, NOON + 60, {}));
    expect(told([inbound, ...OTHERS], [outbound, ...OTHERS])).toEqual([
      ['errors-up', 1, 7, 'inbound', NOON, NOON + 60],
      ['volume-down', 1, 7, 'outbound', NOON, NOON + 60],
    ]);
  });

  it('leave what lasts hours longer than failures to be told by itself', () => {
    const change = (minute: number) =>
      minute < NOON || minute >= NOON + 300 ? null : minute < NOON + 30 ? { [FAILED]: 6 } : { [SLOW]: 6 };
    const late = makeFlow(1, 7, (minute) => (minute < NOON ? null : (change(minute) ?? null)));
    expect(told([late, ...OTHERS], OTHERS)).toEqual([
      ['errors-up', 1, 7, 'inbound', NOON, NOON + 30],
      ['slower', 1, 7, 'inbound', NOON + 30, NOON + 300],
    ]);
  });

  it('show together what neither shows alone, and the one that has it is named alone', () => {
    const thin = (change?: Flow['change']): Flow => ({
      channel: 1,
      service: 7,
      usual: { [USUAL]: 1 },
      ...(change === undefined ? {} : { change }),
    });
    const silent = thin(during(NOON, NOON + 34, {}));
    const list = (inbound: Flow, outbound: Flow) =>
      findIncidents([
        makeGrid([inbound, ...OTHERS]),
        makeGrid([outbound, ...OTHERS], undefined, 'outbound'),
      ]).map(({ kind, channel, service, directions, onset, end }) => [
        ...[kind, channel, service, directions.join()],
        ...[onset, end],
      ]);
    expect(outline([silent, ...OTHERS])).toEqual([]);
    expect(list(silent, silent)).toEqual([['volume-down', 1, 7, 'inbound,outbound', NOON, NOON + 34]]);
    const failing = makeFlow(1, 7, FAILING);
    expect(list(makeFlow(1, 7), failing)).toEqual([['errors-up', 1, 7, 'outbound', NOON, NOON + 40]]);
  });
});

describe('an error that was not seen in the week before', () => {
  const makeCells = (count: number, changes: Partial<FamilyCell> = {}): FamilyCell[] =>
    Array.from({ length: count }, (_, place) => ({
      pattern: 'Schema <number> is unknown',
      direction: 'inbound',
      channel: 3,
      service: 7,
      minute: NOON + 2 * place,
      count: 1,
      ...changes,
    }));
  const DAY = 24 * 60;
  const join = (cells: readonly FamilyCell[], minutes = 18 * 60, isLearned = true, newMinutes = DAY) =>
    joinFamilies([], cells, { minutes, newMinutes, isLearned: () => isLearned });

  it('is a finding from its first record on, until it no longer comes', () => {
    expect(join(makeCells(10))).toMatchObject([
      { kind: 'new-errors', channel: 3, service: 7, onset: NOON, end: NOON + 19 },
    ]);
    expect(join(makeCells(10), NOON + 25)).toMatchObject([{ end: null }]);
  });

  it('is none of a few records, nor where too little is cached to call it new', () => {
    expect(join(makeCells(7))).toEqual([]);
    expect(join(makeCells(10), 18 * 60, false)).toEqual([]);
  });

  it('that goes on for longer than is told of is new no more', () => {
    const cells = Array.from({ length: 2 * DAY }, (_none, place) => ({
      ...makeCells(1)[0]!,
      minute: NOON + place,
    }));
    const minutes = NOON + 2 * DAY;
    expect(join(cells, minutes)).toEqual([]);
    expect(join(cells, minutes, true, 7 * DAY)).toMatchObject([{ onset: NOON, end: null }]);
  });

  it('is the same finding as the failing requests that have it', () => {
    const [incident] = findJoined([makeGrid([makeFlow(3, 7, FAILING), ...OTHERS])]);
    const cells = makeCells(80, {}).map((cell, place) => ({ ...cell, minute: NOON + Math.floor(place / 2) }));
    expect(incident).toBeDefined();
    const joined = joinFamilies(incident === undefined ? [] : [incident], cells, {
      minutes: 18 * 60,
      newMinutes: DAY,
      isLearned: () => true,
    });
    expect(joined).toMatchObject([
      { kind: 'errors-up', newFamily: 'Schema <number> is unknown', onset: NOON },
    ]);
  });
});

describe('a reported outage', () => {
  it('takes what befell all traffic meanwhile, and leaves the rest', () => {
    const flows = [1, 2].flatMap((channel) => [2, 7].map((service) => makeFlow(channel, service, FAILING)));
    const whole = findJoined([makeGrid(flows)]);
    const small = findJoined([makeGrid([makeFlow(1, 7, FAILING), ...OTHERS])]);
    const sinceMs = WINDOW.fromMs + (NOON + 1) * MINUTE_MS;
    const span = { part: 'connector', sinceMs, untilMs: sinceMs + HOUR_MS, isOngoing: false } as const;
    const join = (incidents: typeof whole) =>
      joinDownSpans([span], incidents, WINDOW.fromMs, [makeGrid(flows)]);
    expect(join(whole)).toEqual([[{ ...span, also: ['errors-up'] }], []]);
    expect(join(small)).toEqual([[{ ...span, also: [] }], small]);
  });

  it('leaves what failed after the service said it was over, and only where much did', () => {
    const end = NOON + 120;
    const makeGrids = (after: Readonly<Record<number, number>>) => {
      const change = (minute: number) =>
        minute >= NOON && minute < NOON + 20
          ? { [FAILED]: 6 }
          : minute >= NOON && minute < end
            ? after
            : null;
      return [
        makeGrid([1, 2].flatMap((channel) => [2, 7].map((service) => makeFlow(channel, service, change)))),
      ];
    };
    const sinceMs = WINDOW.fromMs + NOON * MINUTE_MS;
    const span = { part: 'platform', sinceMs, untilMs: sinceMs + 20 * MINUTE_MS, isOngoing: false } as const;
    const join = (grids: readonly TrafficGrid[], isOngoing = false) =>
      joinDownSpans([{ ...span, isOngoing }], findJoined(grids), WINDOW.fromMs, grids)[1];
    const failing = makeGrids({ [USUAL]: 3, [FAILED]: 3 });
    expect(join(failing)).toMatchObject([
      {
        kind: 'recovered-late',
        part: 'platform',
        onset: NOON + 20,
        end,
        measured: { hits: 1200, total: 2400 },
      },
    ]);
    expect(join(failing, true)).toEqual([]);
    expect(join(makeGrids({ [USUAL]: 6 }))).toEqual([]);
  });
});
