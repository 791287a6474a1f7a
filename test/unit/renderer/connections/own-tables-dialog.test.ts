import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { OwnTable } from '../../../../src-main/common/model/connections/own-table.ts';
import OwnTablesDialog from '../../../../src-renderer/screens/connections/OwnTablesDialog.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const TABLE: OwnTable = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'Owners',
  field: 'service',
  columns: ['team', 'on call'],
  rowCount: 2,
  savedAtMs: 0,
};

let dialog: VueWrapper | null = null;
afterEach(() => {
  dialog?.unmount();
  dialog = null;
});

async function open(tables: OwnTable[]) {
  const asked: unknown[] = [];
  let isRefused = false;
  const connection = { ...makeConnection(), tables };
  const { global } = await provideApplication(
    new ScriptedBackend({
      'connections/list': () => [connection],
      'own-tables/read-file': () => {
        if (isRefused)
          throw new AppError('own-tables.unreadable', '', {
            reason: 'key-twice',
            key: '7',
            first: 2,
            row: 5,
          });
        return { columns: ['Service id', 'team'], rowCount: 2, rows: [['7', 'Payments']] };
      },
      'own-tables/count-matches': ({ field }: Input<'own-tables/count-matches'>) => ({
        valueCount: field === 'service' ? 8 : 0,
        matchCount: 1,
        hasMore: false,
      }),
      'own-tables/save': (input: Input<'own-tables/save'>) => {
        asked.push(input);
        return { ...connection, tables: [{ ...TABLE, name: input.name }] };
      },
      'own-tables/remove': (input: Input<'own-tables/remove'>) => {
        asked.push(input);
        return { ...connection, tables: [] };
      },
      'own-tables/restore': (input: Input<'own-tables/restore'>) => {
        asked.push(input);
        return { ...connection, tables: [TABLE] };
      },
    }),
  );
  const store = useConnectionsStore();
  await store.load();
  dialog = mount(
    {
      components: { OwnTablesDialog },
      setup: () => ({ store }),
      template: '<OwnTablesDialog :open="true" :connection="store.list[0]" />',
    },
    { global, attachTo: document.body },
  );
  await flushPromises();
  const find = (name: string): HTMLElement => {
    const buttons = [...document.querySelectorAll<HTMLElement>('[role=dialog] button')];
    const found = buttons.find((one) => (one.getAttribute('aria-label') ?? one.textContent.trim()) === name);
    expect(found, name).toBeDefined();
    return found!;
  };
  return {
    asked,
    press: async (name: string) => {
      find(name).click();
      await flushPromises();
    },
    choose: async (fileName: string, refused = false) => {
      isRefused = refused;
      const input = document.querySelector<HTMLInputElement>('[role=dialog] input[type=file]')!;
      const file = new File(['Service id,team\n7,Payments\n'], fileName);
      Object.defineProperty(input, 'files', { value: [file], configurable: true });
      Object.defineProperty(input, 'value', { value: '', writable: true, configurable: true });
      input.dispatchEvent(new Event('change'));
      await vi.waitFor(() => expect(document.body.textContent).toMatch(/First rows|Payments|row 2/));
    },
    read: () => document.querySelector('[role=dialog]')!.textContent,
  };
}

it('adds a file as a table by the field that its key looks like, and says which fields there are', async () => {
  const { asked, choose, press, read } = await open([]);
  expect(read()).toContain('None yet.');
  await choose('Owners.csv');
  expect(read()).toContain('1 of 8 cached values have a row in the file.');
  await press('Add table');
  expect(asked).toMatchObject([{ tableId: null, name: 'Owners', field: 'service', keyColumn: 'Service id' }]);
  expect(read()).toContain('“Owners” was saved: its columns are fields now.');
  expect(read()).toContain('own.Owners.team');
  expect(read()).toContain('own.Owners."on call"');
});

it('brings a table back that was removed, and keeps what is there where a file is none', async () => {
  const { asked, choose, press, read } = await open([TABLE]);
  await press('Remove “Owners”');
  expect(read()).toContain('“Owners” was removed.');
  await press('Undo');
  expect(asked).toMatchObject([{ tableId: TABLE.id }, { table: TABLE }]);
  expect(read()).toContain('joined by Service, 2 rows');
  await choose('Owners.csv', true);
  expect(read()).toContain('The key “7” is in row 2 and in row 5.');
  expect(read()).toContain('own.Owners.team');
});
