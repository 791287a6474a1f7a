import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { FamilyChange } from '../../../../src-main/common/model/connections/family-changes.ts';
import type { FamilyPage } from '../../../../src-main/common/model/records/error-family.ts';
import type { Connection } from '../../../../src-main/common/model/connections/connection.ts';
import { DEFAULT_RULES } from '../../../../src-main/common/reporting/outcome.ts';
import { caseDoorKey, type CaseOffer } from '../../../../src-renderer/composables/surroundings.ts';
import FamilyScreen from '../../../../src-renderer/screens/family/FamilyScreen.vue';
import FamilyNotice from '../../../../src-renderer/shell/FamilyNotice.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const FIRST_MS = Date.UTC(2026, 10, 22, 14, 7);
const PAGE: FamilyPage = {
  family: 'Paused',
  parts: ["Template '", "' is paused for ", ' hours, trace ', ''],
  variables: [
    {
      name: 'template',
      valueCount: 6,
      values: [
        ['order_update', 60],
        ['<img src=x>', 20],
        ['refund', 8],
        ['menu', 6],
        ['bill', 4],
        ['other', 2],
      ].map(([value, count]) => ({ value: String(value), count: Number(count) })),
      neverRepeats: false,
    },
    {
      name: 'hours',
      valueCount: 2,
      values: [
        { value: '3', count: 75 },
        { value: '24', count: 25 },
      ],
      neverRepeats: false,
    },
    { name: 'trace', valueCount: 100, values: [{ value: 'a1', count: 1 }], neverRepeats: true },
  ],
  ...{ textCount: 100, otherCount: 0, isCut: false, count: 100, errorCount: 400, failedCount: 200 },
  outcomes: [{ value: 'failed', count: 100 }],
  ...{ sessionCount: 80, clientCount: 70, repeatedClientCount: 5, firstMs: FIRST_MS, lastMs: FIRST_MS + 1 },
  isNew: true,
  channels: [1, 3],
  services: [2, 5, null],
  cells: [
    { channel: 3, service: 2, count: 90 },
    { channel: 3, service: null, count: 10 },
  ],
  samples: [
    {
      ...{ snapshotId: 4, seq: 7, dateMs: FIRST_MS, channel: 3, service: 2, sessionId: 'session-1' },
      ...{ text: "Template 'refund' is paused for 3 hours, trace a1", values: ['refund', '3', 'a1'] },
    },
  ],
  similar: [{ family: 'Template <value> rejected', count: 9, likeness: 0.84 }],
};
const RENAMED: FamilyChange = {
  ...{ id: 'c1', atMs: FIRST_MS },
  act: { kind: 'rename', family: 'Template <value> is paused', name: 'Paused' },
};

let changed: Input<'families/change'>[];
let screens: VueWrapper[];
beforeEach(() => {
  vi.useFakeTimers({ now: FIRST_MS + 60_000, toFake: ['Date'] });
  changed = [];
  screens = [];
});
afterEach(() => {
  for (const screen of screens) screen.unmount();
  vi.useRealTimers();
  document.body.innerHTML = '';
});

async function show(
  page: Partial<FamilyPage> = {},
  own: Partial<Connection> = {},
  door: ((offer: CaseOffer) => void) | null = null,
) {
  const backend = new ScriptedBackend({
    'connections/list': () => [makeConnection({ id: 'one', families: { outbound: [RENAMED] }, ...own })],
    'families/read': () => ({ ...PAGE, ...page }),
    'families/change': (input) => {
      changed.push(input);
      return { changeId: 'c2', family: 'Paused' };
    },
    'families/undo': () => ({ changeId: 'c1', family: 'Template <value> is paused' }),
    'outcome/save': ({ outcomes }) => makeConnection({ id: 'one', outcomes }),
    'records/read-histogram': ({ fromMs, toMs }) => ({
      split: 'class',
      series: [{ kind: 'class', codeClass: '5xx' }],
      buckets: [{ fromMs, toMs, counts: [100], medianResponseMs: null }],
    }),
    'records/open-view': () => ({ viewId: 'view' }) as never,
    'records/count-view': () => ({ rowCount: 0 }),
    'records/close-view': () => null,
    'records/find-error-families': () => ({ families: [], familyCount: 0, errorCount: 0, recordCount: 0 }),
  });
  const { global: given, router } = await provideApplication(backend, '/outbound/family?family=Old');
  const global = { ...given, provide: { ...given.provide, [caseDoorKey as symbol]: door } };
  await useConnectionsStore().load();
  const screen = mount(FamilyScreen, { props: { direction: 'outbound' }, global, attachTo: document.body });
  const notice = mount(FamilyNotice, { global });
  screens.push(screen, notice);
  await flushPromises();
  return { screen, backend, router };
}
const press = async (screen: VueWrapper, text: string): Promise<void> => {
  const button = [...document.body.querySelectorAll('button')].find((one) => one.textContent.trim() === text);
  expect(button, text).toBeDefined();
  button?.click();
  await flushPromises();
  await screen.vm.$nextTick();
};

