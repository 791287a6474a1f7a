import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { ref } from 'vue';
import type { SnapshotReading } from '../../../../src-main/common/model/cache/snapshot.ts';
import ReadingView from '../../../../src-renderer/screens/library/details/ReadingView.vue';
import LibraryNotice from '../../../../src-renderer/screens/library/snapshots/LibraryNotice.vue';
import { useSnapshotActions } from '../../../../src-renderer/screens/library/snapshots/snapshot-words.ts';
import { useSnapshotsStore } from '../../../../src-renderer/stores/cache/downloads.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeTask } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';

const zone = 'America/Bogota';
const midnightMs = Date.UTC(2026, 10, 19, 5);
const snapshot = makeSnapshot(
  { fromMs: midnightMs, toMs: midnightMs + 86_399_000, zone },
  { name: 'Launch' },
);
const arriving = { ...snapshot, id: 2, name: '<b>Other</b>' };

function makeReading(change: Partial<SnapshotReading> = {}): SnapshotReading {
  return {
    atMs: midnightMs,
    zone,
    zoneBefore: zone,
    isPartial: false,
    pageCount: 3,
    changedPages: 0,
    changedRecords: 0,
    newlyReadable: 0,
    noLongerReadable: 0,
    fields: [],
    examples: [],
    unreadPages: 0,
    leftPages: 0,
    ...change,
  };
}

let page: VueWrapper;
afterEach(() => page.unmount());

async function openView(reading: SnapshotReading | null): Promise<void> {
  const backend = new ScriptedBackend({ 'snapshots/get-reading': () => reading });
  const { global } = await provideApplication(backend);
  page = mount(ReadingView, { props: { snapshot }, global, attachTo: document.body });
  await flushPromises();
}
const facts = (): Record<string, string> => {
  const names = page.findAll('dt').map((name) => name.text());
  return Object.fromEntries(names.map((name, index) => [name, page.findAll('dd')[index]!.text()]));
};

describe('what reading again changed', () => {
  it('is shown by field, with what was there before and after, as text', async () => {
    await openView(
      makeReading({
        zoneBefore: 'UTC',
        changedPages: 2,
        changedRecords: 4547,
        newlyReadable: 1,
        unreadPages: 2,
        fields: [
          { field: 'dateMs', count: 4546 },
          { field: 'responseTimeMs', count: 1 },
          { field: 'textLength', count: 1 },
        ],
        examples: [
          { pageNumber: 0, place: 3, field: 'dateMs', before: midnightMs, after: midnightMs + 18_000_000 },
          { pageNumber: 1, place: 0, field: 'error', before: '', after: '<i>Timed out</i>' },
        ],
      }),
    );
    expect(facts()).toEqual({
      'Read again': '2026-11-19 05:00:00',
      'Dates without a zone': 'America/Bogota (before: UTC)',
      Pages: '3 looked at, 2 changed',
      'Records changed': '4,547',
      'By field': 'Date: 4,546\nReponseTime: 1\nLength of texts: 1',
      'Newly readable': '1 record',
      Damaged: '2 pages could not be read and were left as they are. Download them again.',
    });
    const rows = page.findAll('tbody tr').map((row) => row.findAll('td').map((cell) => cell.text()));
    expect(rows).toEqual([
      ['1', '4', 'Date', '2026-11-19 05:00:00', '2026-11-19 10:00:00'],
      ['2', '1', 'Error', '–', '<i>Timed out</i>'],
    ]);
    expect(page.text()).not.toContain('Nothing changed');
    expect(page.find('td i').exists()).toBe(false);
  });

  it('says that nothing did, and that it has not been done', async () => {
    await openView(makeReading({ unreadPages: 3 }));
    expect(page.text()).toContain('Nothing changed.');
    expect(page.find('table').exists()).toBe(false);
    page.unmount();
    await openView(makeReading({ isPartial: true }));
    expect(page.text()).toContain('Cancelled before all pages were read.');
    expect(page.text()).not.toContain('Nothing changed');
    page.unmount();
    await openView(null);
    expect(page.text()).toContain('Not read again yet');
  });
});

describe('the action of the Library', () => {
  it('starts the task, shows how far it is, and says what became of each snapshot until it is dismissed', async () => {
    const backend = new ScriptedBackend({
      'snapshots/read-again': () => ({ taskId: 't9' }),
      'snapshots/list': () => [snapshot, arriving],
      'snapshots/read-storage': () => ({}) as never,
      'tasks/cancel': () => null,
    });
    const { global } = await provideApplication(backend);
    page = mount(LibraryNotice, { props: { failure: null }, global, attachTo: document.body });
    await useSnapshotsStore().load();
    const actions = useSnapshotActions(ref([snapshot, { ...arriving, state: 'downloading' as const }]));
    await actions.run('readAgain');
    expect(backend.calls.at(-1)).toEqual({ name: 'snapshots/read-again', input: { snapshotIds: [1] } });
    const task = makeTask({ id: 't9', kind: 'read-again', state: 'running' });
    backend.emit('tasks/changed', task);
    await flushPromises();
    expect(page.get('.notice').text()).toContain('Reading stored pages again');
    const readingOutcome = { changedIds: [1], unchangedIds: [7, 8], skippedIds: [2] };
    backend.emit('tasks/changed', { ...task, state: 'done', readingOutcome });
    await flushPromises();
    expect(page.get('.notice').text()).toBe(
      '1 snapshot changed; see Details. Nothing changed in 2 snapshots. Left out, since records are still being added: <b>Other</b>. Pause the download or stop following, then try again.',
    );
    await page.get('.notice button').trigger('click');
    expect(page.find('.notice').exists()).toBe(false);
  });
});
