import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { Connection } from '../../../../src-main/common/model/connections/connection.ts';
import type { ValueName } from '../../../../src-main/common/model/records/body-path.ts';
import NamesDialog from '../../../../src-renderer/names/NamesDialog.vue';
import {
  readNames,
  writeNames,
  writeNamesCsv,
  findRowFault,
  isRepeated,
  mergeNames,
  toNames,
  toRows,
} from '../../../../src-renderer/names/name-files.ts';
import NamedValue from '../../../../src-renderer/names/NamedValue.vue';
import { createNames, namesKey, type Names } from '../../../../src-renderer/names/use-names.ts';
import RecordFields from '../../../../src-renderer/inspector/RecordFields.vue';
import ChoiceList from '../../../../src-renderer/screens/detail/filters/ChoiceList.vue';
import { completeQuery } from '../../../../src-renderer/screens/detail/filters/conditions.ts';
import { renderNamed } from '../../../../src-renderer/screens/detail/grid/grid-columns.ts';
import { formatNamed } from '../../../../src-renderer/screens/detail/errors/families.ts';
import { createRecord } from '../../../support/fakes/fake-export-parts.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';
import WaterfallRow from '../../../../src-renderer/screens/session/WaterfallRow.vue';
import { createSessionAxis } from '../../../../src-renderer/screens/session/session.ts';
import SessionColumn from '../../../../src-renderer/screens/overview/sessions/SessionColumn.vue';
import { makeRequest } from '../session/make-request.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { surround } from '../support/surround.ts';
import { makeFacets } from '../../../support/samples/make-record.ts';

const NAMES: ValueName[] = [
  { field: 'channel', value: '3', name: '<b>WhatsApp</b>', colour: 'green' },
  { field: 'channel', value: '4', name: 'Web chat' },
  { field: 'channel', value: '5', name: 'web chat' },
  { field: 'actionId', value: '-1', name: 'Message' },
];
const names = createNames(
  () => NAMES,
  () => undefined,
);

async function provideWith(own: Names) {
  const { global } = await provideApplication(new ScriptedBackend({}));
  return { ...global, provide: { ...global.provide, [namesKey as symbol]: own } };
}

describe('a named number', () => {
  it('is shown with its number, and its name stays text', () => {
    expect(names.toText('channel', 4)).toBe('Web chat 4');
    expect(names.toText('service', 4)).toBe('4');
    expect(names.toText('actionId', '-1')).toBe('Message -1');
    expect(mount(NamedValue, { props: { field: 'channel', value: 4 } }).text()).toBe('4');
    const cell = renderNamed('channel')({ data: { channel: 3 }, context: { names } } as never) as HTMLElement;
    expect(cell.textContent).toBe('<b>WhatsApp</b>3');
    expect(cell.querySelector('b')).toBeNull();
    expect(cell.querySelector<HTMLElement>('.cs-name-mark')?.dataset['colour']).toBe('green');
    expect(cell.title).toBe('<b>WhatsApp</b> 3');
    expect(formatNamed([1, 2, 3, 7], 'channel', names)).toBe('<b>WhatsApp</b> 3, 1, 2, 7');
  });

  it('is told of in a session, too', async () => {
    const global = await provideWith(names);
    const row = mount(WaterfallRow, {
      props: {
        request: makeRequest(),
        message: null,
        axis: createSessionAxis([], true),
        gaps: [],
        zone: 'UTC',
      },
      global,
    });
    expect(row.get('.sr-only').text()).toContain('channel <b>WhatsApp</b> 3, service 7');
    expect(row.get('.place').attributes('title')).toBe('Channel <b>WhatsApp</b> 3 · Service 7');
    expect(row.get('.place').text()).toBe('3·7');
    expect(row.get('.cs-name-mark').attributes('data-colour')).toBe('green');
  });

  it('needs no other word below the heading that says what it is', async () => {
    const global = await provideWith(names);
    const traffic = [3, 9].map((channel) => ({ Division: 1, Channel: channel, Service: 1, Sessions: 2 }));
    const column = mount(SessionColumn, { props: { traffic, grouping: 'channel', limit: 5 }, global });
    expect(column.findAll('.name').map((label) => label.text())).toEqual(['<b>WhatsApp</b> 3', 'Channel 9']);
  });

  it('is completed by its name, with the number beside it, unless another has the same', () => {
    const facets = makeFacets({ channels: [3, 4, 5].map((value) => ({ value, count: 10 })) });
    const complete = (query: string) =>
      completeQuery(query, query.length, { direction: 'inbound', facets, names }).options.map(
        ({ text, note }) => `${text} (${note ?? ''})`,
      );
    expect(complete('channel:<b')).toEqual(['"<b>WhatsApp</b>" (3)']);
    expect(complete('channel:web')).toEqual(['4 (Web chat)', '5 (web chat)']);
    expect(complete('channel:5')).toEqual([]);
  });
});

