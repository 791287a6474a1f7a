import { mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import type { Reconciliation } from '../../../../src-main/common/model/analysis/comparison.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import ReconcileBadge from '../../../../src-renderer/screens/summary/reconcile/ReconcileBadge.vue';
import { toGroupDifferences } from '../../../../src-renderer/screens/summary/summary.ts';
import { makeDifferingGroup, makeReconciliation } from './make-reconciliation.ts';
import { surround } from '../support/surround.ts';

let badge: VueWrapper;
afterEach(() => badge.unmount());

/** Shows the badge and opens what is behind it. */
async function open(change: Partial<Reconciliation>): Promise<string> {
  badge = mount(ReconcileBadge, {
    props: {
      reconciliation: makeReconciliation(change),
      busy: false,
      error: null,
    },
    global: surround({ plugins: [createMessages()] }, { nowMs: Date.UTC(2026, 10, 20, 15) }),
    attachTo: document.body,
  });
  await badge.get('.badge').trigger('click');
  return panel()?.textContent ?? '';
}
const panel = (): Element | null => document.querySelector('.panel');
const textsOf = (selector: string): string[] =>
  [...(panel()?.querySelectorAll(selector) ?? [])].map((cell) => cell.textContent.trim());

describe('the badge of a reported summary', () => {
  it('says what was compared where everything agrees, and how exactly', async () => {
    const text = await open({});
    expect(badge.get('.badge').text()).toBe('Matches');
    expect(text).toContain('Counts and averages of all 192 groups agree.');
    expect(text).toContain('within 0.001 ms (response) and 1 ms (bot latency)');
    expect(text).toContain('Summary fetched 14:00:00, records 13:58:00.');
    expect(panel()?.querySelector('button')).toBeNull();
  });

  it('is not glad where neither side has a request', async () => {
    const text = await open({ groupCount: 0 });
    expect(badge.get('.badge').text()).toBe('No requests');
    expect(badge.get('.badge').attributes('data-kind')).toBe('empty');
    expect(text).toContain('The summary has no groups');
    expect(text).not.toContain('within');
  });

  it('shows each differing figure with both values and why, and leads to the records', async () => {
    await open({
      verdict: 'differs',
      differenceCount: 2,
      differences: [
        makeDifferingGroup({
          figures: [
            { name: 'count', reported: 1231, computed: 1269 },
            { name: 'averageResponseTimeMs', reported: 583, computed: 580.25 },
          ],
          reasons: [{ code: 'later-records', count: 38 }],
          isExplained: true,
        }),
        makeDifferingGroup({ responseCode: null, origin: '<b>' }),
      ],
    });
    expect(badge.get('.badge').text()).toBe('2 groups differ');
    expect(textsOf('tbody tr').map((row) => row.replaceAll(/\s+/g, ' '))).toHaveLength(3);
    expect(textsOf('td.right')).toEqual([
      '1,231',
      '1,269',
      '+38',
      '583 ms',
      '580.25 ms',
      '−2.75 ms',
      '109',
      '105',
      '−4',
    ]);
    expect(textsOf('.why')).toEqual(['38 records are dated after the summary was fetched', 'Not known']);
    expect(textsOf('tbody th')).toEqual(['3 / 7 / web / 502', '3 / 7 / <b> / –']);
    panel()?.querySelector<HTMLButtonElement>('tbody button')?.click();
    expect(badge.emitted('pick')).toEqual([
      [
        [
          { field: 'channel', values: [3] },
          { field: 'service', values: [7] },
          { field: 'origin', values: ['web'] },
          { field: 'responseCode', values: [502] },
        ],
      ],
    ]);
  });

  it('never says that it matches what can’t be compared, but why, and fetches what is missing', async () => {
    const fromMs = Date.UTC(2026, 10, 20, 9);
    const text = await open({
      verdict: 'not-comparable',
      obstacle: 'gaps',
      gaps: [{ fromMs, toMs: fromMs + 600_000 }],
      missingMs: 600_000,
      differenceCount: 1,
      differences: [makeDifferingGroup({ reasons: [{ code: 'gaps', count: null }] })],
    });
    expect(badge.get('.badge').text()).toBe('Not all cached');
    expect(text).toContain('10 min of the period is not cached');
    expect(text).toContain('09:00:00 – 09:10:00');
    expect(text).toContain('Possibly: records of the time that is not cached');
    panel()?.querySelector<HTMLButtonElement>('button')?.click();
    expect(badge.emitted('fetch')).toHaveLength(1);
  });

  it.each([
    ['inbound-only', "Can't be compared", 'The service returned inbound groups only', false],
    ['summary-incomplete', "Can't be compared", 'not read to the end', false],
    ['nothing-cached', 'Not cached', 'No records of the period are cached.', true],
  ] as const)('has words for %s', async (obstacle, title, sentence, canFetch) => {
    const text = await open({ verdict: 'not-comparable', obstacle, cachedAtMs: null });
    expect(badge.get('.badge').text()).toBe(title);
    expect(text).toContain(sentence);
    expect(panel()?.querySelector('button') !== null).toBe(canFetch);
  });
});

describe('the differences beside the groups', () => {
  it('are those of the counts, and unknown where the sides can’t be compared', () => {
    const average = { name: 'averageResponseTimeMs' as const, reported: 1, computed: 2 };
    const differences = [
      makeDifferingGroup(),
      makeDifferingGroup({ responseCode: 200, origin: null, figures: [average] }),
    ];
    expect(toGroupDifferences(makeReconciliation({ differences }))).toEqual([
      { key: '[3,7,"web",502]', difference: -4 },
    ]);
    expect(toGroupDifferences(makeReconciliation({ obstacle: 'gaps', differences }))).toBeNull();
  });
});
