import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { parseQuery } from '../../../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../../../src-main/common/query/query-values.ts';
import { writeQuery } from '../../../../src-main/common/query/write-query.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import FieldEditor from '../../../../src-renderer/screens/detail/filters/FieldEditor.vue';
import FilterChips from '../../../../src-renderer/screens/detail/filters/FilterChips.vue';
import QueryLine from '../../../../src-renderer/screens/detail/filters/QueryLine.vue';
import { surround } from '../support/surround.ts';
import { makeFacets } from '../../../support/samples/make-record.ts';

const global = surround({ plugins: [createMessages()] }, {});
const clock = createQueryClock('UTC');
const read = (query: string): RecordFilter => parseQuery(query, clock).filter;
const facets = makeFacets({
  codeClasses: [{ value: '5xx', count: 25 }],
  channels: [
    { value: 3, count: 60 },
    { value: 4, count: 20 },
  ],
});
const props = (query: string) => ({
  filter: read(query),
  facets,
});
/** The filters that a component asked for, as queries. */
const listChanges = (view: VueWrapper): string[] =>
  (view.emitted<[RecordFilter]>('change') ?? []).map(([filter]) => writeQuery(filter, clock));

describe('the chips', () => {
  it('show brackets as their text, which is edited there', async () => {
    const view = mount(FilterChips, {
      props: props('channel:3 -(code:5xx OR client:Ros*) error:*'),
      global,
      attachTo: document.body,
    });
    const texts = view.findAll('.chip').map((chip) => chip.text().replace(/\s+/g, ' '));
    expect(texts.slice(0, 3)).toEqual(['Channel 3', 'Query -(code:5xx OR client:Ros*)', 'Error has a value']);
    await view.findAll('.chip .open')[1]!.trigger('click');
    await flushPromises();
    const input = document.querySelector<HTMLInputElement>('.cs-popover input')!;
    const form = document.querySelector('.cs-popover form')!;
    const apply = async (text: string) => {
      input.value = text;
      input.dispatchEvent(new Event('input'));
      form.dispatchEvent(new Event('submit'));
      await flushPromises();
    };
    expect(input.value).toBe('-(code:5xx OR client:Ros*)');
    await apply('(code:5xx OR');
    expect(document.querySelector('.cs-popover [role=alert]')?.textContent).toContain('joins conditions');
    await apply('code:404 OR client:Ana');
    expect(listChanges(view)).toEqual(['channel:3 (code:404 OR client:Ana) error:*']);
    view.unmount();
  });

  const textsOf = (query: string): string[] =>
    mount(FilterChips, { props: props(query), global })
      .findAll('.chip')
      .map((chip) => chip.text().replace(/\s+/g, ' '));

  it('show each condition in the order of the query, then what else is offered', () => {
    expect(textsOf('-channel:3 responsetime:>=5000 "timed out" code:4xx,504')).toEqual([
      'Channel not 3',
      'Response ≥ 5,000 ms',
      'Text timed out',
      'Code 4xx, 504',
      'Service',
      'Origin',
    ]);
    expect(textsOf('botlatency:>500 responsetime:>=0.25,<1500').slice(0, 2)).toEqual([
      'Bot latency > 500 ms',
      'Response ≥ 0.25 ms, < 1,500 ms',
    ]);
    expect(textsOf('service:1,2,3 -error:~lost date:2026-11-20T10:15..2026-11-20T10:20:30')).toEqual([
      'Service 3 selected',
      'Error not contains lost',
      'Time 20 Nov 10:15 – 10:20:30',
      'Code',
      'Channel',
      'Origin',
      'Response',
    ]);
  });

  it.each([
    ['date:2026-11-20T22:00..2026-11-21T02:00', 'Time 20 Nov 22:00 – 21 Nov 02:00'],
    ['date:2026-11-20', 'Time 20 Nov, whole day'],
    ['date:2026-11-20..2026-11-21', 'Time 20 Nov – 21 Nov'],
    ['date:2026-11-20T10:15:30', 'Time 20 Nov 10:15:30 – 10:15:31'],
    ['date:>=2026-11-20T10:15', 'Time 20 Nov 10:15 – …'],
  ])('say of %s on which day it ends', (query, words) => {
    expect(textsOf(query)[0]).toBe(words);
  });

  it('clear their own condition only', async () => {
    const view = mount(FilterChips, { props: props('channel:3 -channel:4 code:5xx'), global });
    await view.findAll('button[aria-label="Clear Channel"]')[1]!.trigger('click');
    expect(listChanges(view)).toEqual(['channel:3 code:5xx']);
  });
});

