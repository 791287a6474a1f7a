import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SummaryGroup } from '../../../../src-main/common/model/records/histogram.ts';
import { formatSigned } from '../../../../src-renderer/format/formats.ts';
import {
  restrictGroups,
  toConditions,
  toMeasureBars,
} from '../../../../src-renderer/screens/summary/groups/group-words.ts';
import {
  fromMeasuredGroup,
  fromSummaryGroup,
  joinFigures,
  toErrorInterval,
  toErrorShare,
} from '../../../../src-renderer/screens/summary/groups/group-figures.ts';
import {
  createGroupFilter,
  toGroupTable,
  toShareParts,
  type SecondLevel,
  type SortState,
} from '../../../../src-renderer/screens/summary/groups/group-rows.ts';
import type { GroupField, MeasuredGroup } from '../../../../src-main/common/model/analysis/grouping.ts';
import {
  createOutcomeDecider,
  DEFAULT_RULES,
  splitForSummaries,
} from '../../../../src-main/common/reporting/outcome.ts';

const { usable } = splitForSummaries(DEFAULT_RULES);
const toReportedGroup = (summary: SummaryGroup) => fromSummaryGroup(summary, createOutcomeDecider(usable));

function group(channel: number, service: number, responseCode: number | null, count: number): SummaryGroup {
  return {
    channel,
    service,
    origin: 'web',
    responseCode,
    count,
    averageResponseTimeMs: responseCode,
    averageBotLatencyMs: null,
    sessionId: '',
  };
}

interface Choice {
  by?: GroupField;
  then?: SecondLevel;
  sort?: SortState | null;
  text?: string;
}

function toTable(
  groups: readonly SummaryGroup[],
  { by = 'channel', then = 'every', sort = null, text = '' }: Choice = {},
) {
  const matches = createGroupFilter(text);
  return toGroupTable({
    groups: groups.map(toReportedGroup),
    wholes: null,
    total: null,
    by,
    then,
    sort,
    matches,
  });
}

const times = (averageMs: number, medianMs: number | null, maxMs: number | null = null) => ({
  count: 10,
  averageMs,
  medianMs,
  p90Ms: medianMs,
  p95Ms: medianMs,
  p99Ms: medianMs,
  maxMs,
});

/** As the engine measures it, by channel and service. */
function measured(key: (number | null)[], count: number, medianMs: number) {
  const none = {
    count: 0,
    averageMs: null,
    medianMs: null,
    p90Ms: null,
    p95Ms: null,
    p99Ms: null,
    maxMs: null,
  };
  const response = times(medianMs, medianMs, medianMs);
  return {
    key,
    count,
    outcomeCounts: [],
    classCounts: [count, 0, 0, 0, 0],
    failures: 0,
    failedSessions: 0,
    failedClients: 0,
    perFailure: 1,
    response,
    botLatency: none,
    firstMs: null,
    lastMs: null,
  };
}

