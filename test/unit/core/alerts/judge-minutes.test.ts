import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../../src-main/common/time/durations.ts';
import type {
  MinuteCondition,
  MeasureCondition,
} from '../../../../src-main/common/model/alerts/alert-rule.ts';
import {
  judgeMinutes,
  type Minutes,
  NOT_FIRING,
  toCriterion,
  type Turn,
} from '../../../../src-main/core/alerts/judge-minutes.ts';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';

/** A minute that is not known, or its hits and its total. */
type Minute = null | readonly [hits: number, total: number];

const repeat = (count: number, minute: Minute): Minute[] => Array.from({ length: count }, () => minute);
const toMinutes = (list: readonly Minute[], fromMs = 0): Minutes => ({
  fromMs,
  known: Uint8Array.from(list, (minute) => (minute === null ? 0 : 1)),
  hits: Float64Array.from(list, (minute) => minute?.[0] ?? 0),
  totals: Float64Array.from(list, (minute) => minute?.[1] ?? 0),
});
const NOWHERE: { direction: 'inbound'; filter: RecordFilter } = {
  direction: 'inbound',
  filter: { conditions: [] },
};
const measure = (change: Partial<MeasureCondition>): MinuteCondition => ({
  kind: 'measure',
  measure: 'error-share',
  ...NOWHERE,
  comparison: 'above',
  threshold: 0.05,
  minutes: 10,
  minRequests: 20,
  ...change,
});
const DOWN: MinuteCondition = { kind: 'down', part: 'platform', minutes: 3 };
const SILENCE: MinuteCondition = { kind: 'silence', ...NOWHERE, minutes: 5 };
const FAMILY: MinuteCondition = { kind: 'new-family', ...NOWHERE, minutes: 4 };
const say = (turns: readonly Turn[]): string =>
  turns.map(({ kind, atMs }) => `${kind} ${atMs / MINUTE_MS}`).join(', ');
const run = (condition: MinuteCondition, list: readonly Minute[]): string =>
  say(judgeMinutes(toMinutes(list), toCriterion(condition)).turns);

const CALM: Minute = [0, 10];
const BAD: Minute = [9, 10];

describe('a rule over minutes', () => {
  it.each<[string, MinuteCondition, readonly Minute[], string]>([
    ['stays quiet while nothing happens', measure({}), repeat(60, CALM), ''],
    [
      'fires once and ends once',
      measure({}),
      [...repeat(20, CALM), ...repeat(10, BAD), ...repeat(40, CALM)],
      'fired 21, ended 44',
    ],
    ['does not judge before its minutes are there', measure({}), repeat(9, BAD), ''],
    ['needs its requests', measure({ minRequests: 20 }), repeat(30, [1, 1]), ''],
    [
      'ends when there is nothing left to measure',
      measure({}),
      [...repeat(12, BAD), ...repeat(30, [0, 0])],
      'fired 10, ended 26',
    ],
    [
      'below',
      measure({ measure: 'volume', comparison: 'below', threshold: 50 }),
      [...repeat(10, CALM), ...repeat(10, [0, 1]), ...repeat(20, CALM)],
      'fired 16, ended 30',
    ],
    [
      'a median by those that took longer',
      measure({ measure: 'median', threshold: 900 }),
      [...repeat(10, [4, 10]), ...repeat(10, [8, 10]), ...repeat(20, [1, 10])],
      'fired 13, ended 31',
    ],
    ['down', DOWN, [...repeat(5, [0, 1]), ...repeat(4, [1, 1]), ...repeat(6, [0, 1])], 'fired 8, ended 12'],
    [
      'a short time down is none',
      DOWN,
      [...repeat(5, [0, 1]), ...repeat(2, [1, 1]), ...repeat(5, [0, 1])],
      '',
    ],
    [
      'down, up for a minute, and down again is one',
      DOWN,
      [...repeat(4, [1, 1]), ...repeat(1, [0, 1]), ...repeat(4, [1, 1]), ...repeat(4, [0, 1])],
      'fired 3, ended 12',
    ],
    [
      'nothing received',
      SILENCE,
      [...repeat(5, CALM), ...repeat(8, [0, 0]), ...repeat(8, CALM)],
      'fired 10, ended 16',
    ],
    [
      'a new error family, and another one soon after, is one',
      FAMILY,
      [...repeat(5, [0, 0]), [1, 1], [0, 0], [1, 1], ...repeat(8, [0, 0])],
      'fired 6, ended 12',
    ],
  ])('%s', (_name, condition, list, turns) => expect(run(condition, list)).toBe(turns));

  it('hovering at its threshold fires once and ends once', () => {
    const hovering = Array.from({ length: 600 }, (_, place): Minute => [place % 20 < 10 ? 6 : 4, 100]);
    const list = [...repeat(30, [0, 100]), ...hovering, ...repeat(60, [0, 100])];
    expect(run(measure({}), list)).toMatch(/^fired \d+, ended 6[34]\d$/);
  });

  it('sessions are counted once in its minutes, and never added up over them', () => {
    // The same four sessions fail in each of fifteen minutes, and twelve others once.
    const windowed = Float64Array.from({ length: 60 }, (_, place) => {
      if (place < 10 || place > 34) return 0;
      return place >= 15 && place < 25 ? 16 : 4;
    });
    const minutes = { ...toMinutes(repeat(60, [40, 100])), windowed };
    const judge = (threshold: number) =>
      judgeMinutes(minutes, toCriterion(measure({ measure: 'failed-sessions', threshold })));
    expect(say(judge(20).turns)).toBe('');
    const { turns } = judge(12);
    expect(say(turns)).toBe('fired 16, ended 30');
    expect(turns.map(({ figures }) => [figures.hits, figures.peak])).toEqual([
      [16, 16],
      [16, 16],
    ]);
  });

  it('what is not cached neither fires nor ends a rule', () => {
    const fires = repeat(10, BAD);
    expect(run(measure({}), [...repeat(9, BAD), null, ...repeat(9, BAD)])).toBe('');
    expect(run(measure({}), [...fires, ...repeat(600, null)])).toBe('fired 10');
    // It goes on where it was once enough is known again.
    expect(run(measure({}), [...fires, ...repeat(600, null), ...repeat(40, CALM)])).toBe(
      'fired 10, ended 624',
    );
  });

  it('says what it counted, its worst value, and how long it can not tell', () => {
    const list = [...repeat(10, CALM), ...repeat(10, BAD), null, null];
    const { progress, lackingMinutes, judgedMinutes, knownToMs } = judgeMinutes(
      toMinutes(list),
      toCriterion(measure({})),
    );
    expect(progress.figures).toEqual({ hits: 90, total: 190, peak: 0.9 });
    expect({ lackingMinutes, judgedMinutes, knownToMs }).toEqual({
      lackingMinutes: 0,
      judgedMinutes: 11,
      knownToMs: 20 * MINUTE_MS,
    });
    expect(judgeMinutes(toMinutes([...list, CALM]), toCriterion(measure({}))).lackingMinutes).toBe(2);
  });
});

