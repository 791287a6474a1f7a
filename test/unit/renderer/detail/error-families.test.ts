import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import type { ErrorFamily } from '../../../../src-main/common/model/records/error-family.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import ErrorFamilies from '../../../../src-renderer/screens/detail/errors/ErrorFamilies.vue';
import { toPatternParts } from '../../../../src-renderer/components/errors/pattern-parts.ts';
import { formatNumbers } from '../../../../src-renderer/screens/detail/errors/families.ts';
import type { OpenView } from '../../../../src-renderer/stores/records/records.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const TIMEOUT: ErrorFamily = {
  pattern: 'Service <number> timed out',
  count: 300,
  firstMs: Date.UTC(2026, 10, 20, 8),
  lastMs: Date.UTC(2026, 10, 20, 9, 30),
  channels: [3, 1, 2],
  services: [7],
  responseCodes: [504, 500],
  examples: [
    { text: 'Service 7 timed out', count: 200 },
    { text: '<img src=x>', count: 100 },
  ],
  textCount: 2,
  sessionCount: 2,
  clientCount: 1,
  trend: [0, 100, 200],
};
const REFUSED: ErrorFamily = { ...TIMEOUT, pattern: 'Refused', count: 100, firstMs: null, lastMs: null };
const view: OpenView = {
  viewId: 'view',
  rowCount: 1000,
  isCounted: true,
  totalCount: 1000,
  scope: { snapshotId: 1 },
  filter: { conditions: [{ field: 'channel', values: [1] }] },
  order: [{ column: 'dateMs', descending: true }],
  span: { fromMs: 0, toMs: 1000 },
  zone: 'UTC',
};

async function show(
  families: ErrorFamily[],
  gaps: readonly TimeSpan[] = [],
): Promise<{ screen: VueWrapper; backend: ScriptedBackend }> {
  const backend = new ScriptedBackend({
    'records/find-error-families': () => ({
      families,
      familyCount: families.length,
      errorCount: families.reduce((sum, { count }) => sum + count, 0),
      recordCount: 1000,
    }),
    'records/find-first-seen': () => ({ patterns: ['Refused'] }),
    'records/group-errors': () => {
      const examples = [TIMEOUT.pattern, REFUSED.pattern].map((text) => ({ text, count: 1 }));
      const figures = { ...TIMEOUT, examples };
      const groups = [
        { ...figures, value: 3, count: 250 },
        { ...figures, value: null, count: 50 },
      ];
      return { groups, groupCount: 2, errorCount: 300, recordCount: 1000 };
    },
  });
  const { global } = await provideApplication(backend);
  const screen = mount(ErrorFamilies, {
    props: { view, gaps, grouping: 'errorFamily' },
    global,
  });
  await flushPromises();
  return { screen, backend };
}

