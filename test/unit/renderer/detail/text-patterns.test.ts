import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import type {
  RecordFilter,
  TextPatterns as Found,
} from '../../../../src-main/common/model/records/record-filter.ts';
import { parseQuery } from '../../../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../../../src-main/common/query/query-values.ts';
import { writeQuery } from '../../../../src-main/common/query/write-query.ts';
import { ref, type Ref } from 'vue';
import TextPatterns from '../../../../src-renderer/screens/detail/patterns/TextPatterns.vue';
import { DEFAULT_ORDER, type OpenView } from '../../../../src-renderer/stores/records/records.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { surround } from '../support/surround.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';

const clock = createQueryClock('UTC');
const trend = Array.from({ length: 24 }, (_none, at) => at);
const FOUND: Found = {
  patterns: [
    {
      pattern: 'Hello <name>, <number> messages wait',
      ...{ count: 90, sessionCount: 40, clientCount: 12, firstMs: 0, lastMs: 60_000, trend },
      examples: [{ text: 'Hello Ana, 3 messages wait', count: 2 }],
      textCount: 80,
      words: ['messages wait', 'Hello "'],
    },
    {
      pattern: '<b>',
      ...{ count: 10, sessionCount: 0, clientCount: 0, firstMs: null, lastMs: null, trend },
      ...{ examples: [{ text: '<b>', count: 10 }], textCount: 1, words: [] },
    },
  ],
  ...{ patternCount: 2, recordCount: 400, textRecordCount: 300, readCount: 100 },
};

let panel: VueWrapper;
let direction: Ref<Direction>;
afterEach(() => panel.unmount());

function toView(viewId: string, query = 'channel:3'): OpenView {
  return {
    viewId,
    scope: { connectionId: 'one', report: 'outbound-detail', fromMs: 0, toMs: 240_000 },
    filter: parseQuery(query, clock).filter,
    order: DEFAULT_ORDER,
    span: { fromMs: 0, toMs: 240_000 },
    zone: 'UTC',
    ...{ rowCount: 400, isCounted: true, totalCount: 400 },
  };
}

async function show(answer: () => Found | Promise<Found> = () => FOUND) {
  const backend = new ScriptedBackend({ 'records/find-patterns': answer });
  const { global } = await provideApplication(backend);
  direction = ref('outbound');
  panel = mount(TextPatterns, {
    props: { view: toView('view-1'), gaps: [] },
    global: surround(global, { direction }),
    attachTo: document.body,
  });
  await flushPromises();
  return backend;
}

const asked = (backend: ScriptedBackend) =>
  backend.calls.filter(({ name }) => name === 'records/find-patterns').map(({ input }) => input);

describe('the patterns of texts', () => {
  it('stand with whom they reached and what was read, and open to their texts', async () => {
    const backend = await show();
    expect(asked(backend)).toMatchObject([{ viewId: 'view-1', field: 'payload', fromMs: 0, toMs: 240_000 }]);
    const text = panel.text().replace(/\s+/g, ' ');
    expect(text).toContain('2 patterns');
    expect(text).toContain('Texts read: 100 of 300, spread evenly.');
    const [first] = panel.findAll('tbody tr');
    expect(first?.text().replace(/\s+/g, ' ')).toContain('9090.0%4012');
    await panel.get('[aria-expanded=false]').trigger('click');
    expect(panel.text()).toContain('Hello Ana, 3 messages wait');
    expect(panel.text()).toContain('“messages wait”, “Hello "”');
  });

  it('are filtered by the words that they have in common; without any there is no filter', async () => {
    await show();
    const buttons = panel.findAll('[aria-label="Filter by the words of this pattern"]');
    expect(buttons).toHaveLength(1);
    await buttons[0]?.trigger('click');
    const [[filter] = []] = panel.emitted<[RecordFilter]>('filter') ?? [];
    if (filter === undefined) throw new Error('Nothing was filtered.');
    const query = writeQuery(filter, clock);
    expect(parseQuery(query, clock).filter).toEqual(filter);
    expect(filter.conditions.slice(1)).toEqual([
      { field: 'payload', text: 'messages wait' },
      { field: 'payload', text: 'Hello "' },
    ]);
  });

  it('say how far they are, and are not begun anew by records that come in', async () => {
    const held: ((found: Found) => void)[] = [];
    const backend = await show(() => new Promise((resolve) => held.push(resolve)));
    expect(panel.text()).toContain('Counting records…');
    backend.emit('records/patterns-progress', { viewId: 'other', read: 1, total: 2 });
    backend.emit('records/patterns-progress', { viewId: 'view-1', read: 2_048, total: 100_000 });
    await flushPromises();
    expect(panel.text()).toContain('Texts read: 2,048 of 100,000');
    held[0]?.(FOUND);
    await flushPromises();
    await panel.setProps({ view: toView('view-2') });
    await flushPromises();
    expect(asked(backend)).toHaveLength(1);
    const again = panel.findAll('button').find((one) => one.text() === 'Read again');
    await again?.trigger('click');
    await flushPromises();
    expect(asked(backend)).toHaveLength(2);
    held[1]?.({ ...FOUND, patterns: [], patternCount: 0 });
    await flushPromises();
    expect(panel.text()).toContain('No texts');
    await panel.setProps({ view: toView('view-3', 'channel:4') });
    await flushPromises();
    expect(asked(backend)).toHaveLength(3);
  });

  it('are those of the chosen field; inbound records have no response', async () => {
    const backend = await show();
    await panel.get('[role=radiogroup]').findAll('[role=radio]')[1]?.trigger('click');
    await flushPromises();
    expect(asked(backend).at(-1)).toMatchObject({ field: 'response' });
    direction.value = 'inbound';
    await flushPromises();
    expect(panel.find('[role=radiogroup]').exists()).toBe(false);
    expect(asked(backend).at(-1)).toMatchObject({ field: 'payload' });
  });
});
