import { describe, expect, it } from 'vitest';
import type { HealthState, StatusSample } from '../../../../../src-main/common/model/connections/status.ts';
import { toStatusHistory } from '../../../../../src-main/core/analysis/status/status-figures.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const START_MS = Date.UTC(2026, 10, 20, 4);

type States = readonly (readonly [minute: number, state: HealthState])[];

/** The history of the last 24 hours in ticks of 16 minutes. */
function toHistory(states: States, nowMinute: number | null = null) {
  const samples = states.map(([minute, platform]): StatusSample => ({
    connectionId: 'one',
    checkedAtMs: START_MS + minute * MINUTE_MS,
    roundTripMs: 5,
    platform,
    connector: 'up',
    internalResponseTimeMs: 100,
    sessions: 3,
    traffic: [],
    trafficText: '',
    failure: null,
  }));
  const lastMs = samples.at(-1)?.checkedAtMs ?? START_MS;
  const nowMs = nowMinute === null ? lastMs : START_MS + nowMinute * MINUTE_MS;
  return toStatusHistory(samples, nowMs, { spanMs: DAY_MS, ticks: 90 });
}

const toMinutes = (atMs: number): number => (atMs - START_MS) / MINUTE_MS;

/** The spans of the last 24 hours, in minutes from the start. */
function findSpans(states: States) {
  return toHistory(states).downSpans.map(({ part, sinceMs, untilMs, isOngoing }) => [
    ...[part, toMinutes(sinceMs), toMinutes(untilMs), isOngoing],
  ]);
}

describe('spans in which a part was down', () => {
  it('seen: "since 04:00", the start of a tick, of what was down from 04:07 to 04:12', () => {
    const states = [
      [0, 'up'],
      [6.5, 'up'],
      [7, 'down'],
      [9, 'down'],
      [11.5, 'down'],
      [12, 'up'],
    ] as const;
    expect(findSpans(states)).toEqual([['platform', 7, 12, false]]);
  });

  it('goes on while the newest response says so, although nobody got through since', () => {
    const states = [
      [0, 'up'],
      [3, 'down'],
      [5, 'down'],
      [6, 'unreachable'],
      [60, 'unreachable'],
    ] as const;
    expect(findSpans(states)).toEqual([['platform', 3, 5, true]]);
  });

  it('ends where nothing was checked: what happened then is not known', () => {
    const states = [
      [0, 'down'],
      [10, 'down'],
      [300, 'down'],
      [400, 'up'],
    ] as const;
    expect(findSpans(states)).toEqual([
      ['platform', 0, 12, false],
      ['platform', 300, 302, false],
    ]);
  });

  it('decision 28, client: being unreachable from here, or a hiccup, is not being down', () => {
    expect(
      findSpans([
        [0, 'up'],
        [1, 'unreachable'],
        [30, 'up'],
      ]),
    ).toEqual([]);
    expect(
      findSpans([
        [0, 'up'],
        [1, 'down'],
        [1.5, 'up'],
      ]),
    ).toEqual([]);
  });
});

describe('spans in which the service could not be reached', () => {
  it.each<[what: string, states: States, nowMinute: number | null, spans: readonly unknown[]]>([
    [
      'are apart from those in which it said that it was down',
      [
        [0, 'down'],
        [3, 'unreachable'],
        [5, 'unreachable'],
        [8, 'up'],
      ],
      null,
      [[3, 8, false]],
    ],
    [
      'go on while checks fail',
      [
        [0, 'up'],
        [3, 'unreachable'],
        [6, 'unreachable'],
      ],
      8,
      [[3, 6, true]],
    ],
    [
      'do not go on where nothing is checked',
      [
        [0, 'unreachable'],
        [6, 'unreachable'],
      ],
      60,
      [[0, 6, false]],
    ],
    [
      'are none of a hiccup',
      [
        [0, 'up'],
        [3, 'unreachable'],
      ],
      4,
      [],
    ],
    [
      'end where the service refuses: it has been reached',
      [
        [0, 'unreachable'],
        [3, 'unknown'],
      ],
      null,
      [[0, 3, false]],
    ],
  ])('%s', (_what, states, nowMinute, spans) => {
    expect(
      toHistory(states, nowMinute).unreachableSpans.map(({ sinceMs, untilMs, isOngoing }) => [
        ...[toMinutes(sinceMs), toMinutes(untilMs), isOngoing],
      ]),
    ).toEqual(spans);
  });
});