describe('names as rows and files', () => {
  it('come back from a file as they were', () => {
    expect(readNames(writeNames(NAMES))).toEqual(NAMES);
    expect(readNames('{"names":[{"field":"channel","value":3,"name":"A","colour":"red"}]}')).toEqual([
      { field: 'channel', value: '3', name: 'A' },
    ]);
  });

  it('come back from CSV as they were, formulas, quotes and line ends included', () => {
    const odd: ValueName[] = [
      { field: 'channel', value: '1', name: '=HYPERLINK("x")' },
      { field: 'service', value: '2', name: 'A, "B"; C', colour: 'pink' },
      { field: 'actionId', value: '-1', name: "'quoted" },
    ];
    const text = writeNamesCsv(odd);
    expect(text.split('\r\n')[1]).toBe(`channel,1,"'=HYPERLINK(""x"")",`);
    expect(readNames(text)).toEqual(odd);
    expect(readNames(writeNamesCsv(NAMES))).toEqual(NAMES);
  });

  it.each([
    'field;number;name;colour\nchannel;3;WhatsApp;green\n;;;\n',
    '\ufeffName,Colour,Number,Field,Remark\r\nWhatsApp,Green,3,Channel,ours\r\n',
    'channel\t3\tWhatsApp\tgreen',
    'channel,3,WhatsApp,green\r',
  ])('come as any spreadsheet writes them: %j', (text) => {
    expect(readNames(text)).toEqual([{ field: 'channel', value: '3', name: 'WhatsApp', colour: 'green' }]);
  });

  it.each([
    'field,number\nchannel,3',
    'tenant,3,A',
    'channel,3,Caf\ufffd',
    'channel,3,A\nchannel,3,B',
    'no JSON',
    'null',
    '[]',
    '{"names":[{"field":"tenant","value":3,"name":"A"}]}',
    '{"names":[{"field":"channel","value":3,"name":""}]}',
    '{"names":[{"field":"channel","value":3,"name":"A"},{"field":"channel","value":"3","name":"B"}]}',
    `{"names":[{"field":"channel","value":3,"name":"${'x'.repeat(61)}"}]}`,
  ])('are not read from %s', (text) => {
    expect(readNames(text)).toBeNull();
  });

  it('are merged by their numbers', () => {
    const next: ValueName = { field: 'channel', value: '4', name: 'Chat' };
    expect(mergeNames(NAMES, [next])).toEqual([NAMES[0], next, NAMES[2], NAMES[3]]);
  });

  it('are marked where they are wrong or the same as another', () => {
    const rows = toRows([...NAMES, { field: 'channel', value: '4', name: '12' }]);
    expect(rows.map((row) => findRowFault(row, rows))).toEqual([null, null, null, null, 'value-repeated']);
    expect(rows.map((row) => isRepeated(row, rows))).toEqual([false, true, true, false, false]);
    rows[4]!.value = '6';
    expect(findRowFault(rows[4]!, rows)).toBe('name-a-number');
    Object.assign(rows[4]!, { value: ' ', name: '' });
    expect(toNames(rows)).toEqual(NAMES);
  });
});

