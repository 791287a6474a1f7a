import { flushPromises, mount } from '@vue/test-utils';
import { expect, it, vi } from 'vitest';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { toVisible } from '../../../../src-main/common/words/visible-text.ts';
import RecordInspector from '../../../../src-renderer/inspector/RecordInspector.vue';
import {
  createColumns,
  listDefaultLayout,
} from '../../../../src-renderer/screens/detail/grid/grid-columns.ts';
import SetAsideList from '../../../../src-renderer/screens/library/details/SetAsideList.vue';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { makeRecord } from '../../../support/samples/make-record.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const WHOLE = `${'p'.repeat(1_000_000)} and the end`;
const RECORD = makeRecord({
  client: 'An\0na',
  responseCode: 504,
  error: 'Timed\0out',
  botLatencyMs: 143,
  response: 'first\0second',
  payload: 'p'.repeat(1_000_000),
  payloadLength: WHOLE.length,
  cutLengths: { payload: WHOLE.length },
  extra: { Region: JSON.stringify('so\0uth') },
});

function formatCell(columnId: string, row: Partial<RecordRow>): string {
  const columns = createColumns('inbound', {
    layout: listDefaultLayout('inbound'),
    order: [],
    t: String,
    readZone: () => 'UTC',
  });
  const { field, valueFormatter } = columns.find(({ colId }) => colId === columnId) ?? {};
  const value: unknown = row[field as keyof RecordRow];
  return typeof valueFormatter === 'function' ? valueFormatter({ value } as never) : String(value);
}

it('seen: a text that ended at its NUL, since nothing is drawn for one', () => {
  expect(toVisible('a\0b\u001b[1m\tc\nd\u007f')).toBe('a␀b␛[1m\tc\nd␡');
  expect(formatCell('error', { error: 'Timed\0out' })).toBe('Timed␀out');
  expect(formatCell('payload', { payloadPreview: 'before\0after' })).toBe('before␀after');
});

it('says of a long error in the tooltip of its cell no more than can be read there', () => {
  const columns = createColumns('inbound', {
    layout: listDefaultLayout('inbound'),
    order: [],
    t: String,
    readZone: () => 'UTC',
  });
  const { tooltip } = columns.find(({ colId }) => colId === 'error') ?? {};
  const tip = (value: string): unknown =>
    typeof tooltip === 'function' ? tooltip({ value } as never) : null;
  expect(tip('Timed\0out')).toBe('Timed␀out');
  expect(tip('W'.repeat(300_000))).toBe(`${'W'.repeat(1000)}…`);
});

it('seen: a name that an override turned around, so that gnp.exe read as exe.png', () => {
  expect(toVisible('\u202egnp.exe\u202c')).toBe('␦gnp.exe\u202c');
  expect(formatCell('payload', { payloadPreview: 'a\u202db' })).toBe('a␦b');
  // Texts of right-to-left languages keep what lays them out.
  expect(toVisible('שלום \u2067abc\u2069\u200f')).toBe('שלום \u2067abc\u2069\u200f');
});

it('says in the table that a preview is the beginning of something longer', () => {
  expect(formatCell('payload', { payloadPreview: 'x'.repeat(119) })).toBe('x'.repeat(119));
  expect(formatCell('payload', { payloadPreview: '😀'.repeat(120) })).toBe(`${'😀'.repeat(120)}…`);
});

it('seen: an unreadable entry that ended after 400 characters without a word', async () => {
  const entries = ['long '.repeat(100), 'sh\0ort'].map((text, place) => ({
    pageNumber: 0,
    place,
    reason: 'not-an-object',
    text,
    length: text.length,
  }));
  const backend = new ScriptedBackend({ 'snapshots/read-set-aside': () => ({ total: 2, entries }) });
  const { global } = await provideApplication(backend);
  const list = mount(SetAsideList, { props: { snapshot: makeSnapshot({ fromMs: 0, toMs: 1000 }) }, global });
  await flushPromises();
  const [long, short] = list.findAll('tbody tr').map((row) => row.text());
  expect(long).toContain('Cut after 400 of 500 characters.');
  expect(short).toMatch(/sh␀ort$/);
});

it('seen: a copy that ended where the shown text was cut', async () => {
  const written: string[] = [];
  Object.assign(document, {
    execCommand: () => written.push([...document.querySelectorAll('textarea')].at(-1)?.value ?? ''),
  });
  vi.spyOn(navigator.clipboard, 'write').mockRejectedValue(new Error('not allowed'));
  const backend = new ScriptedBackend({
    'records/read-record': ({ whole }) => (whole === true ? { ...RECORD, payload: WHOLE } : RECORD),
    'records/read-raw': () => ({ text: null }),
  });
  const { global } = await provideApplication(backend);
  const props = { record: RECORD, target: { snapshotId: 1, seq: 4 }, direction: 'inbound' as const };
  const view = mount(RecordInspector, {
    props: { ...props, session: null, loading: false, error: null },
    global,
    attachTo: document.body,
  });
  expect(view.text()).toContain('Showing the first 50,000 of 1,000,012 characters.');
  expect(view.text()).toContain('first␀second');
  expect(view.get('[data-field=error]').text()).toContain('Timed␀out');
  expect(view.findAll('dd').map((value) => value.text())).toEqual(
    expect.arrayContaining(['An␀na', 'so␀uth']),
  );
  for (const selector of ['[data-field=payload] button', '.copies button', '[data-field=response] button']) {
    await view.get(selector).trigger('click');
    await flushPromises();
  }
  expect(written.map((text) => text.length)).toEqual([WHOLE.length, expect.any(Number), 12]);
  expect(written[0]).toBe(WHOLE);
  expect((JSON.parse(written[1] ?? '') as { Payload: string }).Payload).toBe(WHOLE);
  // What is whole is not read again.
  expect(backend.countCalls('records/read-record')).toBe(2);
  view.unmount();
});

it('marks what a service said as such: a browser that translates the window would otherwise translate it', async () => {
  const backend = new ScriptedBackend({ 'records/read-raw': () => ({ text: null }) });
  const { global } = await provideApplication(backend);
  const view = mount(RecordInspector, {
    props: {
      record: { ...RECORD, payload: 'the text', payloadLength: 8, cutLengths: {} },
      target: { snapshotId: 1, seq: 4 },
      direction: 'inbound' as const,
      session: null,
      loading: false,
      error: null,
    },
    global,
  });
  for (const said of ['Timed␀out', 'first␀second', 'the text', 'so␀uth', 'An␀na']) {
    const inner = view
      .findAll('*')
      .filter((each) => each.text() === said)
      .at(-1);
    expect(inner?.element.closest('[translate=no], .mono, pre, code'), said).not.toBeNull();
    expect(inner, said).toBeDefined();
  }
  view.unmount();
});
