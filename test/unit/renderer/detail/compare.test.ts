import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import type { RecordDetail } from '../../../../src-main/common/model/records/record.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import {
  alignLines,
  compareRecords,
  markParts,
  toComparisonMarkdown,
  toShownRows,
} from '../../../../src-renderer/screens/detail/compare/compare-records.ts';
import CompareDialog from '../../../../src-renderer/screens/detail/compare/CompareDialog.vue';
import { onRowKey } from '../../../../src-renderer/screens/detail/grid/row-picks.ts';
import { makeRecord } from '../../../support/samples/make-record.ts';
import { surround } from '../support/surround.ts';

const withPayload = (payload: string, change: Partial<RecordDetail> = {}): RecordDetail =>
  makeRecord({ payload, ...change });
const marked = (line: string, other: string | null): string =>
  markParts(line, other)
    .map(({ text, differs }) => (differs ? `[${text}]` : text))
    .join('');

describe('laying texts beside one another', () => {
  it('keeps equal lines in one row, changed ones opposite each other, and others in rows of their own', () => {
    expect(
      alignLines([
        ['a', 'b', 'c', 'd'],
        ['a', 'B', 'c', 'd', 'e'],
        ['x', 'a', 'b', 'd'],
      ]),
    ).toEqual([
      [null, null, 'x'],
      ['a', 'a', 'a'],
      ['b', 'B', 'b'],
      ['c', 'c', null],
      ['d', 'd', 'd'],
      [null, 'e', null],
    ]);
  });

  it('loses and repeats no line, whatever the texts', () => {
    const pick = (seed: number): string[] =>
      Array.from({ length: (seed * 7) % 12 }, (_, index) => 'abc'.charAt((seed * (index + 3) + index) % 3));
    for (let seed = 0; seed < 200; seed += 1) {
      const texts = [pick(seed), pick(seed + 5), pick(seed * 3 + 1)];
      const rows = alignLines(texts);
      texts.forEach((text, column) => expect(rows.flatMap((row) => row[column] ?? [])).toEqual(text));
      expect(rows.some((row) => row.every((value) => value === null))).toBe(false);
    }
  });

  it('answers at once for texts too long to align', () => {
    const long = (mark: string): string[] =>
      Array.from({ length: 5_000 }, (_, index) => `${mark}${index % 7}`);
    const rows = alignLines([long('a'), long('b')]);
    expect(rows).toHaveLength(5_000);
    expect(rows[4_999]).toEqual(['a1', 'b1']);
  });
});

describe('what differs in a line', () => {
  it('is marked by words', () => {
    expect(marked('Timeout after 30 s at host b', 'Timeout after 60 s at host a')).toBe(
      'Timeout after [30] s at host [b]',
    );
    expect(marked('same', 'same')).toBe('same');
    expect(marked('new', null)).toBe('[new]');
  });

  it('stays in view in a line of a million characters, and no character is parted', () => {
    const start = '😀'.repeat(200_000);
    const parts = markParts(`${start}😁x${'y'.repeat(500_000)}`, `${start}😂x${'y'.repeat(500_000)}`);
    const shown = parts.map(({ text }) => text).join('');
    expect(shown.length).toBeLessThan(700);
    expect(parts.filter(({ differs }) => differs).map(({ text }) => text)).toEqual(['😁']);
    expect(shown.isWellFormed()).toBe(true);
  });
});