describe('a number without a name', () => {
  const asked: unknown[] = [];
  const editable = createNames(
    () => NAMES,
    (target) => asked.push(target),
  );
  afterEach(() => asked.splice(0));

  it('is offered one from the list of counted values', async () => {
    const choices = [3, null].map((value) => ({
      choice: { field: 'channel' as const, value },
      count: 5,
      share: 0.5,
      state: null,
    }));
    const global = await provideWith(editable);
    const list = mount(ChoiceList, { props: { label: 'Channel', choices }, global });
    const buttons = list.findAll('button[aria-label^="Name "]');
    expect(buttons.map((button) => button.attributes('aria-label'))).toEqual(['Name <b>WhatsApp</b> 3…']);
    await buttons[0]?.trigger('click');
    expect(asked).toEqual([{ field: 'channel', value: '3' }]);
  });

  it('is offered one from the inspector, where there is a number', async () => {
    const global = await provideWith(editable);
    const record = { ...createRecord(0, { service: 9, channel: null }), extra: { Region: '"south"' } };
    const fields = mount(RecordFields, { props: { record }, global: surround(global, {}) });
    const buttons = fields.findAll('button[aria-label^="Name this"]');
    expect(buttons.map((button) => button.attributes('aria-label'))).toEqual(['Name this service…']);
    await buttons[0]?.trigger('click');
    expect(asked).toEqual([{ field: 'service', value: '9' }]);
  });
});

describe('the editor of names', () => {
  let dialog: VueWrapper | null = null;
  afterEach(() => {
    dialog?.unmount();
    sessionStorage.clear();
  });

  async function show(save: (input: Input<'connections/save-names'>) => Connection): Promise<void> {
    const { global } = await provideApplication(new ScriptedBackend({ 'connections/save-names': save }));
    dialog = mount(NamesDialog, {
      props: {
        open: true,
        connection: makeConnection({ names: NAMES.slice(0, 1) }),
        target: { field: 'service', value: '7' },
      },
      global,
      attachTo: document.body,
    });
    await flushPromises();
  }
  const inputs = (): HTMLInputElement[] => [...document.querySelectorAll<HTMLInputElement>('li input[id]')];
  const press = async (text: string): Promise<void> => {
    [...document.querySelectorAll('button')].find((one) => one.textContent.trim() === text)?.click();
    await flushPromises();
  };

  it('offers the number that it was opened for, refuses what can not be kept, and saves the rest', async () => {
    const saved: unknown[] = [];
    await show((input) => {
      saved.push(input);
      return makeConnection();
    });
    const last = inputs().at(-1)!;
    expect(inputs().map(({ value }) => value)).toEqual(['3', '<b>WhatsApp</b>', '7', '']);
    expect(document.activeElement).toBe(last);
    last.value = '12';
    last.dispatchEvent(new Event('input'));
    await press('Save names');
    expect(saved).toEqual([]);
    expect(document.querySelector('[role=alert]')?.textContent).toContain("can't be a number");
    last.value = 'Orders';
    last.dispatchEvent(new Event('input'));
    await press('Save names');
    expect(saved).toEqual([
      { connectionId: 'a', names: [NAMES[0], { field: 'service', value: '7', name: 'Orders' }] },
    ]);
    expect(dialog?.emitted('update:open')).toEqual([[false]]);
    expect(sessionStorage.getItem('channelscope.draft:names:a')).toBeNull();
  });

  it('keeps what was typed until it is saved or discarded, and nothing where nothing was typed', async () => {
    await show(() => makeConnection());
    expect(sessionStorage.getItem('channelscope.draft:names:a')).toBeNull();
    const last = inputs().at(-1)!;
    last.value = 'Ord';
    last.dispatchEvent(new Event('input'));
    await press('Close');
    dialog?.unmount();
    await show(() => makeConnection());
    expect(inputs().map(({ value }) => value)).toEqual(['3', '<b>WhatsApp</b>', '7', 'Ord']);
    await press('Discard');
    expect(inputs().map(({ value }) => value)).toEqual(['3', '<b>WhatsApp</b>']);
    expect(sessionStorage.getItem('channelscope.draft:names:a')).toBeNull();
  });
});