describe('summary rows', () => {
  const groups = [
    group(3, 7, 200, 6_060),
    group(3, 4, 200, 2_000),
    group(3, 7, 504, 1_500),
    group(3, 7, 502, 40),
    group(1, 7, 200, 400),
  ];

  it('joins a channel and weighs its average', () => {
    const [first] = toTable(groups).rows;
    expect(first).toMatchObject({ value: 3, group: { count: 9_600 } });
    expect(first?.distinct).toEqual({ service: [4, 7], origin: ['web'], responseCode: [200, 502, 504] });
    expect(first?.share).toBeCloseTo(0.96);
    expect(toErrorShare(first!.group)).toBeCloseTo(1_540 / 9_600);
    expect(first?.group.response.averageMs).toBeCloseTo((8_060 * 200 + 1_500 * 504 + 40 * 502) / 9_600);
    expect(first?.group.botLatency.averageMs).toBeNull();
  });

  it('decision 32, client: an average is weighted by count, and lies between the smallest and the largest', () => {
    const timed = fc.record({
      count: fc.integer({ min: 1, max: 10_000 }),
      averageResponseTimeMs: fc.integer({ min: 0 }),
    });
    fc.assert(
      fc.property(fc.array(timed, { minLength: 1 }), (drawn) => {
        const joined = joinFigures(drawn.map((one) => toReportedGroup({ ...group(1, 1, 200, 1), ...one })));
        const averages = drawn.map((one) => one.averageResponseTimeMs);
        expect(joined.response.averageMs).toBeGreaterThanOrEqual(Math.min(...averages) - 1e-3);
        expect(joined.response.averageMs).toBeLessThanOrEqual(Math.max(...averages) * (1 + 1e-9) + 1e-3);
      }),
    );
    const pair = [{ ...group(1, 1, 100, 999) }, group(1, 1, 10_100, 1), group(1, 1, null, 50)];
    expect(joinFigures(pair.map(toReportedGroup)).response.averageMs).toBe(110);
  });

  it('puts tinted errors first, then larger counts', () => {
    expect(toTable(groups).rows[0]?.leaves.map((leaf) => leaf.group.count)).toEqual([
      1_500, 40, 6_060, 2_000,
    ]);
  });

  it('seen: the same number of errors tinted in one channel and not in another', () => {
    const both = [
      group(5, 1, 200, 900),
      group(5, 1, 500, 20),
      group(6, 1, 200, 90_000),
      group(6, 1, 500, 20),
    ];
    const tinted = (all: SummaryGroup[]): boolean[] =>
      toTable(all).rows.flatMap(({ leaves }) =>
        leaves.filter(({ group: one }) => one.failures > 0).map(({ isTinted }) => isTinted),
      );
    expect(tinted(both)).toEqual([false, false]);
    expect(tinted(both.map((one) => (one.responseCode === 500 ? { ...one, count: 60 } : one)))).toEqual([
      true,
      true,
    ]);
    // A word in the field changes what is shown, not what it is measured by.
    expect(toTable(both, { text: '500' }).rows[0]?.leaves[0]?.isTinted).toBe(false);
  });

  it('groups by any field, in one or two levels', () => {
    const lines = (choice: Choice): unknown[] =>
      toTable(groups, choice).rows.map(({ value, group: { count }, leaves }) => [
        value,
        count,
        leaves.map((leaf) => leaf.group.count),
      ]);
    expect(lines({ by: 'service', then: 'channel' })).toEqual([
      [7, 8_000, [7_600, 400]],
      [4, 2_000, [2_000]],
    ]);
    expect(lines({ by: 'responseCode', then: 'none' })).toEqual([
      [200, 8_460, []],
      [504, 1_500, []],
      [502, 40, []],
    ]);
  });

  it('sorts by any column in both directions, what is unknown last', () => {
    const some = [...groups, { ...group(2, 1, 200, 5), averageResponseTimeMs: null }];
    const order = (column: SortState['column'], isDescending: boolean): unknown[] =>
      toTable(some, { sort: { column, isDescending } }).rows.map(({ value }) => value);
    expect(order('channel', false)).toEqual([1, 2, 3]);
    expect(order('channel', true)).toEqual([3, 2, 1]);
    expect(order('errors', true)).toEqual([3, 1, 2]);
    expect(order('response', true)).toEqual([3, 1, 2]);
    expect(order('response', false)).toEqual([1, 3, 2]);
    // Many services have no order: the rows stay as they were, and their groups are ordered.
    expect(order('service', false)).toEqual([3, 1, 2]);
    const services = toTable(groups, { sort: { column: 'service', isDescending: false } }).rows[0]?.leaves;
    expect(services?.map((leaf) => leaf.group.values.service)).toEqual([4, 7, 7, 7]);
  });

  it('keeps what the engine measured, and invents no percentile where only a part of it is shown', () => {
    const by = ['channel', 'service'] as const;
    const fine = [measured([1, 7], 10, 100), measured([1, 4], 30, 400), measured([2, 7], 5, 50)];
    const wholes = [measured([1], 40, 333), measured([2], 5, 50)];
    const total = fromMeasuredGroup(measured([], 45, 300), []);
    const show = (text: string) =>
      toGroupTable({
        groups: fine.map((one) => fromMeasuredGroup(one, by)),
        wholes: wholes.map((one) => fromMeasuredGroup(one, ['channel'])),
        total,
        by: 'channel',
        then: 'service',
        sort: null,
        matches: createGroupFilter(text),
      });
    expect(show('').rows.map((row) => row.group.response.medianMs)).toEqual([333, 50]);
    expect(show('').total.response.medianMs).toBe(300);
    expect(show('7').rows.map((row) => [row.group.count, row.group.response.medianMs])).toEqual([
      [10, 100],
      [5, 50],
    ]);
    expect(show('7').total.response).toMatchObject({
      averageMs: 75,
      medianMs: null,
      p95Ms: null,
      maxMs: 100,
    });
  });

  it('says whom failures hit only where it is known, and widens their range by sessions that fail together', () => {
    const failing = (key: number, failures: number, perFailure: number) => ({
      ...measured([key], 1000, 10),
      failures,
      failedSessions: failures / 5,
      failedClients: failures / 10,
      perFailure,
    });
    const toGroup = (one: MeasuredGroup) => fromMeasuredGroup(one, ['channel']);
    const alone = toErrorInterval(toGroup(failing(1, 50, 1)));
    const together = toErrorInterval(toGroup(failing(1, 50, 5)));
    expect([alone?.low, alone?.high]).toEqual([expect.closeTo(0.0381, 4), expect.closeTo(0.0653, 4)]);
    expect(together?.low).toBeLessThan(alone?.low ?? 0);
    expect(together?.high).toBeGreaterThan(alone?.high ?? 1);
    // The same sessions may have failed in both; a group without a failure adds nobody.
    const joined = joinFigures([toGroup(failing(1, 50, 1)), toGroup(failing(2, 50, 1))]);
    expect([joined.hit, toErrorInterval(joined)]).toEqual([null, null]);
    const withFine = joinFigures([toGroup(failing(1, 50, 1)), toGroup(failing(2, 0, 1))]);
    expect(withFine.hit?.failedSessions).toBe(10);
  });

  it('filters by channel, code, class and origin', () => {
    const count = (text: string): number =>
      groups.map(toReportedGroup).filter(createGroupFilter(text)).length;
    expect(['5xx', '3 504', 'WEB', 'sms', ''].map(count)).toEqual([2, 1, 5, 0, 5]);
  });

  it('keeps the groups of the channels and services that an address names', () => {
    const on = (field: 'channel' | 'service', values: number[]) => ({ field, values });
    const named = [group(1, 2, 200, 5), group(1, 3, 200, 5), group(2, 2, 200, 5)];
    expect(restrictGroups(named, { conditions: [on('channel', [1]), on('service', [2])] })).toEqual(
      named.slice(0, 1),
    );
    expect(restrictGroups(named, { conditions: [on('service', [2, 9])] })).toHaveLength(2);
    expect(restrictGroups(named, { conditions: [{ field: 'channel', min: 2 }] })).toEqual(named.slice(2));
    expect(restrictGroups(named, { conditions: [{ ...on('service', [2]), exclude: true }] })).toEqual([
      named[1],
    ]);
    expect(restrictGroups(named, { conditions: [{ field: 'error', text: 'x' }] })).toEqual(named);
    expect(restrictGroups(named, { conditions: [] })).toEqual(named);
  });

  it('decision 40, client: leads to the records of a group: no code is a class, nothing is nothing where records were measured', () => {
    const bare = toReportedGroup({ ...group(3, 7, null, 1), channel: null, origin: null });
    const service = { field: 'service', values: [7] };
    const none = { field: 'responseCode', classes: ['none'] };
    expect(toConditions(bare, false)).toEqual([service, none]);
    const family = fromMeasuredGroup(measured([7, null], 5, 1), ['service', 'errorFamily']);
    expect(toConditions(family, true)).toEqual([service, { field: 'errorFamily', values: [null] }]);
    // A code that isn't of HTTP, such as -1, is a code: the class has it too.
    const codeless = fromMeasuredGroup(measured([7, null], 5, 1), ['service', 'responseCode']);
    expect(toConditions(codeless, true)).toEqual([service, { field: 'responseCode', values: [null] }]);
  });

  it('draws medians where they are known, else averages, the longest first', () => {
    const bars = toMeasureBars(
      [1, 2].map((key) => fromMeasuredGroup(measured([key], 4, key * 10), ['service'])),
      'service',
      'response',
    );
    expect(bars.map(({ value, length, p95Ms }) => [value, length, p95Ms])).toEqual([
      [2, 20, 20],
      [1, 10, 10],
    ]);
    const shares = toMeasureBars(groups.map(toReportedGroup), 'origin', 'errorShare');
    expect(shares.map(({ length }) => length)).toEqual([1, 1, 0, 0, 0]);
    expect(toMeasureBars(groups.map(toReportedGroup), 'service', 'latency')).toEqual([]);
  });

  it('draws shares against the widest row', () => {
    expect(toShareParts([50, 0, 0, 25, 0], 100)).toEqual([
      { codeClass: '2xx', share: 0.5 },
      { codeClass: '5xx', share: 0.25 },
    ]);
    expect(toShareParts([1], 0)).toEqual([]);
  });
});

it('writes differences with their sign', () => {
  expect([38, -4, 0, 1200].map((value) => formatSigned(value))).toEqual(['+38', '−4', '0', '+1,200']);
});