describe('the editor of a field', () => {
  it('shows count and share of each value, and includes or excludes it', async () => {
    const view = mount(FieldEditor, { props: { ...props('-channel:4'), field: 'channel' }, global });
    expect(view.findAll('.choice').map((row) => row.text())).toEqual(['36075.0%', '42025.0%']);
    expect(view.get('[data-excluded]').text()).toBe('4');
    await view.get('[role=checkbox]').trigger('click');
    await view.get('button[aria-label="Exclude 3"]').trigger('click');
    await view.get('button[aria-label="Exclude 4"]').trigger('click');
    expect(listChanges(view)).toEqual(['-channel:4 channel:3', '-channel:4,3', '']);
  });

  it('lists the marks by their names, without counts, and nothing to type', async () => {
    const view = mount(FieldEditor, { props: { ...props('mark:flag'), field: 'mark' }, global });
    const choices = view.findAll('[role=checkbox]');
    expect(choices.map((choice) => choice.text())).toEqual(['Star', 'Flag', 'Done', 'Question']);
    expect(choices.map((choice) => choice.attributes('aria-checked'))).toEqual([
      ...['false', 'true', 'false', 'false'],
    ]);
    await choices[2]?.trigger('click');
    expect(listChanges(view)).toEqual(['mark:flag,check']);
    expect(view.find('form').exists()).toBe(false);
  });

  it('takes a typed range, and says what is wrong with one', async () => {
    const view = mount(FieldEditor, { props: { ...props(''), field: 'botLatencyMs' }, global });
    const [from, to] = view.findAll('input');
    await from!.setValue('9');
    await to!.setValue('1');
    await view.get('form').trigger('submit');
    expect(view.get('[role=alert]').text()).toContain('ends before it begins');
    await to!.setValue('90');
    await view.get('form').trigger('submit');
    await from!.setValue('5');
    await view.findAll('form button').at(-1)!.trigger('click');
    expect(listChanges(view)).toEqual(['botlatency:9..90', '-botlatency:>=5']);
    expect(view.find('[role=alert]').exists()).toBe(false);
  });
});

