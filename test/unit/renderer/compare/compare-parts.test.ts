import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_CLASSES } from '../../../../src-main/common/model/records/record.ts';
import type { Histogram } from '../../../../src-main/common/model/records/histogram.ts';
import { formatSigned } from '../../../../src-renderer/format/formats.ts';
import {
  findTwinPeak,
  formatDifference,
  formatInterval,
  formatRatio,
  stateChange,
  toComparisonCsv,
  toComparisonRows,
  toConditions,
  toTwinBars,
  toTwinGaps,
  toWhiskerScale,
} from '../../../../src-renderer/screens/compare/comparison.ts';
import { toBoxPaths } from '../../../../src-renderer/charts/chart-marks.ts';
import {
  readChoice,
  writeChoice,
  type CompareChoice,
  toRecordsAddress,
  toSide,
} from '../../../../src-renderer/screens/compare/compare-choice.ts';
import { shiftPeriod } from '../../../../src-renderer/screens/compare/use-compare.ts';
import { makeComparison, makeGroup } from './make-comparison.ts';

describe('the choice in the address', () => {
  const first: CompareChoice = {
    ownSnapshotId: null,
    direction: 'inbound',
    measure: 'error-share',
    quantile: 'median',
    by: 'service',
    then: 'channel',
    partner: { kind: 'shift', shift: 'week-before' },
    isSwapped: false,
    part: null,
  };

  it('is what it is at first where the address says nothing, or nothing that can be read', () => {
    expect(readChoice({})).toEqual(first);
    expect(readChoice({ measure: 'x', by: 'actionId', with: '1..2', part: '9-3', swapped: '1' })).toEqual(
      first,
    );
  });

  it.each<Partial<CompareChoice>>([
    { direction: 'outbound', by: 'actionId', then: null },
    { measure: 'response', quantile: 'p95', isSwapped: true, ownSnapshotId: 7 },
    { partner: { kind: 'snapshot', snapshotId: 12 }, part: { fromMs: 60_000, toMs: 120_000 } },
    { partner: { kind: 'custom', fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 10, 2) } },
    { by: 'channel', then: 'errorFamily' },
  ])('comes back from it: %o', (change) => {
    const choice = { ...first, ...change };
    expect(readChoice(writeChoice(choice))).toEqual(choice);
  });
});

describe('the period to compare with', () => {
  it('is the same time of the clock a day or a week before, also when the clock was changed', () => {
    // In Berlin the clock went back on 25 October 2026.
    const day = { fromMs: Date.UTC(2026, 9, 25, 23), toMs: Date.UTC(2026, 9, 26, 22, 59, 59) };
    expect(shiftPeriod(day, 'day-before', 'Europe/Berlin')).toEqual({
      fromMs: Date.UTC(2026, 9, 24, 22),
      toMs: Date.UTC(2026, 9, 25, 22, 59, 59),
    });
    expect(shiftPeriod(day, 'week-before', 'UTC')).toEqual({
      fromMs: day.fromMs - 7 * 86_400_000,
      toMs: day.toMs - 7 * 86_400_000,
    });
  });

  it('ends a second before the other begins, and is as long', () => {
    expect(shiftPeriod({ fromMs: 100_000, toMs: 109_000 }, 'period-before', 'UTC')).toEqual({
      fromMs: 90_000,
      toMs: 99_000,
    });
  });
});

describe('a side of the comparison', () => {
  const ends = { fromMs: 1_000_000, toMs: 1_999_000 };
  const source = { connectionId: 'one', direction: 'inbound' as const, ends, snapshot: null };

  it('is the period, or the part of it that was brushed', () => {
    expect(toSide(source, null)).toMatchObject({ conditions: [], lengthMs: 1_000_000 });
    expect(toSide(source, { fromMs: 900_000, toMs: 1_200_000 })).toMatchObject({
      conditions: [{ field: 'dateMs', min: 1_900_000, max: 2_000_000 }],
      lengthMs: 100_000,
    });
  });

  it('leads to its records with the part and the group as their filter', () => {
    const side = toSide(source, { fromMs: 0, toMs: 60_000 });
    const address = toRecordsAddress(side, 'inbound', [{ field: 'service', values: [7] }]);
    expect(address.name).toBe('inbound-detail');
    expect(address.query.q).toContain('service:7');
    expect(address.query).toHaveProperty('period', '1970-01-01T00:16:40..1970-01-01T00:33:19');
  });
});

