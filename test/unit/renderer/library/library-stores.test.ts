import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import {
  useDownloadsStore,
  useRemovalsStore,
  useSnapshotsStore,
} from '../../../../src-renderer/stores/cache/downloads.ts';
import { toSubjectKey, useExportsStore } from '../../../../src-renderer/stores/records/exports.ts';
import { installStores, ScriptedBackend } from '../support/scripted-backend.ts';
import { makeDownload, makeSnapshot } from '../../../support/samples/make-snapshot.ts';

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

function makeBackend(): ScriptedBackend {
  return new ScriptedBackend({
    'snapshots/list': () => [second, first],
    'snapshots/read-storage': () => storage,
    'snapshots/remove': () => ({ restorableUntilMs: 0 }),
    'downloads/start': () => ({ taskId: 't', snapshotId: 3 }),
    'summaries/start-fetch': () => ({ taskId: 't', snapshotId: 1 }),
    'exports/start': ({ scope }) => ({
      taskId: 'snapshotId' in scope && scope.snapshotId === 1 ? 'export-1' : null,
    }),
    'exports/reveal': () => ({ downloadPath: '/exports/1', manifestPath: null }),
    'tasks/cancel': () => null,
  });
}

describe('snapshots store', () => {
  it('lists every connection and follows changes in place, new ones first', async () => {
    const backend = makeBackend();
    installStores(backend);
    const store = useSnapshotsStore();
    await store.load();
    expect(backend.calls[0]).toEqual({ name: 'snapshots/list', input: { connectionId: null } });
    backend.emit('snapshots/changed', { ...second, recordCount: 20 });
    backend.emit('snapshots/changed', { ...first, id: 3 });
    expect(store.snapshots?.map(({ id, recordCount }) => [id, recordCount])).toEqual([
      [3, 100],
      [2, 20],
      [1, 100],
    ]);
    backend.emit('snapshots/removed', { snapshotIds: [2, 3] });
    expect(store.snapshots?.map(({ id }) => id)).toEqual([1]);
  });

  it('keeps what events say while the list is read: it is newer', async () => {
    const third = { ...first, id: 3 };
    const backend: ScriptedBackend = new ScriptedBackend({
      'snapshots/list': () => {
        backend.emit('snapshots/changed', { ...second, state: 'complete' });
        backend.emit('snapshots/changed', third);
        backend.emit('snapshots/removed', { snapshotIds: [1] });
        return [second, first];
      },
      'snapshots/read-storage': () => storage,
    });
    installStores(backend);
    const store = useSnapshotsStore();
    await store.load();
    expect(store.snapshots?.map(({ id, state }) => [id, state])).toEqual([
      [3, 'complete'],
      [2, 'complete'],
    ]);
    // What is read later is newer than those events.
    await store.load();
    expect(store.snapshots).toHaveLength(2);
  });

  it('keeps a snapshot in the list when it could not be deleted', async () => {
    const backend = new ScriptedBackend({
      'snapshots/list': () => [first],
      'snapshots/read-storage': () => storage,
      'snapshots/remove': () => {
        throw new AppError('cache.locked', 'The cache is in use.');
      },
    });
    installStores(backend);
    const store = useSnapshotsStore();
    await store.load();
    await expect(store.remove([1])).rejects.toMatchObject({ code: 'cache.locked' });
    expect(store.snapshots).toHaveLength(1);
  });

  it('has removed what it removed, also where the space that is left can not be read', async () => {
    const backend = new ScriptedBackend({
      'snapshots/list': () => [first],
      'snapshots/remove': () => ({ restorableUntilMs: 5000 }),
    });
    installStores(backend);
    const store = useSnapshotsStore();
    await store.load();
    expect(await store.remove([1])).toBe(5000);
    expect(store.snapshots).toEqual([]);
  });

  it('says why the list could not be read', async () => {
    const backend = new ScriptedBackend({
      'snapshots/list': () => {
        throw new AppError('cache.newer', 'Written by a newer version.');
      },
    });
    installStores(backend);
    const store = useSnapshotsStore();
    await store.load();
    expect(store.snapshots).toBeNull();
    expect(store.error?.code).toBe('cache.newer');
  });
});