describe('the query line', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  const mountLine = (query: string) =>
    mount(QueryLine, { props: props(query), global, attachTo: document.body });
  async function type(view: VueWrapper, text: string): Promise<void> {
    await view.get('input').setValue(text);
    await vi.advanceTimersByTimeAsync(250);
    await flushPromises();
  }
  const textOf = (view: VueWrapper): string => view.get('input').element.value;

  it('mirrors the filter, and leaves the text of the person as it was typed', async () => {
    const view = mountLine('service:7 -channel:3');
    expect(textOf(view)).toBe('service:7 -channel:3');
    await type(view, 'SERVICE:7   code:5xx');
    expect(listChanges(view)).toEqual(['service:7 code:5xx']);
    await view.setProps({ filter: read('service:7 code:5xx') });
    expect(textOf(view)).toBe('SERVICE:7   code:5xx');
    await view.setProps({ filter: read('service:7') });
    expect(textOf(view)).toBe('service:7');
    view.unmount();
  });

  it('applies a pause of the typing once, and Enter at once', async () => {
    const view = mountLine('');
    await view.get('input').setValue('t');
    await view.get('input').setValue('ti');
    expect(listChanges(view)).toEqual([]);
    await vi.advanceTimersByTimeAsync(250);
    expect(listChanges(view)).toEqual(['ti']);
    await view.get('input').setValue('tim');
    await view.get('input').trigger('keydown', { key: 'Enter' });
    expect(listChanges(view)).toEqual(['ti', 'tim']);
    view.unmount();
  });

  it('offers what was perhaps meant, and takes it by a click', async () => {
    const view = mountLine('');
    await type(view, 'code:500 or code:504');
    expect(view.get('[role=status]').text()).toContain('is searched as a word');
    await view.get('.offers button').trigger('click');
    expect(textOf(view)).toBe('code:500 OR code:504');
    expect(listChanges(view).at(-1)).toBe('code:500,504');
    await type(view, 'TypeError: x');
    await view.get('.offers button').trigger('click');
    expect(listChanges(view).at(-1)).toBe('"TypeError: x"');
    await type(view, 'a (b');
    await view.get('input').trigger('blur');
    expect(view.get('[role=alert]').text()).toContain('bracket is not closed');
    expect(view.findAll('.wrong').map((part) => part.text())).toEqual(['(', 'b']);
    view.unmount();
  });

  it('keeps the last good filter while the text has a fault, and says where and what is expected', async () => {
    const view = mountLine('code:5xx');
    await type(view, 'code:5xx sevice:8');
    expect(listChanges(view)).toEqual([]);
    expect(view.get('[role=alert]').text()).toContain(
      'There is no field “sevice”. Fields: outcome, code, channel',
    );
    expect(view.get('[role=alert]').text()).not.toContain('action');
    expect(view.findAll('.wrong').map((part) => part.text())).toEqual(['sevice']);
    expect(view.get('input').attributes('aria-invalid')).toBe('true');
    await view.get('input').trigger('keydown', { key: 'Escape' });
    expect(textOf(view)).toBe('code:5xx');
    expect(view.find('[role=alert]').exists()).toBe(false);
    view.unmount();
  });

  it('completes names and values by keyboard', async () => {
    const view = mountLine('');
    const press = (key: string) => view.get('input').trigger('keydown', { key });
    const options = (): string[] => view.findAll('[role=option]').map((option) => option.text());
    await type(view, 'chan');
    expect(listChanges(view)).toEqual([]);
    expect(options()).toEqual(['channel:']);
    await press('Tab');
    expect(textOf(view)).toBe('channel:');
    expect(options()).toEqual(['360', '420']);
    // A value that nobody has reached is not taken.
    await press('Tab');
    expect(textOf(view)).toBe('channel:');
    await press('ArrowDown');
    await press('ArrowDown');
    const active = view.get('input').attributes('aria-activedescendant');
    expect(view.get(`[id="${active}"]`).attributes('aria-selected')).toBe('true');
    await press('Enter');
    expect(textOf(view)).toBe('channel:4');
    expect(options()).toEqual([]);
    await press('Enter');
    expect(listChanges(view)).toEqual(['channel:4']);
    view.unmount();
  });

  it('leaves arrows and Enter to an input method that composes', async () => {
    const view = mountLine('');
    await view.get('input').setValue('chan');
    for (const key of ['ArrowDown', 'Enter', 'Tab', 'Escape']) {
      await view.get('input').trigger('keydown', { key, isComposing: true });
    }
    expect(view.get('input').attributes('aria-activedescendant')).toBeUndefined();
    expect([textOf(view), listChanges(view)]).toEqual(['chan', []]);
    view.unmount();
  });

  it('searches a pasted message as text and says so, until something else is typed', async () => {
    const view = mountLine('');
    const paste = (text: string) =>
      view.get('input').trigger('paste', { clipboardData: { getData: () => text } });
    await paste('code:5xx');
    expect(textOf(view)).toBe('');
    await paste('TypeError: x is -1\n  at a.js');
    await vi.advanceTimersByTimeAsync(250);
    expect(listChanges(view)).toEqual(['"TypeError: x is -1"']);
    expect(view.find('[role=alert]').exists()).toBe(false);
    expect(view.get('[role=status]').text()).toContain('Searched as text');
    await type(view, 'code:5xx');
    expect(view.find('[role=status]').exists()).toBe(false);
    await type(view, 'https://a.test/b');
    expect(listChanges(view).at(-1)).toBe('"https://a.test/b"');
    expect(view.get('[role=status]').text()).toContain('is searched as text');
    view.unmount();
  });
});
