import { flushPromises, mount, type DOMWrapper, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import type { Distribution } from '../../../../src-main/common/model/analysis/grouping.ts';
import type { RecordFields } from '../../../../src-main/common/model/records/record.ts';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { parseQuery } from '../../../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../../../src-main/common/query/query-values.ts';
import { writeQuery } from '../../../../src-main/common/query/write-query.ts';
import FieldsPanel from '../../../../src-renderer/screens/detail/fields/FieldsPanel.vue';
import { findPlace, toSections } from '../../../../src-renderer/screens/detail/fields/fields.ts';
import { DEFAULT_ORDER, useRecordsStore } from '../../../../src-renderer/stores/records/records.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeFacets } from '../../../support/samples/make-record.ts';

const clock = createQueryClock('UTC');
const TIMES: Distribution = {
  buckets: [
    { fromMs: 100, toMs: 150, count: 10 },
    { fromMs: 150, toMs: 200, count: 30 },
    { fromMs: 200, toMs: null, count: 60 },
  ],
  times: { count: 100, averageMs: 1, medianMs: 10_029.4, p90Ms: 1, p95Ms: 1, p99Ms: 1, maxMs: 12_900 },
  missingCount: 0,
};
const NO_TIMES: Distribution = {
  buckets: [],
  times: { count: 0, averageMs: null, medianMs: null, p90Ms: null, p95Ms: null, p99Ms: null, maxMs: null },
  missingCount: 1204,
};
const counted = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).map(([value, count]) => ({ value, count }));
const FIELDS: RecordFields = {
  recordCount: 1204,
  values: [
    {
      field: 'responseCode',
      distinctCount: 2,
      values: [
        { value: 504, count: 1061 },
        { value: 503, count: 100 },
      ],
      blankCount: 43,
      excluded: [],
    },
    {
      field: 'client',
      distinctCount: 311,
      values: counted({ '<b>Jonas</b>': 14, Tove: 13, Liam: 12, Marta: 11, Kira: 10 }),
      blankCount: 3,
      excluded: [],
    },
    {
      field: 'channel',
      distinctCount: 6,
      values: [1, 2, 5, 4, 6].map((value, place) => ({ value, count: 300 - place })),
      blankCount: 0,
      excluded: [{ value: 3, count: 1880 }],
    },
  ],
  times: [
    { field: 'botLatencyMs', distribution: NO_TIMES },
    { field: 'responseTimeMs', distribution: TIMES },
  ],
};
const FACETS = makeFacets({ channels: [{ value: 1, count: 300 }] });

let panel: VueWrapper;
afterEach(() => panel.unmount());

function read(query: string): RecordFilter {
  return parseQuery(query, clock).filter;
}

/** Shows the panel beside an open view; `answer` is asked for what its records have. */
async function show(query = '', answer: () => RecordFields | Promise<RecordFields> = () => FIELDS) {
  let opened = 0;
  const backend = new ScriptedBackend({
    'records/open-view': () => {
      opened += 1;
      return { viewId: `view-${opened}`, rowCount: 1204, isCounted: true, totalCount: 5000 };
    },
    'records/read-histogram': () => ({ split: 'class', series: [], buckets: [] }),
    'records/read-facets': () => FACETS,
    'records/close-view': () => null,
    'records/read-fields': answer,
  });
  const { global } = await provideApplication(backend);
  const store = useRecordsStore();
  const open = (filter: RecordFilter): Promise<void> =>
    store.open({
      scope: { snapshotId: 1 },
      filter,
      order: DEFAULT_ORDER,
      span: { fromMs: 0, toMs: 1 },
      zone: 'UTC',
    });
  panel = mount(FieldsPanel, {
    props: { folded: new Set<string>(), filter: read(query), zone: 'UTC' },
    global,
    attachTo: document.body,
  });
  await open(read(query));
  await flushPromises();
  return { backend, open };
}

const lines = (): DOMWrapper<Element>[] => panel.findAll('[data-stop]');
const line = (name: string): DOMWrapper<Element> => {
  const found = lines().find((one) => one.attributes('data-stop') === name);
  if (found === undefined) throw new Error(`There is no line ${name}.`);
  return found;
};
const heads = (): string[] => panel.findAll('[data-fold]').map((one) => one.text());
const lastFilter = (): string => {
  const filter = panel.emitted<[RecordFilter]>('change')?.at(-1)?.[0];
  return filter === undefined ? 'nothing' : writeQuery(filter, clock);
};
const press = async (key: string): Promise<void> => {
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  await flushPromises();
};