describe('downloads store', () => {
  it('starts details as tasks and fetches summaries', async () => {
    const backend = makeBackend();
    installStores(backend);
    const store = useDownloadsStore();
    const shared = { connectionId: 'one', period: first.period };
    expect(await store.start({ ...shared, report: 'outbound-detail', sliceDays: 7 })).toBe(3);
    expect(await store.start({ ...shared, report: 'outbound-summary' })).toBe(1);
    expect(backend.calls).toEqual([
      {
        name: 'downloads/start',
        input: { connectionId: 'one', report: 'outbound-detail', period: first.period, sliceDays: 7 },
      },
      {
        name: 'summaries/start-fetch',
        input: { connectionId: 'one', direction: 'outbound', period: first.period },
      },
    ]);
  });

  it('lists what is not over, what works first and paused ones last', async () => {
    const backend = new ScriptedBackend({
      'downloads/list': () => [
        makeDownload({ snapshotId: 1, state: 'paused' }),
        makeDownload({ snapshotId: 2, state: 'queued', queuedAtMs: 2 }),
        makeDownload({ snapshotId: 3, state: 'queued', queuedAtMs: 1 }),
        makeDownload({ snapshotId: 4 }),
      ],
    });
    installStores(backend);
    const store = useDownloadsStore();
    await store.load();
    backend.emit('downloads/changed', makeDownload({ snapshotId: 5, state: 'running' }));
    expect(store.pending.map(({ snapshotId }) => snapshotId)).toEqual([5, 3, 2, 1]);
    backend.emit('snapshots/removed', { snapshotIds: [3] });
    expect(store.pending.map(({ snapshotId }) => snapshotId)).toEqual([5, 2, 1]);
  });

  it('acts on every snapshot, and keeps the first failure until an action works', async () => {
    const backend = new ScriptedBackend({
      'downloads/pause': ({ snapshotId }) => {
        if (snapshotId === 1) throw new AppError('downloads.not-resumable', 'No.');
        return makeDownload({ snapshotId, state: 'paused' });
      },
    });
    installStores(backend);
    const store = useDownloadsStore();
    await store.act('pause', [1, 2]);
    expect(store.failure?.code).toBe('downloads.not-resumable');
    expect(store.bySnapshot.get(2)?.state).toBe('paused');
    await store.act('pause', [2]);
    expect(store.failure).toBeNull();
  });
});

it('a download that ends while the list is read has ended', async () => {
  const running = makeDownload({ snapshotId: 2, state: 'running' });
  const backend: ScriptedBackend = new ScriptedBackend({
    'downloads/list': () => {
      backend.emit('downloads/changed', { ...running, state: 'ended' });
      return [running];
    },
  });
  installStores(backend);
  const store = useDownloadsStore();
  await store.load();
  expect(store.pending).toEqual([]);
});

describe('removals store', () => {
  it('offers to undo a removal for half a minute, and never longer than the core can', async () => {
    const backend = new ScriptedBackend({
      'snapshots/list': () => [first],
      'snapshots/read-storage': () => storage,
      'snapshots/remove': () => ({ restorableUntilMs: 300_000 }),
      'snapshots/restore': () => [first],
      'downloads/list': () => [],
    });
    installStores(backend);
    const store = useRemovalsStore();
    await store.remove([1], 0);
    expect(store.latest).toEqual({ snapshotIds: [1], offeredUntilMs: 30_000 });
    await store.remove([1], 290_000);
    expect(store.latest?.offeredUntilMs).toBe(300_000);
    await store.undo();
    expect(backend.calls).toContainEqual({ name: 'snapshots/restore', input: { snapshotIds: [1] } });
    expect(useSnapshotsStore().snapshots).toEqual([first]);
    expect(store.latest).toBeNull();
  });

  it('still offers to undo what is removed while something else comes back', async () => {
    let restore: (() => void) | undefined;
    const backend = new ScriptedBackend({
      'snapshots/list': () => [first],
      'snapshots/read-storage': () => storage,
      'snapshots/remove': () => ({ restorableUntilMs: 300_000 }),
      'snapshots/restore': async () => {
        await new Promise<void>((resolve) => (restore = resolve));
        return [first];
      },
      'downloads/list': () => [],
    });
    installStores(backend);
    const store = useRemovalsStore();
    await store.remove([1], 0);
    const undone = store.undo();
    await store.remove([2], 0);
    restore?.();
    await undone;
    expect(store.latest?.snapshotIds).toEqual([2]);
  });
});

describe('exports store', () => {
  const request = {
    format: 'csv' as const,
    filter: { conditions: [] },
    order: [{ column: 'received' as const, descending: false }],
    includePayload: true,
  };

  it('remembers the newest export of a snapshot, and nothing where the dialog for the target was closed', async () => {
    installStores(makeBackend());
    const store = useExportsStore();
    expect(await store.start({ ...request, scope: { snapshotId: 1 } })).toBe('export-1');
    expect(store.findTaskId(toSubjectKey({ snapshotId: 1 }))).toBe('export-1');
    expect(await store.start({ ...request, scope: { snapshotId: 2 } })).toBeNull();
    expect(store.findTaskId(toSubjectKey({ snapshotId: 2 }))).toBeNull();
  });

  it('saves what a browser is to save of an export', async () => {
    installStores(makeBackend());
    const saved: string[] = [];
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      saved.push(this.getAttribute('href') ?? '');
    });
    await useExportsStore().reveal('export-1');
    expect(saved).toEqual(['/exports/1']);
    click.mockRestore();
  });
});
