import { flushPromises, mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import ChangesView from '../../../../src-renderer/screens/library/details/ChangesView.vue';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const DAY = { fromMs: 0, toMs: 86_399_000 };

async function show(recordCount: number, change: Partial<Snapshot> = {}) {
  const older = makeSnapshot(DAY, { id: 1, recordCount });
  const newer = makeSnapshot(DAY, { id: 2, recordCount, refreshOf: 1, ...change });
  const backend = new ScriptedBackend({
    'settings/get': () => makeSettings(),
    'snapshots/compare': () => ({
      unchanged: recordCount,
      added: 0,
      removed: 0,
      changed: 0,
      differences: [],
    }),
  });
  const { global } = await provideApplication(backend);
  const view = mount(ChangesView, { global, props: { snapshot: newer, snapshots: [newer, older] } });
  await flushPromises();
  return { backend, view };
}

it('compares a refreshed report with the one before', async () => {
  const { view } = await show(1000);
  expect(view.text()).toContain('Both contain the same records.');
  view.unmount();
});

it('compares large reports only when asked, since the details open with each row that is selected', async () => {
  const { backend, view } = await show(450_000);
  expect(backend.countCalls('snapshots/compare')).toBe(0);
  expect(view.text()).toContain('takes a while');
  await view.get('button').trigger('click');
  await flushPromises();
  expect(backend.countCalls('snapshots/compare')).toBe(1);
  expect(view.text()).toContain('Both contain the same records.');
  view.unmount();
});

it.each(['failed', 'incomplete'] as const)(
  'says of no record that it was removed where the newer download is %s',
  async (state) => {
    const { backend, view } = await show(0, { state });
    expect(backend.countCalls('snapshots/compare')).toBe(0);
    expect(view.text()).toContain("isn't complete");
    expect(view.find('dl').exists()).toBe(false);
    view.unmount();
  },
);
