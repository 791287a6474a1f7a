import { flushPromises, mount } from '@vue/test-utils';
import { expect, test } from 'vitest';
import type { OtherFields } from '../../../../src-main/common/model/cache/snapshot.ts';
import SnapshotFacts from '../../../../src-renderer/screens/library/details/SnapshotFacts.vue';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';

async function show(pages: readonly OtherFields[]) {
  const backend = new ScriptedBackend({
    'snapshots/read-envelope': ({ pageNumber }) => pages[pageNumber]!,
  });
  const { global } = await provideApplication(backend);
  const change = { pageCount: pages.length, nameVisualization: 'Incoming, by hour' };
  const view = mount(SnapshotFacts, {
    props: { snapshot: makeSnapshot({ fromMs: 0, toMs: 1000 }, change) },
    global,
  });
  await flushPromises();
  return view;
}

test('what a service says beside the records stands in the details, as text, of the first and the last page', async () => {
  const view = await show([
    { fields: { region: '"<b>eu</b>"', price: '1.50' }, leftOut: 0 },
    { fields: { middle: '1' }, leftOut: 0 },
    { fields: {}, leftOut: 2 },
  ]);
  expect(view.text()).toContain('Incoming, by hour');
  expect(view.findAll('h3').map((title) => title.text())).toEqual([
    'Other fields of page 1, as received',
    'Other fields of page 3, as received',
  ]);
  expect(view.findAll('.other dd').map((value) => value.text())).toEqual(['<b>eu</b>', '1.50']);
  expect(view.text()).toContain('2 more fields are too long or too deep to be shown.');
});

test('nothing stands there where a service says nothing else, and nothing twice', async () => {
  expect((await show([])).findAll('h3')).toEqual([]);
  expect((await show([{ fields: {}, leftOut: 0 }])).findAll('h3')).toEqual([]);
  const same = { fields: { region: '"eu"' }, leftOut: 0 };
  expect((await show([same, same])).findAll('h3')).toHaveLength(1);
});
