import { describe, expect, it } from 'vitest';
import type { SummaryGroup } from '../../../../src-main/common/model/records/histogram.ts';
import {
  findDifferences,
  toTolerances,
  type Circumstances,
  type ReconcilableGroup,
} from '../../../../src-main/core/analysis/find-differences.ts';
import { findObstacle } from '../../../../src-main/core/summaries/summaries.ts';

const CALM: Circumstances = {
  hasGaps: false,
  isFetchedEarlier: false,
  isUnsettled: false,
  setAside: 0,
  hasUnreadValues: false,
};

function makeReported(change: Partial<SummaryGroup> = {}): SummaryGroup {
  return {
    sessionId: 's',
    channel: 3,
    service: 7,
    origin: 'web',
    responseCode: 504,
    count: 100,
    averageResponseTimeMs: 250.125,
    averageBotLatencyMs: 40,
    ...change,
  };
}

function makeComputed(change: Partial<ReconcilableGroup> = {}): ReconcilableGroup {
  return {
    channel: 3,
    service: 7,
    origin: 'web',
    responseCode: 504,
    count: 100,
    averageResponseTimeMs: 250.1254,
    averageBotLatencyMs: 40.4,
    untimed: { averageResponseTimeMs: 0, averageBotLatencyMs: 0 },
    firstSecond: 0,
    lastSecond: 0,
    later: 0,
    undated: 0,
    ...change,
  };
}

function explain(
  reported: Partial<SummaryGroup>,
  computed: Partial<ReconcilableGroup>,
  circumstances: Partial<Circumstances> = {},
) {
  const [difference] = findDifferences([makeReported(reported)], [makeComputed(computed)], {
    ...CALM,
    ...circumstances,
  }).differences;
  return { reasons: difference?.reasons, isExplained: difference?.isExplained };
}

describe('groups of both summaries', () => {
  it('are equal within a step of the last decimal that the service gives', () => {
    const long = makeReported({ averageResponseTimeMs: 1 / 3 });
    expect(toTolerances([long]).averageResponseTimeMs).toBe(0.001);
    expect(toTolerances([makeReported()])).toEqual({ averageResponseTimeMs: 0.001, averageBotLatencyMs: 1 });
    expect(findDifferences([makeReported()], [makeComputed()], CALM)).toEqual({
      differences: [],
      groupCount: 1,
    });
    const off = makeComputed({ averageResponseTimeMs: 250.2 });
    expect(findDifferences([makeReported()], [off], CALM).differences[0]?.figures).toEqual([
      { name: 'averageResponseTimeMs', reported: 250.125, computed: 250.2 },
    ]);
  });

  it('are joined where the service reports one twice, averages by their counts', () => {
    const pieces = [
      makeReported({ count: 60, averageResponseTimeMs: 100, averageBotLatencyMs: 10 }),
      makeReported({ count: 40, averageResponseTimeMs: 200, averageBotLatencyMs: 20 }),
    ];
    const whole = makeComputed({ averageResponseTimeMs: 140, averageBotLatencyMs: 14 });
    expect(findDifferences(pieces, [whole], CALM).differences).toEqual([]);
    const [short] = findDifferences(pieces, [{ ...whole, count: 60 }], CALM).differences;
    expect(short?.reasons).toContainEqual({ code: 'reported-twice', count: 2 });
  });

  it('count as nothing where one side lacks them, the largest difference first', () => {
    const { differences, groupCount } = findDifferences(
      [makeReported({ channel: 1, count: 5 })],
      [makeComputed({ channel: 2, count: 9 })],
      CALM,
    );
    expect(groupCount).toBe(2);
    expect(differences.map(({ channel, figures }) => [channel, figures])).toEqual([
      [2, [{ name: 'count', reported: 0, computed: 9 }]],
      [1, [{ name: 'count', reported: 5, computed: 0 }]],
    ]);
  });

  it('take an empty origin for none, and no average for 0', () => {
    const reported = makeReported({ origin: null, averageBotLatencyMs: 0 });
    const computed = makeComputed({ origin: '', averageBotLatencyMs: null });
    expect(findDifferences([reported], [computed], CALM).differences).toEqual([]);
  });
});

