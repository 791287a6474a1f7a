import { mount, type VueWrapper } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import type { SummaryGroup } from '../../../../src-main/common/model/records/histogram.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import { toGroupKey } from '../../../../src-renderer/screens/summary/summary.ts';
import GroupTable from '../../../../src-renderer/screens/summary/groups/GroupTable.vue';
import { fromSummaryGroup } from '../../../../src-renderer/screens/summary/groups/group-figures.ts';
import { createGroupFilter } from '../../../../src-renderer/screens/summary/groups/group-rows.ts';
import {
  createOutcomeDecider,
  DEFAULT_RULES,
  splitForSummaries,
} from '../../../../src-main/common/reporting/outcome.ts';
import { surround } from '../support/surround.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';

const { usable } = splitForSummaries(DEFAULT_RULES);
const toReportedGroup = (summary: SummaryGroup) => fromSummaryGroup(summary, createOutcomeDecider(usable));

function makeGroup(change: Partial<SummaryGroup> = {}): SummaryGroup {
  return {
    channel: 1,
    service: 7,
    origin: 'web',
    responseCode: 200,
    count: 1000,
    averageResponseTimeMs: 120,
    averageBotLatencyMs: 40,
    sessionId: '',
    ...change,
  };
}

/** Channel 1 has more requests, channel 3 a share of errors that stands out. */
const groups = [
  makeGroup({ count: 8000 }),
  makeGroup({ service: 4, count: 500, origin: null }),
  makeGroup({ channel: 3, count: 900 }),
  makeGroup({ channel: 3, service: 4, responseCode: 504, count: 100, averageResponseTimeMs: null }),
];

type Table = VueWrapper<InstanceType<typeof GroupTable>>;

type Props = InstanceType<typeof GroupTable>['$props'];

function mountTable(props: Partial<Props> = {}, direction: Direction = 'inbound'): Table {
  return mount(GroupTable, {
    props: {
      groups: groups.map(toReportedGroup),
      wholes: null,
      total: null,
      by: 'channel',
      then: 'every',
      chosen: [],
      differences: null,
      matches: createGroupFilter(''),
      isComputed: false,
      ...props,
    },
    global: surround({ plugins: [createMessages()] }, { direction }),
  });
}

const textsOf = (table: Table, selector: string): string[] =>
  table.findAll(selector).map((found) => found.text());
/** Texts of the cells in a row, empty ones too. */
const cellsOf = (table: Table, selector: string, index: number): string[] =>
  table
    .findAll(selector)
    [index]!.findAll('td')
    .map((cell) => cell.text());
const heads = (table: Table): string[] => textsOf(table, 'thead th');