describe('twin bars', () => {
  const make = (counts: number[][]): Histogram => ({
    split: 'class',
    series: CODE_CLASSES.map((codeClass) => ({ kind: 'class', codeClass })),
    buckets: counts.map((own, place) => ({
      fromMs: place * 1000,
      toMs: (place + 1) * 1000,
      medianResponseMs: null,
      counts: own,
    })),
  });

  it('rise and hang from one axis on one scale, errors next to it', () => {
    const after = make([[10, 0, 0, 10, 0]]);
    const before = make([[5, 0, 0, 0, 0]]);
    expect(findTwinPeak(after, before)).toBe(20);
    const bars = toTwinBars(after, before, { widthPx: 3, halfPx: 100, top: 20 });
    const paths = toBoxPaths(bars, ({ codeClass }) => codeClass);
    expect(Object.fromEntries(paths.map(({ first, path }) => [first.codeClass, path]))).toEqual({
      '2xx': 'M0 0h3v50h-3zM0 100h3v25h-3z',
      '5xx': 'M0 50h3v50h-3z',
    });
  });

  it('leave what is not cached of either side to its hatching, each in its half and on its own times', () => {
    const after = make([[1], [1], [1], [1]]);
    const before = make([[1], [1]]);
    const gaps = {
      after: [{ fromMs: 0, toMs: 1500 }],
      before: [{ fromMs: 1000, toMs: Infinity }],
    };
    expect(toTwinGaps(after, before, gaps, { widthPx: 400, halfPx: 90 })).toEqual([
      { left: 0, width: 150, top: 0, height: 90 },
      { left: 100, width: 100, top: 90, height: 90 },
    ]);
  });

  it('are none of nothing', () => {
    expect(toTwinBars(make([]), make([]), { widthPx: 10, halfPx: 10, top: 1 })).toEqual([]);
  });
});

describe('the lines of the table', () => {
  const tenths = (value: number | null): number => Math.round((value ?? NaN) * 10);

  it('print contributions that sum to the printed change, by both fields, and rate and mix to their sum', () => {
    const parts = fc.array(fc.tuple(fc.double({ min: -0.1, max: 0.1, noNaN: true }), fc.nat(100)), {
      minLength: 1,
      maxLength: 9,
    });
    fc.assert(
      fc.property(parts, (list) => {
        const groups = list.map(([contribution, percent], place) =>
          makeGroup([place], [1, 0, 1, 0], {
            contribution,
            rate: (contribution * percent) / 100,
            mix: contribution - (contribution * percent) / 100,
          }),
        );
        const sum = list.reduce((all, [contribution]) => all + contribution, 0);
        const total = makeGroup([], [1, 0, 1, 0], { contribution: sum, rate: sum, mix: 0 });
        const { rows, total: all } = toComparisonRows(
          { total, groups, parts: [], unlistedCount: 0 },
          'error-share',
        );
        expect(rows.reduce((printed, row) => printed + tenths(row.contribution), 0)).toBe(
          tenths(all.contribution),
        );
        for (const row of rows) expect(tenths(row.rate) + tenths(row.mix)).toBe(tenths(row.contribution));
      }),
    );
  });

  it('have their parts below them', () => {
    const { rows, total } = toComparisonRows(makeComparison(), 'error-share');
    expect(
      rows.map(({ contribution, parts }) => [contribution, parts.map((part) => part.contribution)]),
    ).toEqual([
      [20.9, [20.5, 0.4]],
      [-0.1, [-0.1]],
    ]);
    expect([total.contribution, total.rate, total.mix]).toEqual([20.8, 20.9, -0.1]);
  });

  it('lead to the records that have no value, too', () => {
    expect(toConditions(['service', 'channel'], makeGroup([null, 3], [1, 0, 1, 0]))).toEqual([
      { field: 'service', values: [null] },
      { field: 'channel', values: [3] },
    ]);
  });

  it('draw intervals on a scale that zero lies on', () => {
    const scale = toWhiskerScale([
      makeGroup([1], [100, 0, 100, 50]),
      makeGroup([2], [1, 0, 1, 0], { interval: null }),
    ]);
    expect(scale.low).toBe(0);
    expect(scale.high).toBeCloseTo(0.52);
  });
});