describe('the page of a family of errors', () => {
  it('shows its figures, its template, and the values of each variable as text', async () => {
    const { screen, backend } = await show();
    const asked = backend.calls.find(({ name }) => name === 'families/read')?.input;
    expect(asked).toMatchObject({ family: 'Old', scope: { connectionId: 'one', report: 'outbound-detail' } });
    expect(screen.get('h2').text()).toBe('Paused');
    expect(screen.get('.badge').text()).toBe('Failed');
    expect(screen.text()).toContain('New since 22 Nov');
    expect(screen.get('.template').text()).toBe("Template 'template' is paused for hours hours, trace trace");
    const figures = screen.findAll('.figure').map((figure) => figure.text());
    expect(figures[0]).toContain('50.0% of 200 failures');
    expect(figures[2]).toContain('5 more than once');
    const values = screen.findAll('.values li').map((row) => row.text().replace(/\s+/gu, ' '));
    expect(values).toEqual([
      'order_update6060.0%',
      '<img src=x>2020.0%',
      'refund88.0%',
      '3 others1212.0%',
      '37575.0%',
      '242525.0%',
    ]);
    expect(screen.find('.values img').exists()).toBe(false);
    expect(screen.get('.once').text()).toContain('100 values, never repeats');
  });

  it('goes into a case with its figures and its first records', async () => {
    const offers: CaseOffer[] = [];
    await show({}, {}, (offer) => offers.push(offer));
    await press(screens[0]!, 'Add to case…');
    const [offer] = offers;
    expect(offer).toMatchObject({ kind: 'records', title: 'Error: Paused' });
    expect(offer?.question.filter.conditions).toEqual([{ field: 'errorFamily', values: ['Paused'] }]);
    expect(offer?.question.scopes).toMatchObject([{ connectionId: 'one', report: 'outbound-detail' }]);
    const content = await offer?.readContent();
    expect(content?.facts[1]).toEqual({ name: 'Records', value: '100 (50.0% of 200 failures)' });
    expect(content?.table?.rowCount).toBe(0);
  });

  it('leads from a value, a place or a sample to its records', async () => {
    const { screen, router } = await show();
    const push = vi.spyOn(router, 'push');
    const queries = (): unknown[] => push.mock.calls.map(([to]) => (to as { query: unknown }).query);
    await screen.findAll('.values li button')[2]!.trigger('click');
    await screen.get('.places button').trigger('click');
    await screen.get('tbody .cs-link').trigger('click');
    expect(queries()).toEqual([
      { q: 'family:=Paused error:refund' },
      { q: 'family:=Paused channel:3 service:2' },
      { q: 'family:=Paused', record: '4:7' },
    ]);
    const sums = screen.findAll('.places tfoot td').map((cell) => cell.text());
    expect(sums).toEqual(['90', '0', '10', '100']);
  });

  it('is renamed, merged and split, and offers each time to undo it', async () => {
    const { screen, backend } = await show();
    await screen.get('[aria-label="Rename"]').trigger('click');
    await flushPromises();
    const input = document.body.querySelector<HTMLInputElement>('[role=dialog] input')!;
    input.value = ' Held ';
    input.dispatchEvent(new Event('input'));
    await flushPromises();
    await press(screen, 'Rename');
    await press(screen, 'Merge');
    await press(screen, 'Split');
    const place = { connectionId: 'one', direction: 'outbound' };
    expect(changed).toEqual([
      { ...place, act: { kind: 'rename', family: 'Paused', name: 'Held' } },
      { ...place, act: { kind: 'merge', family: 'Template <value> rejected', into: 'Paused' } },
      {
        ...place,
        act: { kind: 'split', family: 'Paused', parts: PAGE.parts, at: 0, variable: 'template' },
      },
    ]);
    expect(document.body.querySelector('[role=status].notice')?.textContent).toContain('Split “Paused”');
    await press(screen, 'Undo');
    expect(document.body.querySelector('[role=status].notice')).toBeNull();
    await press(screen, 'Undo rename');
    const undone = backend.calls.filter(({ name }) => name === 'families/undo').map(({ input: own }) => own);
    expect(undone).toEqual([
      { ...place, changeId: 'c2' },
      { ...place, changeId: 'c1' },
    ]);
  });

  it('is marked as expected before all other rules, and no longer', async () => {
    const { screen, backend } = await show();
    await press(screen, 'Mark as expected');
    const saved = () =>
      backend.calls
        .filter(({ name }) => name === 'outcome/save')
        .map(({ input }) => (input as Input<'outcome/save'>).outcomes);
    const rule = { error: { family: 'Paused' }, outcome: 'expected' };
    expect(saved()).toEqual([{ outbound: [rule, ...DEFAULT_RULES] }]);
    await press(screen, 'Not expected');
    expect(saved()[1]).toEqual({ outbound: DEFAULT_RULES });
  });

  it('says that the period has none of its records, and when there were', async () => {
    const { screen } = await show({ count: 0, cells: [], samples: [], variables: [], parts: [''] });
    expect(screen.text()).toMatch(/Last seen 22 Nov \d\d:07\. Choose a longer period\./);
    expect(screen.find('.panels').exists()).toBe(false);
  });
});
