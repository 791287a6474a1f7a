import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { h, nextTick } from 'vue';
import DataTable from '../../../../src-renderer/components/table/DataTable.vue';
import type { TableColumn } from '../../../../src-renderer/components/table/table-parts.ts';

type Row = (typeof ROWS)[number];

const ROWS = [
  { name: 'b', count: 2 },
  { name: 'a', count: 9 },
  { name: 'c', count: 5 },
];

const COLUMNS: readonly TableColumn<Row>[] = [
  { id: 'name', label: 'Name', isHead: true, text: ({ name }) => name },
  { id: 'count', label: 'Count', isRight: true, sort: 'descending', compare: (a, b) => a.count - b.count },
];

function mountTable(rows: readonly Row[] | null) {
  return mount(DataTable<Row>, {
    props: {
      label: 'Counts',
      columns: COLUMNS,
      rows,
      toKey: ({ name }: Row) => name,
      isOpen: ({ name }: Row) => name === 'c',
      emptyText: 'Nothing',
    },
    slots: {
      'cell-count': ({ row }: { row: Row }) => h('i', row.count),
      below: ({ row }: { row: Row }) => `more of ${row.name}`,
    },
  });
}

it('writes cells as texts or slots, and what is below a row over all columns', () => {
  const table = mountTable(ROWS);
  expect(table.get('[role=region]').attributes('aria-label')).toBe('Counts');
  expect(table.findAll('tbody tr').map((row) => row.text())).toEqual(['b2', 'a9', 'c5', 'more of c']);
  expect(table.findAll('tbody th').map((head) => head.attributes('scope'))).toEqual(['row', 'row', 'row']);
  expect(table.get('.below').attributes('colspan')).toBe('2');
  expect(table.find('[aria-activedescendant]').exists()).toBe(false);
});

it('is sorted from the largest, from the smallest, and as it was', async () => {
  const table = mountTable(ROWS);
  const head = table.findAll('thead th')[1]!;
  const press = async (): Promise<unknown[]> => {
    await head.get('button').trigger('click');
    await nextTick();
    return [head.attributes('aria-sort'), ...table.findAll('i').map((cell) => cell.text())];
  };
  expect(await press()).toEqual(['descending', '9', '5', '2']);
  expect(await press()).toEqual(['ascending', '2', '5', '9']);
  expect(await press()).toEqual([undefined, '2', '9', '5']);
});

it('says that it is loading, and that there is nothing', () => {
  expect(mountTable(null).get('tbody').attributes('aria-busy')).toBe('true');
  expect(mountTable([]).text()).toContain('Nothing');
});