describe('comparing records', () => {
  const find = (fields: ReturnType<typeof compareRecords>, name: string) =>
    fields.find((field) => field.name === name)!;

  it('lists the fields of the service in its order, then those that it added', () => {
    const fields = compareRecords(
      [makeRecord({ extra: { Region: '"south"' } }), makeRecord({ channel: 4 })],
      'inbound',
      'UTC',
    );
    expect(fields[0]?.name).toBe('Id');
    expect(fields.at(-1)).toMatchObject({ name: 'Region', differs: true, rows: [['south', null]] });
    expect(find(fields, 'Channel')).toMatchObject({ differs: true, rows: [['3', '4']] });
    expect(fields.filter(({ differs }) => differs)).toHaveLength(2);
  });

  it('shows dates as the clock does, before the text as received', () => {
    const dates = [
      makeRecord({ dateText: '/Date(1795169700000)/', dateMs: Date.UTC(2026, 10, 20, 10, 15) }),
      makeRecord({ dateText: '2026-11-20T10:15:00Z', dateMs: Date.UTC(2026, 10, 20, 10, 15) }),
      makeRecord({ dateText: 'soon', dateMs: null }),
    ];
    const fields = compareRecords(dates, 'inbound', 'America/Bogota');
    const moment = '2026-11-20 05:15:00.000';
    expect(find(fields, 'Date (America/Bogota)').rows).toEqual([[moment, moment, null]]);
    expect(find(fields, 'Date').rows).toEqual([['/Date(1795169700000)/', '2026-11-20T10:15:00Z', 'soon']]);
  });

  it('lays JSON out over lines, and leaves other texts as they are', () => {
    const fields = compareRecords(
      [withPayload('{"a":1,"b":2}'), withPayload('{"a":1,"b":3}')],
      'inbound',
      'UTC',
    );
    expect(find(fields, 'Payload').rows).toEqual([
      ['{', '{'],
      ['  "a": 1,', '  "a": 1,'],
      ['  "b": 2', '  "b": 3'],
      ['}', '}'],
    ]);
    const plain = compareRecords([withPayload('{"a":1}'), withPayload('no JSON')], 'inbound', 'UTC');
    expect(find(plain, 'Payload').rows).toEqual([['{"a":1}', 'no JSON']]);
  });

  it('says so where only the beginning of a payload or a response is known, in the copy too', () => {
    const records = [9, 8].map((length) =>
      makeRecord({ response: 'bbb', cutLengths: { payload: 7, response: length } }),
    );
    const fields = compareRecords(records, 'outbound', 'UTC');
    expect(find(fields, 'Payload')).toMatchObject({ isCut: true, differs: false });
    expect(find(fields, 'Reponse')).toMatchObject({ isCut: true, differs: true });
    const copy = toComparisonMarkdown(['a', 'b'], fields, false, 'cut');
    expect(copy).toContain('| Reponse (cut) | ≠ | bbb | bbb |');
  });

  it('counts the equal lines that it leaves out, and the lines that are too many', () => {
    const lines = (mark: string): string =>
      Array.from({ length: 4_000 }, (_, index) => `${mark}${index}`).join('\n');
    const same = `x\n${'y\n'.repeat(10)}`;
    const field = find(
      compareRecords([withPayload(`${same}1`), withPayload(`${same}2`)], 'inbound', 'UTC'),
      'Payload',
    );
    expect(toShownRows(field, true).rows).toEqual([11, ['1', '2']]);
    const long = find(
      compareRecords([withPayload(lines('a')), withPayload(lines('b'))], 'inbound', 'UTC'),
      'Payload',
    );
    expect(toShownRows(long, false)).toMatchObject({ restCount: 2_500 });
  });

  it('is copied as a table in which values stay text', () => {
    const records = [makeRecord({ client: '*Ann* | <b>' }), makeRecord({ client: 'Bob' })];
    const text = toComparisonMarkdown(
      ['Record 1', 'Record 2'],
      compareRecords(records, 'inbound', 'UTC'),
      true,
      'cut',
    );
    expect(text.split('\n')[2]).toBe(String.raw`| Client | ≠ | \*Ann\* \| \<b\> | Bob |`);
    expect(text.trim().split('\n')).toHaveLength(3);
  });
});

describe('the dialog', () => {
  let dialog: VueWrapper;
  afterEach(() => dialog.unmount());
  const rows = (): string[] =>
    [...document.querySelectorAll('tbody th .label')].map(({ textContent }) => textContent);

  it('shows what was received as text, and the differences only on request', async () => {
    dialog = mount(CompareDialog, {
      props: {
        open: true,
        records: [makeRecord({ client: '<img src=x>' }), makeRecord({ seq: 1, client: 'Bob' })],
      },
      global: surround({ plugins: [createMessages()] }, {}),
      attachTo: document.body,
    });
    await flushPromises();
    expect(document.querySelector('[role=dialog]')?.textContent).toContain('<img src=x>');
    expect(document.querySelector('[role=dialog] img')).toBeNull();
    expect(document.querySelector('[role=dialog]')?.textContent).toMatch(/1 of \d+ fields differ/);
    expect(rows().length).toBeGreaterThan(8);
    document.querySelector<HTMLElement>('[role=switch]')?.click();
    await flushPromises();
    expect(rows()).toEqual(['Client']);
  });

  it('answers its key in a cell only, and without modifiers', () => {
    document.body.innerHTML = '<p></p><div role="gridcell"></div>';
    let count = 0;
    const press = (selector: string, ctrlKey = false): void => {
      const target = document.querySelector(selector);
      const event = { key: 'c', ctrlKey, target, preventDefault: () => undefined };
      onRowKey(event as unknown as KeyboardEvent, { c: () => (count += 1) });
    };
    press('p');
    press('div', true);
    expect(count).toBe(0);
    press('div');
    expect(count).toBe(1);
    document.body.innerHTML = '';
    dialog = mount({ template: '<i />' });
  });
});