describe('the table of a summary', () => {
  it('has the session of a group, and what has no column, one press away', async () => {
    const extra = { Region: '"<i>eu</i>"', AvegareReponseTime: '1e400' };
    const table = mountTable({ groups: [toReportedGroup(makeGroup({ sessionId: 'a-b-c', extra }))] });
    await table.get('.toggle').trigger('click');
    expect(table.get('.leaf').text()).toContain('+2 fields');
    expect(table.find('dl').exists()).toBe(false);
    await table.get('.leaf button[aria-expanded]').trigger('click');
    expect(textsOf(table, 'dt')).toEqual(['Id', 'Region', 'AvegareReponseTime']);
    expect(textsOf(table, 'dd')).toEqual(['a-b-c', '<i>eu</i>', '1e400']);
    expect(table.emitted('pick')).toBeUndefined();
    expect(table.get('.below').attributes('colspan')).toBe(String(heads(table).length));
  });

  it('joins the groups of a channel, most requests first, with shares and weighted averages', () => {
    const table = mountTable();
    expect(textsOf(table, '.toggle')).toEqual(['Channel 1', 'Channel 3']);
    expect(cellsOf(table, '.parent', 0)).toEqual([
      'Channel 1',
      '4, 7',
      '1 origin',
      '1 code',
      '8,500',
      '',
      '89.5%',
      '0.00%',
      '120 ms',
      '40 ms',
      '',
    ]);
    expect(cellsOf(table, '.parent', 1).slice(3, 9)).toEqual([
      '2 codes',
      '1,000',
      '',
      '10.5%',
      '10.00%',
      '120 ms',
    ]);
  });

  it('opens the row whose errors stand out, and marks it', () => {
    const table = mountTable();
    expect(table.findAll('.toggle').map((toggle) => toggle.attributes('aria-expanded'))).toEqual([
      'false',
      'true',
    ]);
    expect(textsOf(table, '.alert')).toEqual(['10.00%']);
    expect(cellsOf(table, '.leaf', 0)).toEqual([
      '3',
      '4',
      'web',
      '504',
      '100',
      '',
      '1.05%',
      '',
      '–',
      '40 ms',
      '',
    ]);
    expect(table.findAll('.leaf').map((leaf) => leaf.attributes('data-tinted'))).toEqual(['true', undefined]);
  });

  it('opens nothing where no row stands out', () => {
    const table = mountTable({
      groups: groups.filter((group) => group.responseCode === 200).map(toReportedGroup),
    });
    expect(table.findAll('.leaf')).toEqual([]);
    expect(table.find('.alert').exists()).toBe(false);
  });

  it('opens and closes a row by its button and by the row, each once', async () => {
    const table = mountTable();
    await table.findAll('.toggle')[0]!.trigger('click');
    expect(table.findAll('.leaf')).toHaveLength(4);
    await table.findAll('.parent')[0]!.trigger('click');
    expect(table.findAll('.leaf')).toHaveLength(2);
    await table.findAll('.parent')[1]!.trigger('click');
    expect(table.findAll('.leaf')).toEqual([]);
  });

  it('leaves rows as the person opened them when numbers arrive, and starts over with another grouping', async () => {
    const table = mountTable();
    await table.findAll('.toggle')[0]!.trigger('click');
    await table.findAll('.toggle')[1]!.trigger('click');
    await table.setProps({ groups: [...groups, makeGroup({ channel: 9, count: 5 })].map(toReportedGroup) });
    expect(table.findAll('.toggle').map((toggle) => toggle.attributes('aria-expanded'))).toEqual([
      'true',
      'false',
      'false',
    ]);
    await table.setProps({ by: 'service', groups: groups.map(toReportedGroup) });
    expect(heads(table).slice(0, 2)).toEqual(['Service', 'Channel']);
    expect(textsOf(table, '.toggle')).toEqual(['Service 7', 'Service 4']);
    expect(table.findAll('.toggle').map((toggle) => toggle.attributes('aria-expanded'))).toEqual([
      'false',
      'true',
    ]);
  });

  it('picks the records of a group, by the row or its button, each once', async () => {
    const table = mountTable();
    await table.get('.leaf').trigger('click');
    await table.get('.leaf').get('.open button:last-child').trigger('click');
    const conditions = [
      { field: 'channel', values: [3] },
      { field: 'service', values: [4] },
      { field: 'origin', values: ['web'] },
      { field: 'responseCode', values: [504] },
    ];
    expect(table.emitted('pick')).toEqual([[conditions], [conditions]]);
  });

  it('picks by what a group has: no code is a class, and what is unknown restricts nothing', async () => {
    const bare = makeGroup({ channel: null, service: null, origin: null, responseCode: null, count: 50 });
    const table = mountTable({ groups: [...groups, bare].map(toReportedGroup) });
    const toggle = table.findAll('.toggle').find((each) => each.text() === 'No channel');
    if (toggle?.attributes('aria-expanded') === 'false') await toggle.trigger('click');
    const leaves = table.findAll('.leaf');
    await leaves[leaves.length - 1]!.trigger('click');
    expect(table.emitted('pick')).toEqual([[[{ field: 'responseCode', classes: ['none'] }]]]);
  });

  it('has no column of what an outbound summary lacks', () => {
    expect(heads(mountTable())).toEqual(expect.arrayContaining(['Origin', 'Average bot latency']));
    const outbound = mountTable({}, 'outbound');
    expect(heads(outbound)).not.toContain('Origin');
    expect(heads(outbound)).not.toContain('Average bot latency');
    for (const row of outbound.findAll('tbody tr')) {
      expect(row.findAll('td')).toHaveLength(outbound.findAll('thead th').length);
    }
  });

  it('compares with the cache: by the group, and by how many of a row differ', async () => {
    const failing = groups.find(({ responseCode }) => responseCode === 504)!;
    const table = mountTable({ differences: [{ key: toGroupKey(failing), difference: -12 }] });
    expect(heads(table)).toContain('Cached difference');
    expect(table.findAll('.parent').map((row) => row.findAll('td').at(-2)?.text())).toEqual(['0', '1 group']);
    expect(table.findAll('.leaf').map((row) => row.findAll('td').at(-2)?.text())).toEqual(['−12', '0']);
    expect(textsOf(table, '.differs')).toEqual(['−12']);
    await table.setProps({ differences: null });
    expect(heads(table)).not.toContain('Cached difference');
  });

  it('sorts by its headers: largest first, then smallest, then as it was', async () => {
    const table = mountTable({ then: 'none' });
    const press = async (): Promise<unknown[]> => {
      const head = table.findAll('thead th').find((one) => one.text() === 'Errors')!;
      await head.get('button').trigger('click');
      return [head.attributes('aria-sort'), ...textsOf(table, '.toggle')];
    };
    expect(await press()).toEqual(['descending', 'Channel 3', 'Channel 1']);
    expect(await press()).toEqual(['ascending', 'Channel 1', 'Channel 3']);
    expect(await press()).toEqual([undefined, 'Channel 1', 'Channel 3']);
  });

  it('ends with the total of what is shown', async () => {
    const table = mountTable();
    const total = (): string[] => table.findAll('tfoot td').map((cell) => cell.text());
    expect(total()).toEqual(['9,500', '', '', '1.05%', '120 ms', '40 ms', '']);
    await table.setProps({ matches: createGroupFilter('504') });
    expect(total()).toEqual(['100', '', '', '100.00%', '–', '40 ms', '']);
  });

  it('without a second level leads from each row to its records', async () => {
    const table = mountTable({ by: 'origin', then: 'none' });
    expect(textsOf(table, '.toggle')).toEqual(['web', 'No origin']);
    await table.get('.toggle').trigger('click');
    expect(table.emitted('pick')).toEqual([[[{ field: 'origin', values: ['web'] }]]]);
  });

  it('says how many groups it has, or that none match', async () => {
    const table = mountTable();
    expect(table.get('[role=status]').text()).toBe('4 groups');
    await table.setProps({ groups: [] });
    expect(table.find('[role=status]').exists()).toBe(false);
    expect(table.text()).toContain('No groups match.');
  });
});
