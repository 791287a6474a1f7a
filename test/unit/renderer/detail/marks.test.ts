import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { RecordDetail } from '../../../../src-main/common/model/records/record.ts';
import { parseQuery } from '../../../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../../../src-main/common/query/query-values.ts';
import { listQueryFields } from '../../../../src-main/common/query/query-fields.ts';
import { writeQuery } from '../../../../src-main/common/query/write-query.ts';
import { renderDate } from '../../../../src-renderer/screens/detail/grid/grid-columns.ts';
import MarkEditor from '../../../../src-renderer/inspector/MarkEditor.vue';
import { useMarksStore } from '../../../../src-renderer/stores/records/kept.ts';
import { makeRecord } from '../../../support/samples/make-record.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

let editor: VueWrapper | null = null;
afterEach(() => {
  editor?.unmount();
  sessionStorage.clear();
});

async function show(record: RecordDetail) {
  const calls: Input<'marks/change'>[] = [];
  const { global } = await provideApplication(
    new ScriptedBackend({
      'marks/change': (input: Input<'marks/change'>) => {
        calls.push(input);
        return null;
      },
    }),
  );
  editor = mount(MarkEditor, { props: { record }, global, attachTo: document.body });
  return { calls, view: editor };
}

describe('the mark and note of a record', () => {
  const records = [{ snapshotId: 1, seq: 4 }];

  it('are set and taken away by buttons that say which one is set', async () => {
    const { calls, view } = await show(makeRecord({ mark: { mark: 'flag', note: '' } }));
    const press = (name: string) => view.get(`[aria-label="${name}"]`).trigger('click');
    expect(view.get('[aria-label="Flag"]').attributes('aria-pressed')).toBe('true');
    await press('Star');
    await press('Flag');
    expect(calls).toEqual([
      { records, change: { mark: 'star' } },
      { records, change: { mark: null } },
    ]);
  });

  it('save a note on request, show it as text, and follow the record', async () => {
    const { calls, view } = await show(makeRecord({ mark: { mark: null, note: '<b>old</b>' } }));
    const note = view.get('textarea');
    expect(note.element.value).toBe('<b>old</b>');
    expect(view.findAll('button').map((button) => button.text())).not.toContain('Save note');
    await note.setValue('new');
    await view
      .findAll('button')
      .find((button) => button.text() === 'Save note')!
      .trigger('click');
    expect(calls).toEqual([{ records, change: { note: 'new' } }]);
    await view.setProps({ record: makeRecord({ seq: 5 }) });
    expect(note.element.value).toBe('');
  });

  it('keep what is being typed when the record comes again with another mark', async () => {
    const { view } = await show(makeRecord());
    await view.get('textarea').setValue('half a note');
    await view.setProps({ record: makeRecord({ mark: { mark: 'star', note: '' } }) });
    expect(view.get('textarea').element.value).toBe('half a note');
  });

  it('keep what is being typed for its record while another one is shown', async () => {
    const { view } = await show(makeRecord());
    await view.get('textarea').setValue('half a note');
    await view.setProps({ record: makeRecord({ seq: 5 }) });
    expect(view.get('textarea').element.value).toBe('');
    await view.setProps({ record: makeRecord() });
    expect(view.get('textarea').element.value).toBe('half a note');
    await view.setProps({ record: makeRecord({ mark: { mark: null, note: 'half a note' } }) });
    expect(sessionStorage.getItem('channelscope.draft:note:1:4')).toBeNull();
  });

  it('give the note the caret when that was asked for', async () => {
    const { view } = await show(makeRecord());
    useMarksStore().wantNote({ snapshotId: 1, seq: 9 });
    await flushPromises();
    expect(document.activeElement).not.toBe(view.get('textarea').element);
    await view.setProps({ record: makeRecord({ seq: 9 }) });
    expect(document.activeElement).toBe(view.get('textarea').element);
  });

  it('toggle the star over several records', async () => {
    const { calls } = await show(makeRecord());
    const marks = useMarksStore();
    const star = { mark: 'star', note: '' } as const;
    await marks.toggleStar([makeRecord({ mark: star }), makeRecord({ seq: 5 })]);
    await marks.toggleStar([makeRecord({ mark: star })]);
    await marks.toggleStar([]);
    // Selected before it got the star.
    await marks.toggleStar([makeRecord({ seq: 5 })]);
    await marks.toggleStar([makeRecord({ seq: 5 })]);
    expect(calls.map(({ change }) => change.mark)).toEqual(['star', null, null, 'star']);
    const many = Array.from({ length: 150 }, (_, seq) => makeRecord({ seq: seq + 10 }));
    await marks.toggleStar(many);
    expect(calls.slice(4).map(({ records }) => records.length)).toEqual([100, 50]);
  });
});

it('a marked row carries its sign, its words, and nothing but text', () => {
  const context = { names: {}, describeMark: () => 'Star. Note: <b>x</b>' };
  const draw = (data: RecordDetail) => renderDate({ data, value: data.dateText, context } as never);
  expect(draw(makeRecord())).toBe('2026-11-20T15:51:36.402Z');
  const cell = draw(makeRecord({ mark: { mark: 'star', note: '<b>x</b>' } })) as HTMLElement;
  expect(cell.textContent).toBe('★2026-11-20T15:51:36.402Z');
  expect(cell.querySelector('[role=img]')?.getAttribute('aria-label')).toBe('Star. Note: <b>x</b>');
});

it('marks and notes are named in queries', () => {
  const clock = createQueryClock('UTC');
  const { filter, error } = parseQuery('mark:star,flag -mark:"" note:"ticket 5"', clock);
  expect(error).toBeNull();
  expect(filter.conditions).toEqual([
    { field: 'mark', values: ['star', 'flag'] },
    { field: 'mark', values: [''], exclude: true },
    { field: 'note', text: 'ticket 5' },
  ]);
  expect(listQueryFields('outbound').map(({ keyword }) => keyword)).toContain('mark');
  expect(writeQuery(filter, clock)).toBe('mark:star,flag mark:* note:"ticket 5"');
});
