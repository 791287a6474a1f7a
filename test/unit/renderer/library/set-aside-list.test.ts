import { flushPromises, mount } from '@vue/test-utils';
import { createPinia } from 'pinia';
import { expect, test } from 'vitest';
import type { SetAsideEntry } from '../../../../src-main/common/model/cache/snapshot.ts';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import SetAsideList from '../../../../src-renderer/screens/library/details/SetAsideList.vue';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';

test('an entry says where it was cut, and shows as much as there is when asked', async () => {
  const make = (place: number, text: string, length: number | null): SetAsideEntry => ({
    pageNumber: 0,
    place,
    reason: 'no-known-field',
    text,
    length,
  });
  const entries = [
    make(0, '{"a":1}', 7),
    make(1, `{"b":"${'x'.repeat(600)}"}`, 608),
    make(2, 'y'.repeat(20_000), 31_000),
    make(3, 'z'.repeat(2000), null),
  ];
  const backend = new ScriptedBackend({
    'snapshots/read-set-aside': () => ({ total: entries.length, entries }),
  });
  const view = mount(SetAsideList, {
    props: { snapshot: makeSnapshot({ fromMs: 0, toMs: 1000 }, { pageCount: 1 }) },
    global: { plugins: [createPinia(), createMessages()], provide: { [backendKey as symbol]: backend } },
  });
  await flushPromises();
  const readCuts = () =>
    view.findAll('tbody tr').map((row) => row.find('.cut').exists() && row.get('.cut').text());
  expect(readCuts()).toEqual([
    false,
    'Cut after 400 of 608 characters. Show more',
    'Cut after 400 of 31,000 characters. Show more',
    'Cut after 400 characters. Show more',
  ]);
  for (const button of view.findAll('.cut button')) await button.trigger('click');
  expect(view.findAll('tbody bdi')[1]!.text()).toBe(entries[1]!.text);
  expect(readCuts()).toEqual([
    false,
    false,
    'Cut after 20,000 of 31,000 characters.',
    'Cut after 2,000 characters.',
  ]);
});