describe('what changed', () => {
  it('names the group that made up most of it, by its rate or its part of the traffic', () => {
    expect(stateChange(makeComparison(), 'error-share')).toMatchObject({
      trend: 'rose',
      cause: { amount: 'nearly-all', how: 'rate-up', group: { key: [7] } },
    });
    const moved = makeComparison();
    const [first, second] = moved.groups;
    const groups = [{ ...first!, rate: 0.01, mix: 0.1994 }, second!];
    expect(stateChange({ ...moved, groups }, 'error-share').cause?.how).toBe('mix-up');
  });

  it('credits no group with more than its part of what moved the same way', () => {
    const total = makeGroup([], [380, 0, 370, 0], { contribution: -110, rate: null, mix: null });
    const groups = [-130, 97, -75, -2].map((contribution, place) =>
      makeGroup([place], [9, 0, 9, 0], { contribution, rate: null, mix: null }),
    );
    expect(stateChange({ total, groups, parts: [], unlistedCount: 0 }, 'volume')).toMatchObject({
      trend: 'fell',
      cause: { amount: 'most', how: 'rate-down', group: { key: [0] } },
    });
  });

  it('claims nothing that may be chance, and no cause where none stands out', () => {
    const whole = makeComparison();
    const open = { ...whole, total: { ...whole.total, certainty: 'open' as const } };
    expect(stateChange(open, 'error-share')).toEqual({ trend: 'chance', cause: null });
    const even = [1, 2, 3, 4, 5].map((service) => ({
      ...whole.groups[0]!,
      key: [service],
      contribution: 0.04,
    }));
    expect(stateChange({ ...whole, groups: even }, 'error-share')).toEqual({ trend: 'rose', cause: null });
    const none = { ...whole, total: { ...whole.total, contribution: null } };
    expect(stateChange(none, 'error-share').trend).toBe('unknown');
  });
});

it('writes differences in the unit of their measure', () => {
  expect(formatDifference('error-share', 0.578)).toBe('+57.8');
  expect(formatInterval('error-share', { low: 0.0003, high: 0.013 })).toEqual(['+0.03', '+1.3']);
  expect(formatDifference('volume', -1200)).toBe('−1,200');
  expect(formatDifference('response', -53)).toBe('−53 ms');
  expect([formatSigned(-0.04, 1), formatSigned(0, 1)]).toEqual(['0.0', '0.0']);
  expect([formatRatio(1402, 1687), formatRatio(1688, 10_042), formatRatio(0, 5)]).toEqual([
    ...['+20.3%', '5.9×', null],
  ]);
});

it('exports the table with every figure, formulas guarded', () => {
  const groups = [makeGroup(['=1+"a"'], [10, 1, 10, 2])];
  const csv = toComparisonCsv(
    { ...makeComparison(), groups, parts: [] },
    ['origin'],
    { before: 'whole', after: 'whole' },
    { kind: 'periods', before: 'Monday', after: 'Tuesday' },
  );
  const [head, row, total] = csv.split('\r\n');
  expect(head?.replaceAll('"', '')).toBe(
    'origin,before.count,before.failures,before.failedSessions,before.failedClients,before.timed,before.averageMs,before.medianMs,before.p95Ms,' +
      'after.count,after.failures,after.failedSessions,after.failedClients,after.timed,after.averageMs,after.medianMs,after.p95Ms,' +
      'difference,low,high,certainty,contribution,rate,mix',
  );
  expect(row).toMatch(/^"'=1\+""a""",10,1,1,1,10,300,238,1688,10,2,/);
  expect(total).toMatch(/^,1402,36,/);
});