describe('the families of errors', () => {
  it('are asked for with the view, the period and the filter of the table, and again when it changes', async () => {
    const { screen, backend } = await show([TIMEOUT]);
    expect(backend.calls.map(({ input }) => input)).toEqual([
      { viewId: view.viewId, scope: view.scope, filter: view.filter, fromMs: 0, toMs: 1000 },
    ]);
    await screen.setProps({ view: { ...view, filter: { conditions: [] } } });
    await flushPromises();
    expect(backend.calls.at(-1)?.input).toMatchObject({ filter: { conditions: [] } });
  });

  it('seen: time that is not cached looked like time without errors', async () => {
    const label = (screen: VueWrapper) => screen.get('[role=img]').attributes('aria-label');
    const { screen } = await show([TIMEOUT], [{ fromMs: 0, toMs: 400 }]);
    expect(screen.findAll('.bar').map((bar) => bar.attributes('data-unknown'))).toEqual([
      'true',
      undefined,
      undefined,
    ]);
    expect(label(screen)).toContain('Part of it is not cached');
    expect(label((await show([TIMEOUT], [{ fromMs: 0, toMs: 300 }])).screen)).not.toContain('not cached');
  });

  it('show count, share of errors, first and last, channels and services', async () => {
    const { screen } = await show([TIMEOUT, REFUSED]);
    const cells = screen.findAll('tbody .row').map((row) => row.findAll('td').map((cell) => cell.text()));
    expect(cells[0]).toEqual([
      '504+1',
      'Service n timed out',
      '300',
      '75.0%',
      '',
      '20 Nov 08:00',
      '20 Nov 09:30',
      '1–3',
      '7',
      '',
    ]);
    expect(cells[1]?.slice(2, 7)).toEqual(['100', '25.0%', '', '', '']);
  });

  it('filter the table to one of them with one click', async () => {
    const { screen } = await show([TIMEOUT]);
    await screen.get('tbody [aria-label="Filter to these 300"]').trigger('click');
    const own = { field: 'errorFamily', values: [TIMEOUT.pattern] };
    expect(screen.emitted('filter')).toEqual([[{ conditions: [...view.filter.conditions, own] }]]);
  });

  it('unfold one at a time to their texts, which stay text, and to their share of the records', async () => {
    const { screen } = await show([TIMEOUT, REFUSED]);
    const toggles = screen.findAll('[aria-expanded]');
    await toggles[0]!.trigger('click');
    expect(screen.get('.below').text()).toContain('<img src=x>');
    expect(screen.get('.below').text()).toContain('30.00%');
    expect(screen.find('.below img').exists()).toBe(false);
    await toggles[1]!.trigger('click');
    expect(screen.findAll('.below')).toHaveLength(1);
    expect(toggles.map((toggle) => toggle.attributes('aria-expanded'))).toEqual(['false', 'true']);
    await screen
      .findAll('.below button')
      .find((button) => button.text() === 'Open family')!
      .trigger('click');
    expect(screen.emitted('open')).toEqual([[REFUSED.pattern]]);
    const not = screen.findAll('.below button').find((button) => button.text() === 'Exclude');
    await not!.trigger('click');
    const own = { field: 'errorFamily', values: [REFUSED.pattern], exclude: true };
    expect(screen.emitted('filter')).toEqual([[{ conditions: [...view.filter.conditions, own] }]]);
  });

  it('are new where nothing cached before the period has them', async () => {
    const { screen, backend } = await show([TIMEOUT, REFUSED]);
    // A snapshot by itself says nothing of what was before.
    expect(backend.countCalls('records/find-first-seen')).toBe(0);
    const scope = { connectionId: 'one', report: 'inbound-detail' as const, fromMs: 0, toMs: 1000 };
    await screen.setProps({ view: { ...view, scope } });
    await flushPromises();
    expect(backend.calls.at(-1)?.input).toEqual({ scope, patterns: [TIMEOUT.pattern, 'Refused'] });
    expect(screen.findAll('tbody .row').map((row) => row.find('.new').exists())).toEqual([false, true]);
  });

  it('are grouped by code, channel or service as well, each with its most frequent family', async () => {
    const { screen, backend } = await show([TIMEOUT]);
    await screen.setProps({ grouping: 'channel' });
    await flushPromises();
    expect(backend.calls.at(-1)).toMatchObject({ name: 'records/group-errors', input: { by: 'channel' } });
    const cells = screen.findAll('tbody .row').map((row) => row.findAll('td').map((cell) => cell.text()));
    expect(cells.map((row) => row.slice(0, 4))).toEqual([
      ['504+1', '3Service n timed out+1', '250', '83.3%'],
      ['504+1', '(empty)Service n timed out+1', '50', '16.7%'],
    ]);
    await screen.findAll('[aria-expanded]')[0]!.trigger('click');
    expect(screen.get('.below').text()).toContain('2 families of errors');
    await screen.findAll('.below button')[0]!.trigger('click');
    // Other records of the channel have no error.
    expect(screen.emitted('filter')?.at(-1)).toEqual([
      {
        conditions: [
          { field: 'channel', values: [3] },
          { field: 'errorFamily', values: [''], exclude: true },
        ],
      },
    ]);
    await screen.findAll('.below button')[2]!.trigger('click');
    expect(screen.emitted('alert')).toEqual(screen.emitted('filter'));
  });

  it('say so where no record has an error', async () => {
    const { screen } = await show([]);
    expect(screen.text()).toContain('No errors');
  });
});

describe('the words of a family', () => {
  it('part what varies from what stays', () => {
    expect(toPatternParts('<id> at <address>: <b>')).toEqual([
      { folded: 'id' },
      { text: ' at ' },
      { folded: 'address' },
      { text: ': <b>' },
    ]);
  });

  it.each([
    [[], ''],
    [[7], '7'],
    [[3, 1, 2, 7, 9, 8], '1–3, 7–9'],
    [[4, 5, 9], '4, 5, 9'],
  ])('write the numbers %j as %j', (numbers, text) => {
    expect(formatNumbers(numbers)).toBe(text);
  });
});
