import { describe, expect, it } from 'vitest';
import { toTrendHeights } from '../../../../src-renderer/charts/trend-heights.ts';
import {
  roundFactor,
  toAttentionState,
  toAttentionWords,
  type Attention,
} from '../../../../src-renderer/screens/overview/attention/attention-words.ts';

const item: Attention = {
  kind: 'errors-up',
  direction: 'inbound',
  channel: 3,
  service: 7,
  recent: 0.12,
  usual: 0.02,
  count: 1612,
  sinceMs: 1000,
  untilMs: 5000,
  trend: [0, 1, 4],
};

describe('attention words', () => {
  it('opens the failing records of the pair and of the time', () => {
    const words = toAttentionWords(item);
    expect(words).toMatchObject({ title: 'errorsUp', place: 'pair', link: 'openDetail' });
    expect(words.factor).toBeCloseTo(6);
    expect(words.target).toEqual({
      path: '/inbound/detail',
      query: {
        q: 'code:4xx,5xx channel:3 service:7 date:1970-01-01T00:00:01..1970-01-01T00:00:05',
      },
    });
  });

  it('does not divide by nothing where errors were unknown before', () => {
    expect(toAttentionWords({ ...item, usual: 0 })).toMatchObject({ title: 'errorsNew', factor: null });
  });

  it('opens the outbound summary for what became slower', () => {
    const words = toAttentionWords({ ...item, kind: 'slower', direction: 'outbound', service: null });
    expect(words).toMatchObject({ title: 'slower', place: 'channel', link: 'openSummary' });
    expect(words.target).toMatchObject({
      path: '/outbound/summary',
      query: { q: expect.stringMatching(/^channel:3 date:/) as string },
    });
  });

  it('names all traffic when neither channel nor service is known', () => {
    expect(toAttentionWords({ ...item, channel: null, service: null }).place).toBe('all');
    expect(toAttentionWords({ ...item, channel: null }).place).toBe('service');
  });

  it('rounds factors to what can be said', () => {
    expect([1.84, 2.96, 6.2, 5000].map(roundFactor)).toEqual([1.8, 3, 6, 100]);
  });

  it('keeps the smallest bar visible and leaves out what was zero', () => {
    expect(toTrendHeights([0, 1, 1000])).toEqual([0, 0.08, 1]);
    expect(toTrendHeights([0, 0])).toEqual([0, 0]);
  });
});

describe('state of the attention panel', () => {
  it('tells "nothing cached", "learning" and "nothing stands out" apart', () => {
    expect(toAttentionState(0, 0)).toBe('no-records');
    expect(toAttentionState(0, 1.5)).toBe('learning');
    expect(toAttentionState(0, 12)).toBe('calm');
    expect(toAttentionState(1, 1.5)).toBe('items');
  });
});
