import { mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineComponent, ref, useTemplateRef } from 'vue';
import type { RecordDetail, RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import { fromAddress } from '../../../../src-renderer/filters/filter.ts';
import {
  findHiddenFields,
  findRecordFields,
  findTerm,
  listSearchTerms,
  toRanges,
  useTableHighlight,
} from '../../../../src-renderer/highlight/highlight.ts';
import { makeRow } from '../../../support/samples/make-record.ts';

const terms = (query: string) => listSearchTerms(fromAddress({ q: query }));
const find = (text: string, wanted: string) =>
  findTerm(text, { fields: [], text: wanted }).map(([from, to]) => text.slice(from, to));
const ROW = makeRow({
  seq: 0,
  dateText: '',
  dateMs: 0,
  sessionId: 'abc-1',
  channel: 1,
  service: 2,
  responseTimeMs: 5,
  responseCode: 504,
  error: 'Timed out',
  payloadPreview: '{"text":"hello"}',
});

describe('what a filter looks for', () => {
  it('is its texts, without what it excludes, and without numbers', () => {
    const found = terms(
      'timeout error:lost client:"Ann" -origin:web channel:3 family:x (payload:a OR -payload:b)',
    ).map(({ fields, text, whole }) => [fields.length, text, whole]);
    expect(found).toEqual([
      [7, 'timeout', undefined],
      [1, 'lost', undefined],
      [1, 'Ann', 'any-case'],
      [1, 'a', undefined],
    ]);
  });

  it('is found whatever its case, at its own place', () => {
    expect(find('TIMEOUT, then timeout', 'Timeout')).toEqual(['TIMEOUT', 'timeout']);
    expect(find('İİ lost', 'lost')).toEqual(['lost']);
    expect(find('ΟΔΟΣ lost', 'οδοσ')).toEqual(['ΟΔΟΣ']);
    expect(find('aaaa', 'aa')).toHaveLength(2);
    expect(find('a.c', '.')).toEqual(['.']);
    expect(find('Große STRASSE', 'straße')).toEqual(['STRASSE']);
    expect(find('Große STRASSE', 'gross')).toEqual(['Groß']);
    expect(find('Cafe\u0301 Zu\u0308rich', 'é zür')).toEqual(['e\u0301 Zu\u0308r']);
    expect(find('İbrahim Çelik', 'i̇brahim ç')).toEqual(['İbrahim Ç']);
  });

  it('is the whole value where the filter compares whole values', () => {
    const count = (query: string) =>
      ['Ann', 'Anna', 'ann'].map((text) => findTerm(text, terms(query)[0]!).length);
    expect(count('client:=Ann')).toEqual([1, 0, 0]);
    expect(count('client:"Ann"')).toEqual([1, 0, 1]);
    expect(count('client:*nn')).toEqual([1, 0, 1]);
    expect(count('client:an*')).toEqual([1, 1, 1]);
  });

  it('has one range for each find, over several elements', () => {
    const cell = document.createElement('div');
    cell.innerHTML = '<b>Tim</b><i>ed out</i>, timed';
    const ranges = toRanges(cell, (text) => findTerm(text, { fields: [], text: 'timed' }));
    expect(ranges.map(String)).toEqual(['Timed', 'timed']);
  });
});

describe('the field in which a row was found', () => {
  const hidden = (query: string, shown: string[], row: RecordRow = ROW, direction = 'inbound' as const) =>
    findHiddenFields(row, terms(query), new Set(shown), direction);

  it('is not named while a column in view shows it', () => {
    expect(hidden('timed', ['error', 'client'])).toEqual([]);
    expect(hidden('hello', ['payload'])).toEqual([]);
    expect(hidden('channel:3', [])).toEqual([]);
  });

  it('is named where its column is not in view', () => {
    expect(hidden('timed', ['client'])).toEqual(['error']);
    expect(hidden('timed ann', ['error'])).toEqual(['client']);
  });

  it('is the payload or the response where the row doesn’t hold the text', () => {
    const everything = new Set(['error', 'client', 'payload', 'sessionId']);
    expect(findHiddenFields(ROW, terms('lost'), everything, 'outbound')).toEqual(['payload', 'response']);
    expect(findHiddenFields(ROW, terms('payload:lost'), everything, 'outbound')).toEqual(['payload']);
  });

  it('seen: a short text of a message, shown whole, for all of its payload', () => {
    const message = { ...ROW, payloadPreview: 'Hello' };
    expect(findHiddenFields(message, terms('attachments'), new Set(['payload']), 'inbound')).toEqual([
      'payload',
    ]);
  });

  it('is exact for a whole record', () => {
    const record: RecordDetail = {
      ...ROW,
      payload: 'nothing',
      response: 'It was LOST',
      payloadLength: 7,
      extra: {},
    };
    expect(findRecordFields(record, terms('lost'))).toEqual(['response']);
    expect(findRecordFields(record, terms('a error:timed'))).toEqual([
      'client',
      'sessionId',
      'response',
      'error',
    ]);
  });
});

describe('the table', () => {
  let page: VueWrapper;
  const filter = ref(fromAddress({ q: 'timed' }));
  const highlights = new Map<string, { ranges: Range[] }>();
  const readMarked = () => highlights.get('record-found-in-table')?.ranges.map(String) ?? [];

  beforeEach(() => {
    vi.stubGlobal('CSS', { ...globalThis.CSS, highlights });
    vi.stubGlobal(
      'Highlight',
      class {
        readonly ranges: Range[];
        constructor(...ranges: Range[]) {
          this.ranges = ranges;
        }
      },
    );
  });
  afterEach(() => {
    page.unmount();
    vi.unstubAllGlobals();
  });

  function show(): void {
    const Table = defineComponent({
      setup: () => {
        const box = useTemplateRef<HTMLElement>('box');
        useTableHighlight(box, {
          readFilter: () => filter.value,
          readDirection: () => 'inbound',
          readRow: (index) => (index === 2 ? null : ROW),
        });
      },
      template: `<div ref="box">
        <div class="ag-row" row-index="0"><i class="ag-cell" col-id="error">Timed out</i><i class="ag-cell" col-id="origin">timed</i></div>
        <div class="ag-row" row-index="1"><i class="ag-cell" col-id="channel">timed</i></div>
        <div class="ag-row" row-index="2"><i class="ag-cell" col-id="channel">1</i></div>
      </div>`,
    });
    page = mount(Table, { global: { plugins: [createMessages()] }, attachTo: document.body });
  }
  const readFound = () => page.findAll('.ag-row').map((row) => row.attributes('data-found'));

  it('marks the cells of the searched fields, and names a field that is not in view', async () => {
    show();
    await vi.waitFor(() => expect(readMarked()).toEqual(['Timed', 'timed']));
    expect(readFound()).toEqual([undefined, 'Error', undefined]);
  });

  it('follows what the grid draws and what the filter says', async () => {
    show();
    await vi.waitFor(() => expect(readMarked()).toHaveLength(2));
    page.get('[row-index="0"] [col-id=origin]').element.textContent = 'web';
    await vi.waitFor(() => expect(readMarked()).toEqual(['Timed']));
    filter.value = fromAddress({ q: 'channel:1' });
    await vi.waitFor(() => expect(readFound()).toEqual([undefined, undefined, undefined]));
    expect(readMarked()).toEqual([]);
    filter.value = fromAddress({ q: 'timed' });
    await vi.waitFor(() => expect(readMarked()).toEqual(['Timed']));
    page.unmount();
    expect(highlights.size).toBe(0);
  });

  it('works on without highlights where the browser has none', async () => {
    vi.stubGlobal('CSS', undefined);
    show();
    await vi.waitFor(() => expect(readFound()[1]).toBe('Error'));
  });
});
