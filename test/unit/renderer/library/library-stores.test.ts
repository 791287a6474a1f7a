import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import { useExportsStore } from '../../../../src-renderer/stores/exports.ts';
import { useSnapshotsStore } from '../../../../src-renderer/stores/snapshots.ts';
import { FakeBackend, provideBackend } from '../overview/fake-backend.ts';
import { makeSnapshot } from './make-snapshot.ts';

const storage = {
  totalBytes: 1000,
  databaseBytes: 900,
  inboundDetailBytes: 300,
  outboundDetailBytes: 200,
  summaryBytes: 100,
  freeBytes: 5000,
  reclaimableBytes: 0,
};
const first = makeSnapshot({ fromMs: 0, toMs: 1000 }, { id: 1 });
const second = makeSnapshot({ fromMs: 0, toMs: 1000 }, { id: 2, state: 'downloading', recordCount: 10 });

function makeBackend(): FakeBackend {
  return new FakeBackend({
    'snapshots/list': () => [second, first],
    'snapshots/read-storage': () => storage,
    'snapshots/remove': () => ({ restorableUntilMs: 0 }),
    'downloads/start': () => ({ taskId: 't', snapshotId: 3 }),
    'summaries/fetch': () => first,
    'exports/start': ({ snapshotId }) => ({ taskId: snapshotId === 1 ? 'export-1' : null }),
    'exports/reveal': () => ({ downloadPath: '/exports/1' }),
    'tasks/cancel': () => null,
  });
}

describe('snapshots store', () => {
  it('lists every connection and follows changes in place, new ones first', async () => {
    const backend = makeBackend();
    provideBackend(backend);
    const store = useSnapshotsStore();
    await store.load();
    expect(backend.asked[0]).toEqual({ name: 'snapshots/list', input: { connectionId: null } });
    const stop = store.follow();
    backend.send('snapshots/changed', { ...second, recordCount: 20 });
    backend.send('snapshots/changed', { ...first, id: 3 });
    expect(store.snapshots?.map(({ id, recordCount }) => [id, recordCount])).toEqual([
      [3, 100],
      [2, 20],
      [1, 100],
    ]);
    backend.send('snapshots/removed', { snapshotIds: [2, 3] });
    expect(store.snapshots?.map(({ id }) => id)).toEqual([1]);
    stop();
    expect(backend.countListeners()).toBe(0);
  });

  it('keeps a snapshot in the list when it could not be deleted', async () => {
    const backend = new FakeBackend({
      'snapshots/list': () => [first],
      'snapshots/read-storage': () => storage,
      'snapshots/remove': () => {
        throw new AppError('cache.locked', 'The cache is in use.');
      },
    });
    provideBackend(backend);
    const store = useSnapshotsStore();
    await store.load();
    await expect(store.remove([1])).rejects.toMatchObject({ code: 'cache.locked' });
    expect(store.snapshots).toHaveLength(1);
  });

  it('starts details as tasks and fetches summaries', async () => {
    const backend = makeBackend();
    provideBackend(backend);
    const store = useSnapshotsStore();
    await store.download('one', 'outbound-detail', first.period);
    await store.download('one', 'outbound-summary', first.period);
    expect(backend.asked).toEqual([
      {
        name: 'downloads/start',
        input: { connectionId: 'one', report: 'outbound-detail', period: first.period },
      },
      {
        name: 'summaries/fetch',
        input: { connectionId: 'one', direction: 'outbound', period: first.period },
      },
    ]);
  });

  it('says why the list could not be read', async () => {
    const backend = new FakeBackend({
      'snapshots/list': () => {
        throw new AppError('cache.newer', 'Written by a newer version.');
      },
    });
    provideBackend(backend);
    const store = useSnapshotsStore();
    await store.load();
    expect(store.snapshots).toBeNull();
    expect(store.error?.code).toBe('cache.newer');
  });
});

describe('exports store', () => {
  const request = {
    format: 'csv' as const,
    filter: {},
    order: { column: 'received' as const, descending: false },
    includePayload: true,
  };

  it('remembers the running export of a snapshot until it is forgotten', async () => {
    provideBackend(makeBackend());
    const store = useExportsStore();
    expect(await store.start({ ...request, snapshotId: 1 })).toBe(true);
    expect(store.taskIds[1]).toBe('export-1');
    store.forget(1);
    expect(store.taskIds).toEqual({});
  });

  it('starts nothing when the person closed the dialog for the target', async () => {
    provideBackend(makeBackend());
    const store = useExportsStore();
    expect(await store.start({ ...request, snapshotId: 2 })).toBe(false);
    expect(store.taskIds).toEqual({});
  });

  it('hands the path of a download on', async () => {
    provideBackend(makeBackend());
    expect(await useExportsStore().reveal('export-1')).toBe('/exports/1');
  });
});
