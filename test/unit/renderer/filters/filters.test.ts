import { mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { parseQuery } from '../../../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../../../src-main/common/query/query-values.ts';
import { writeQuery } from '../../../../src-main/common/query/write-query.ts';
import {
  addCondition,
  findChoice,
  fromAddress,
  isTimeOutside,
  replacePart,
  setOnly,
  toAddress,
  toggleChoice,
  useDirectionLinks,
} from '../../../../src-renderer/filters/filter.ts';
import { withoutField } from '../../../../src-main/common/query/filter-tree.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const clock = createQueryClock('UTC');
const read = (query: string): RecordFilter => {
  const { filter, error } = parseQuery(query, clock);
  expect(error).toBeNull();
  return filter;
};
const write = (filter: RecordFilter): string => writeQuery(filter, clock);

describe('a filter in the address', () => {
  it('is its query, with times in UTC, and nothing where nothing is restricted', () => {
    const filter = read('service:7 -channel:3 date:2026-11-20T10:15..2026-11-20T10:20');
    const address = toAddress(filter);
    expect(address).toEqual({ q: 'service:7 -channel:3 date:2026-11-20T10:15..2026-11-20T10:20' });
    expect(fromAddress(address)).toEqual(filter);
    expect(toAddress({ conditions: [] })).toEqual({});
  });

  it('carries brackets, and what stands in them as a whole', () => {
    const q = '(code:>=500 OR "timed out") -(client:Ros* origin:web) error:/lost|gone/';
    expect(toAddress(read(q))).toEqual({ q });
    expect(toAddress(read('code:500 OR error:lost'))).toEqual({ q: 'code:500 OR error:lost' });
    // Half of the alternatives would find others than the link was made for.
    expect(write(fromAddress({ q: 'channel:3 (code:5xx OR sevice:7)' }))).toBe('channel:3');
  });

  it('leaves out what can not be read', () => {
    expect(write(fromAddress({ q: 'sevice:7 channel:x code:5xx' }))).toBe('code:5xx');
    expect(fromAddress({ q: ['code:5xx', null] })).toEqual(read('code:5xx'));
    expect(fromAddress({}).conditions).toEqual([]);
  });
});

describe('choosing values', () => {
  const channel = (value: number) => ({ field: 'channel', value }) as const;

  it('joins the values of a field, and takes the condition away with the last one', () => {
    const one = toggleChoice(read('code:5xx'), channel(3), 'included');
    const two = toggleChoice(one, channel(4), 'included');
    expect([write(one), write(two)]).toEqual(['code:5xx channel:3', 'code:5xx channel:3,4']);
    const back = toggleChoice(toggleChoice(two, channel(3), 'included'), channel(4), 'included');
    expect(write(back)).toBe('code:5xx');
  });

  it('moves a value between what is included and what is excluded', () => {
    const excluded = toggleChoice(read('channel:3,4'), channel(3), 'excluded');
    expect(write(excluded)).toBe('channel:4 -channel:3');
    expect([3, 4, 5].map((value) => findChoice(excluded, channel(value)))).toEqual([
      'excluded',
      'included',
      null,
    ]);
    expect(write(toggleChoice(excluded, channel(3), 'included'))).toBe('channel:4,3');
  });

  it('keeps classes and codes in one condition, and ranges in their own', () => {
    const byClass = toggleChoice(read('code:>=500'), { field: 'responseCode', codeClass: '4xx' }, 'included');
    expect(write(byClass)).toBe('code:>=500 code:4xx');
    const both = toggleChoice(byClass, { field: 'responseCode', value: 302 }, 'included');
    expect(write(both)).toBe('code:>=500 code:4xx,302');
  });

  it('puts one condition in the place of all on its field, adds none twice, and takes one out by its place', () => {
    const filter = read('channel:3 -channel:4 code:5xx');
    expect(write(setOnly(filter, { field: 'channel', values: [9] }))).toBe('code:5xx channel:9');
    expect(write(withoutField(filter, 'channel'))).toBe('code:5xx');
    expect(write(replacePart(filter, 1, []))).toBe('channel:3 code:5xx');
    expect(addCondition(filter, { field: 'channel', values: [3] })).toBe(filter);
  });
});

it.each([
  ['date:2026-11-20T10:00..2026-11-20T11:00', true],
  ['date:2026-11-20T10:00..2026-11-21T00:10', false],
  ['date:>=2026-11-22', true],
  ['-date:2026-11-20T10:00..2026-11-20T11:00', false],
  ['code:5xx', false],
])('whether no moment of the 21st can match %s', (query, isOutside) => {
  const day = { fromMs: Date.UTC(2026, 10, 21), toMs: Date.UTC(2026, 10, 22) };
  expect(isTimeOutside(read(query), day)).toBe(isOutside);
});

it('goes to the records of the other direction as far as its fields exist there, and back whole', async () => {
  const { global, router } = await provideApplication(
    new ScriptedBackend({}),
    '/inbound/detail?q=channel:3+botlatency:%3E%3D5',
  );
  let links!: ReturnType<typeof useDirectionLinks>;
  mount({ template: '<i />', setup: () => void (links = useDirectionLinks()) }, { global });
  const go = (direction: string) =>
    router.push(links.toTarget({ name: `${direction}-detail`, path: `/${direction}/detail` }));
  await go('outbound');
  expect(router.currentRoute.value.query).toEqual({ q: 'channel:3' });
  await go('inbound');
  expect(router.currentRoute.value.query).toEqual({ q: 'channel:3 botlatency:>=5' });
  await router.push('/inbound/detail?q=botlatency:%3E%3D5');
  await go('outbound');
  expect(router.currentRoute.value.query).toEqual({});
  await router.push('/inbound/detail?q=channel:3+(code:5xx+OR+botlatency:%3E5)');
  await go('outbound');
  expect(router.currentRoute.value.query).toEqual({ q: 'channel:3' });
  await router.push('/outbound/detail?q=code:5xx');
  await go('inbound');
  expect(router.currentRoute.value.query).toEqual({ q: 'code:5xx' });
  expect(links.toTarget({ name: 'library', path: '/library' })).toBe('/library');
});