describe('the fields', () => {
  it('stand in one order, with their values, counts and shares; what is left out with what it would add', async () => {
    await show('-channel:3');
    expect(heads()).toEqual(['Code2', 'Response', 'Channel6', 'Client311', 'Bot latency']);
    const rows = panel.findAll('li').map((one) => one.get('[data-stop]').text().replace(/\s+/g, ' '));
    expect(rows.slice(0, 3)).toEqual(['5041,06188.1%', '5031008.3%', '(empty)433.6%']);
    expect(line('channel=3').text()).toBe('3excluded1,880');
    expect(line('client="<b>Jonas</b>"').text()).toContain('<b>Jonas</b>');
    expect(panel.text()).toContain('median 10,029 ms');
    expect(panel.text()).toContain('No times');
  });

  it('show one value only with a click on it, and all again with the next', async () => {
    await show('service:7 channel:1,2');
    await line('channel=5').trigger('click');
    expect(lastFilter()).toBe('service:7 channel:5');
    await panel.setProps({ filter: read('service:7 channel:5') });
    expect(line('channel=5').attributes('aria-pressed')).toBe('true');
    await line('channel=5').trigger('click');
    expect(lastFilter()).toBe('service:7');
    await line('responseCode=null').trigger('click');
    expect(lastFilter()).toBe('service:7 channel:5 code:""');
    await line('client=""').trigger('click');
    expect(lastFilter()).toBe('service:7 channel:5 client:""');
  });

  it('leave a value out beside others, and let it in again', async () => {
    await show('-channel:3');
    const not = (name: string) => panel.get(`[aria-label="${name}"]`);
    await not('Channel: not 1').trigger('click');
    expect(lastFilter()).toBe('-channel:3,1');
    expect(not('Channel: not 3').attributes('aria-pressed')).toBe('true');
    await not('Channel: not 3').trigger('click');
    expect(lastFilter()).toBe('');
  });

  it('are one stop of Tab; arrows go through lines and their buttons, and fold', async () => {
    await show();
    expect(lines().filter((one) => one.attributes('tabindex') === '0')).toHaveLength(1);
    (line('responseCode').element as HTMLElement).focus();
    await press('ArrowDown');
    await press('ArrowDown');
    expect(document.activeElement).toBe(line('responseCode=503').element);
    expect(line('responseCode=503').attributes('tabindex')).toBe('0');
    await press('ArrowRight');
    await press('ArrowRight');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Code: not 503');
    await press('ArrowLeft');
    await press('ArrowUp');
    expect(document.activeElement).toBe(line('responseCode=504').element);
    await press('Home');
    await press('ArrowLeft');
    expect(panel.emitted('fold')).toEqual([['responseCode', true]]);
    await panel.setProps({ folded: new Set(['responseCode', 'client', 'channel', 'botLatencyMs']) });
    await press('ArrowDown');
    await press('ArrowDown');
    expect(document.activeElement?.textContent).toContain('Filter…');
    await press('End');
    expect(document.activeElement).toBe(line('botLatencyMs').element);
  });

  it('of no records are not shown for the first ones that come', async () => {
    const later = Promise.withResolvers<RecordFields>();
    const none = {
      recordCount: 0,
      values: FIELDS.values.map((one) => ({
        ...one,
        distinctCount: 0,
        values: [],
        blankCount: 0,
        excluded: [],
      })),
      times: [],
    };
    let asked = 0;
    const { open } = await show('', () => ((asked += 1) === 1 ? none : later.promise));
    expect(panel.text()).toContain('No values');
    await open(read(''));
    await flushPromises();
    expect(panel.text()).not.toContain('No values');
    later.resolve(FIELDS);
    await flushPromises();
    expect(heads()[0]).toBe('Code2');
  });

  it('keep the focus while the line that has it moves or goes', async () => {
    let fields = FIELDS;
    const { open } = await show('', () => fields);
    (line('responseCode=503').element as HTMLElement).focus();
    const [codes] = FIELDS.values;
    if (codes === undefined) throw new Error('There are no codes.');
    fields = { ...FIELDS, values: [{ ...codes, values: [{ value: 504, count: 1061 }] }] };
    await open(read('code:504'));
    await flushPromises();
    expect(document.activeElement).toBe(line('responseCode').element);
  });

  it('offer the list of all values, or the form where there is no list', async () => {
    await show();
    expect(line('channel+').text()).toBe('All 6… Channel');
    expect(line('client+').text()).toBe('Filter… Client');
    expect(line('responseTimeMs+').text()).toBe('Filter… Response');
    await line('channel+').trigger('click');
    await flushPromises();
    expect(document.querySelector('[role=dialog] [role=checkbox]')?.textContent).toContain('1');
  });

  it('are found by a part of their names', async () => {
    await show();
    await panel.get('[aria-label="Search fields"]').trigger('click');
    await flushPromises();
    const field = panel.get<HTMLInputElement>('input[type=search]');
    expect(document.activeElement).toBe(field.element);
    await field.setValue('CH');
    expect(heads()).toEqual(['Channel6']);
    await field.setValue('zzz');
    expect(panel.text()).toContain('No field has this name.');
    await field.trigger('keydown', { key: 'Escape' });
    expect(heads()).toHaveLength(5);
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Search fields');
  });
});