describe('a difference', () => {
  it('is explained where one kind of records makes it up', () => {
    const later = { count: 112, later: 12, lastSecond: 3 };
    expect(explain({}, later)).toEqual({
      reasons: [{ code: 'later-records', count: 12 }],
      isExplained: true,
    });
    expect(explain({}, { count: 103, lastSecond: 3, firstSecond: 2 })).toEqual({
      reasons: [{ code: 'last-second', count: 3 }],
      isExplained: true,
    });
    expect(explain({}, { count: 105, lastSecond: 3, firstSecond: 2 })).toMatchObject({ isExplained: true });
    expect(explain({}, { count: 101, undated: 1 })).toMatchObject({
      reasons: [{ code: 'undated', count: 1 }],
    });
  });

  it('has only possible reasons otherwise, and none where nothing is known', () => {
    expect(explain({}, { count: 120, later: 3 }, { isUnsettled: true })).toEqual({
      reasons: [
        { code: 'later-records', count: 3 },
        { code: 'not-settled', count: null },
      ],
      isExplained: false,
    });
    expect(explain({}, { count: 120 })).toEqual({ reasons: [], isExplained: false });
  });

  it('of missing records names gaps, late ones, entries set aside and values not understood', () => {
    const circumstances = { hasGaps: true, isFetchedEarlier: true, setAside: 4, hasUnreadValues: true };
    expect(explain({}, { count: 90 }, circumstances).reasons).toEqual([
      { code: 'gaps', count: null },
      { code: 'fetched-earlier', count: null },
      { code: 'set-aside', count: 4 },
      { code: 'unread-values', count: null },
    ]);
    expect(explain({ responseCode: null }, { responseCode: null, count: 90 }).reasons).toEqual([
      { code: 'unread-values', count: null },
    ]);
  });

  it('of averages is explained by records without the figure where they would make it up as 0', () => {
    const untimed = { averageResponseTimeMs: 0, averageBotLatencyMs: 50 };
    expect(explain({ averageBotLatencyMs: 20 }, { averageBotLatencyMs: 40.4, untimed })).toEqual({
      reasons: [{ code: 'untimed', count: 50 }],
      isExplained: true,
    });
    expect(explain({ averageBotLatencyMs: 30 }, { averageBotLatencyMs: 40.4, untimed })).toEqual({
      reasons: [{ code: 'untimed', count: 50 }],
      isExplained: false,
    });
  });
});

describe('what forbids to compare', () => {
  const period = { fromMs: 0, toMs: 100 };
  const inbound = { report: 'inbound-summary', state: 'complete', remarks: [] } as const;
  const onlyInbound = { ...inbound, remarks: [{ code: 'answer-has-inbound-only' }] };

  it.each([
    ['nothing', inbound, { parts: 1, groups: 1 }, [], null],
    [
      'a summary read in part',
      { ...inbound, state: 'incomplete' as const },
      { parts: 1, groups: 1 },
      [],
      'summary-incomplete',
    ],
    [
      'inbound groups alone, for outbound',
      { ...onlyInbound, report: 'outbound-summary' as const },
      { parts: 1, groups: 1 },
      [],
      'inbound-only',
    ],
    [
      'nothing, where no outbound request was cached of the whole period either',
      { ...onlyInbound, report: 'outbound-summary' as const },
      { parts: 1, groups: 0 },
      [],
      null,
    ],
    [
      'inbound groups alone, where a gap may hold outbound requests',
      { ...onlyInbound, report: 'outbound-summary' as const },
      { parts: 1, groups: 0 },
      [{ fromMs: 20, toMs: 40 }],
      'inbound-only',
    ],
    ['nothing, for inbound', onlyInbound, { parts: 1, groups: 1 }, [], null],
    ['no records', inbound, { parts: 0, groups: 0 }, [{ fromMs: 0, toMs: 100 }], 'nothing-cached'],
    ['a gap inside', inbound, { parts: 1, groups: 1 }, [{ fromMs: 20, toMs: 40 }], 'gaps'],
    ['a gap at the end', inbound, { parts: 1, groups: 1 }, [{ fromMs: 90, toMs: 100 }], 'cached-until'],
    [
      'two gaps',
      inbound,
      { parts: 1, groups: 1 },
      [
        { fromMs: 0, toMs: 10 },
        { fromMs: 90, toMs: 100 },
      ],
      'gaps',
    ],
  ] as const)('is named: %s', (_name, reported, cached, gaps, obstacle) => {
    expect(findObstacle({ ...reported, remarks: [...reported.remarks] }, cached, gaps, period)).toBe(
      obstacle,
    );
  });
});
