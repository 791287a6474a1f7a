import { describe, expect, it } from 'vitest';
import type { SummaryGroup } from '../../../../src-main/common/model/summary.ts';
import { formatSigned } from '../../../../src-renderer/screens/summary/format-signed.ts';
import { findDifferences } from '../../../../src-renderer/screens/summary/summary-differences.ts';
import {
  filterGroups,
  restrictGroups,
  toShareParts,
  toSummaryRows,
} from '../../../../src-renderer/screens/summary/summary-rows.ts';

function group(channel: number, service: number, responseCode: number, count: number): SummaryGroup {
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

describe('summary rows', () => {
  const groups = [
    group(3, 7, 200, 6_060),
    group(3, 4, 200, 2_000),
    group(3, 7, 504, 1_500),
    group(3, 7, 502, 40),
    group(1, 7, 200, 400),
  ];

  it('joins a channel and weighs its average', () => {
    const [first] = toSummaryRows(groups, 'channel');
    expect(first).toMatchObject({ value: 3, others: [4, 7], origins: ['web'], codeCount: 3, count: 9_600 });
    expect(first?.share).toBeCloseTo(0.96);
    expect(first?.errorShare).toBeCloseTo(1_540 / 9_600);
    expect(first?.averageResponseTimeMs).toBeCloseTo((8_060 * 200 + 1_500 * 504 + 40 * 502) / 9_600);
    expect(first?.averageBotLatencyMs).toBeNull();
  });

  it('puts large errors first, then larger counts', () => {
    const codes = toSummaryRows(groups, 'channel')[0]?.leaves.map((leaf) => leaf.group.count);
    expect(codes).toEqual([1_500, 6_060, 2_000, 40]);
  });

  it('measures an error by its row, so that a quiet channel shows its own', () => {
    const quiet = [group(5, 1, 200, 900), group(5, 1, 500, 20), group(5, 1, 404, 4)];
    expect(toSummaryRows(quiet, 'channel')[0]?.leaves.map((leaf) => leaf.prominent)).toEqual([
      true,
      false,
      false,
    ]);
    const busy = [group(5, 1, 200, 90_000), group(5, 1, 500, 20)];
    expect(toSummaryRows(busy, 'channel')[0]?.leaves.map((leaf) => leaf.prominent)).toEqual([false, false]);
  });

  it('groups by service too', () => {
    expect(toSummaryRows(groups, 'service').map((row) => [row.value, row.count])).toEqual([
      [7, 8_000],
      [4, 2_000],
    ]);
  });

  it('filters by channel, code, class and origin', () => {
    expect(filterGroups(groups, '5xx')).toHaveLength(2);
    expect(filterGroups(groups, '3 504')).toHaveLength(1);
    expect(filterGroups(groups, 'WEB')).toHaveLength(5);
    expect(filterGroups(groups, 'sms')).toEqual([]);
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

  it('draws shares against the widest row', () => {
    expect(toShareParts([50, 0, 0, 25, 0], 100)).toEqual([
      { codeClass: '2xx', share: 0.5 },
      { codeClass: '5xx', share: 0.25 },
    ]);
    expect(toShareParts([1], 0)).toEqual([]);
  });
});

describe('reported against cached', () => {
  it('finds no difference in equal numbers, whatever the order', () => {
    const reported = [group(1, 2, 200, 5), group(1, 2, 504, 6)];
    expect(findDifferences(reported, [...reported].reverse())).toEqual([]);
  });

  it('names groups that differ or that one side lacks, largest first', () => {
    const reported = [group(1, 2, 200, 5), group(1, 2, 502, 9)];
    const computed = [group(1, 2, 200, 6), group(1, 2, 504, 3)];
    expect(findDifferences(reported, computed).map((one) => [one.responseCode, one.difference])).toEqual([
      [502, -9],
      [504, 3],
      [200, 1],
    ]);
  });

  it('writes differences with their sign', () => {
    expect([38, -4, 0, 1200].map(formatSigned)).toEqual(['+38', '−4', '0', '+1,200']);
  });
});