const arbitraryMinute = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 12, arbitrary: fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 4, max: 12 })) },
);
const arbitraryCondition = fc.constantFrom<MinuteCondition>(
  measure({ threshold: 0.2, minutes: 5 }),
  measure({ threshold: 0.3, comparison: 'below', minutes: 3 }),
  measure({ measure: 'volume', threshold: 40, minutes: 4 }),
  measure({ measure: 'p90', threshold: 500, minutes: 2, minRequests: 5 }),
  SILENCE,
  FAMILY,
);

it('judged bit by bit, with a restart between any two minutes, it is as judged at once', () => {
  fc.assert(
    fc.property(
      arbitraryCondition,
      fc.array(arbitraryMinute, { minLength: 1, maxLength: 200 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 40 }),
      (condition, list, steps) => {
        const criterion = toCriterion(condition);
        let progress = NOT_FIRING;
        let judgedToMs = 0;
        const turns: Turn[] = [];
        let end = 0;
        for (let place = 0; end < list.length; place += 1) {
          end = Math.min(list.length, end + (steps[place % steps.length] ?? 1));
          const first = Math.max(0, judgedToMs / MINUTE_MS - criterion.minutes);
          const known = toMinutes(list.slice(first, end), first * MINUTE_MS);
          const judged = judgeMinutes(known, criterion, progress, judgedToMs);
          // As it comes back from a file.
          progress = JSON.parse(JSON.stringify(judged.progress)) as typeof progress;
          judgedToMs = Math.max(judgedToMs, judged.knownToMs ?? 0);
          turns.push(...judged.turns);
        }
        expect(turns).toEqual(judgeMinutes(toMinutes(list), criterion).turns);
      },
    ),
  );
});

it('firing and ending take turns, in the order of time', () => {
  fc.assert(
    fc.property(arbitraryCondition, fc.array(arbitraryMinute, { maxLength: 400 }), (condition, list) => {
      const { turns } = judgeMinutes(toMinutes(list), toCriterion(condition));
      for (const [place, turn] of turns.entries()) {
        expect(turn.kind).toBe(place % 2 === 0 ? 'fired' : 'ended');
        expect(turn.atMs).toBeGreaterThan(turns[place - 1]?.atMs ?? -1);
      }
    }),
  );
});