describe('what the fields hold', () => {
  it('is read of each view once, and stays dimmed until that of the next is there', async () => {
    const held: ((fields: RecordFields) => void)[] = [];
    const { backend, open } = await show('', () => new Promise((resolve) => held.push(resolve)));
    expect(panel.find('[data-stop]').exists()).toBe(false);
    held[0]?.(FIELDS);
    await flushPromises();
    expect(panel.find('[data-stale]').exists()).toBe(false);
    const filter = read('channel:1');
    await open(filter);
    await flushPromises();
    expect(panel.find('[data-stale]').exists()).toBe(true);
    expect(heads()).toHaveLength(5);
    held[1]?.({ ...FIELDS, times: [] });
    await flushPromises();
    expect(heads()).toHaveLength(3);
    expect(
      backend.calls.filter(({ name }) => name === 'records/read-fields').map(({ input }) => input),
    ).toEqual([
      { viewId: 'view-1', scope: { snapshotId: 1 }, filter: { conditions: [] } },
      { viewId: 'view-2', scope: { snapshotId: 1 }, filter },
    ]);
  });

  it('shows sessions or clients beside records where that is chosen, once they are counted', async () => {
    const withHit = (affected: number): RecordFields => ({
      ...FIELDS,
      affected,
      values: FIELDS.values.map((own) => ({
        ...own,
        values: own.values.map((one) => ({ ...one, affected })),
        blankAffected: affected,
      })),
    });
    let answer = FIELDS;
    const { backend } = await show('', () => answer);
    expect(line('responseCode=504').text()).toContain('88.1%');
    await panel.get('[aria-label="Show beside records"]').trigger('click');
    await flushPromises();
    const choices = [...document.querySelectorAll<HTMLElement>('[role^=menuitem]')];
    expect(choices.map((one) => one.textContent.trim())).toEqual(['Share', 'Sessions', 'Clients']);
    choices[1]?.click();
    await flushPromises();
    expect(panel.emitted('affected')).toEqual([['sessions']]);
    answer = withHit(412);
    await panel.setProps({ affected: 'sessions' });
    expect(panel.text()).not.toContain('Records, Sessions');
    await flushPromises();
    expect(panel.text()).toContain('Records, Sessions');
    expect(line('responseCode=504').text().replace(/\s+/g, ' ')).toBe('5041,061412');
    expect(line('responseCode=504').get('[title="412 sessions"]').text()).toBe('412');
    const asked = backend.calls.filter(({ name }) => name === 'records/read-fields');
    expect(asked.at(-1)?.input).toMatchObject({ viewId: 'view-1', affected: 'sessions' });
  });

  it('can be asked for again where it could not be read', async () => {
    let fails = true;
    await show('', () => {
      if (fails) throw Object.assign(new Error('no'), { code: 'analysis.stopped', details: {} });
      return FIELDS;
    });
    expect(panel.find('[role=alert]').exists()).toBe(true);
    fails = false;
    await panel
      .findAll('button')
      .find((one) => one.text() === 'Try again')
      ?.trigger('click');
    await flushPromises();
    expect(panel.find('[role=alert]').exists()).toBe(false);
    expect(heads()).toHaveLength(5);
  });

  it('shows more values as a list only while the list has all of them', () => {
    const [, , channels] = FIELDS.values;
    if (channels === undefined) throw new Error('There are no channels.');
    const many = { ...FIELDS, values: [{ ...channels, distinctCount: 501 }], times: [] };
    expect(toSections(many).map(({ more }) => more)).toEqual(['form']);
    const few = { ...FIELDS, values: [{ ...channels, distinctCount: 5 }], times: [] };
    expect(toSections(few).map(({ more }) => more)).toEqual([null]);
  });

  it('places the median on the bars', () => {
    expect(findPlace(TIMES, 125)).toBeCloseTo(0.5 / 3);
    expect(findPlace(TIMES, 150)).toBeCloseTo(1 / 3);
    expect(findPlace(TIMES, 900)).toBeCloseTo(2.5 / 3);
  });
});
