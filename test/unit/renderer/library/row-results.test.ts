import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { ref, shallowRef } from 'vue';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import SnapshotList from '../../../../src-renderer/screens/library/snapshots/SnapshotList.vue';
import { EMPTY_SELECTION } from '../../../../src-renderer/components/table/table-parts.ts';
import { useSnapshotActions } from '../../../../src-renderer/screens/library/snapshots/snapshot-words.ts';
import { useSnapshotsStore } from '../../../../src-renderer/stores/cache/downloads.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';

const DAY = { fromMs: 0, toMs: 86_399_000 };
const before = makeSnapshot(DAY, { id: 1 });
const again = makeSnapshot(DAY, { id: 2, refreshOf: 1, state: 'downloading', startedAtMs: DAY.toMs + 9000 });

let page: VueWrapper;
let backend: ScriptedBackend;

async function show(list: Snapshot[], counts = { added: 0, removed: 0, changed: 0 }): Promise<void> {
  backend = new ScriptedBackend({
    'settings/get': () => makeSettings(),
    'snapshots/list': () => list,
    'snapshots/read-storage': () => ({}) as never,
    'snapshots/compare': () => ({ unchanged: 97, differences: [], ...counts }),
  });
  const { global } = await provideApplication(backend);
  const store = useSnapshotsStore();
  await store.load();
  const Page = {
    components: { SnapshotList },
    setup: () => ({ store, selection: shallowRef(EMPTY_SELECTION), actions: useSnapshotActions(ref([])) }),
    template:
      '<SnapshotList v-model:selection="selection" :snapshots="store.snapshots" :chosen="[]" :actions="actions" :connection="null" />',
  };
  page = mount(Page, { global });
  await flushPromises();
}

const rows = (): string[] => page.findAll('tbody tr').map((row) => row.text().replace(/\s+/g, ' '));

afterEach(() => page.unmount());

describe('the row of a report says what came of it', () => {
  it('Verify: unchanged since it was downloaded, and when', async () => {
    await show([makeSnapshot(DAY, { verification: { atMs: DAY.toMs + 3_601_000, damagedPages: 0 } })]);
    expect(rows()[0]).toContain('unchanged 2 Jan 01:00');
    expect(page.html()).toContain('unchanged since it was downloaded');
  });

  it('Verify: how many pages are damaged', async () => {
    await show([makeSnapshot(DAY, { verification: { atMs: 0, damagedPages: 2 } })]);
    expect(rows()[0]).toContain('2 pages damaged');
  });

  it('Refresh: what changed, once it is over, in both rows', async () => {
    await show([again, before], { added: 3, removed: 0, changed: 1 });
    expect(backend.countCalls('snapshots/compare')).toBe(0);
    expect(rows().join()).not.toContain('added');
    backend.emit('snapshots/changed', { ...again, state: 'complete' });
    await flushPromises();
    expect(rows()[0]).toContain('3 added, 1 changed');
    expect(rows()[1]).toContain('refreshed: 3 added, 1 changed');
    backend.emit('snapshots/changed', { ...again, state: 'complete', name: 'Again' });
    await flushPromises();
    expect(backend.countCalls('snapshots/compare')).toBe(1);
  });

  it('Refresh: that nothing changed', async () => {
    await show([{ ...again, state: 'complete' }, before]);
    expect(rows()[0]).toContain('nothing changed');
  });

  it('Refresh: nothing of reports so large that comparing them takes long', async () => {
    await show([
      { ...again, state: 'complete', recordCount: 450_000 },
      { ...before, recordCount: 450_000 },
    ]);
    expect(backend.countCalls('snapshots/compare')).toBe(0);
  });
});
