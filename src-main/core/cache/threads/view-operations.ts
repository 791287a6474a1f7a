import { AppError } from '../../../common/contract/errors.ts';
import type { Input } from '../../../common/contract/index.ts';
import type { RecordDetail, RecordRow } from '../../../common/model/record.ts';
import type { Snapshot } from '../../../common/model/snapshot.ts';
import type { Database } from '../../../node/open-database.ts';
import { createDownloadReader, type DownloadRow } from '../read/download-rows.ts';
import { materialiseView, type RowList } from '../scan/materialise-view.ts';
import { createJournalReader } from '../read/page-journal.ts';
import { createDetailReader } from '../read/read-detail.ts';
import { prepareWindows } from '../read/read-window.ts';
import { createSnapshotReader } from '../read/snapshot-rows.ts';
import type { CallContext } from './thread-messages.ts';

/** The view that was used longest ago is closed for a further one. */
const MAX_OPEN_VIEWS = 16;

export type ViewOperations = ReturnType<typeof createViewOperations>;

/**
 * The quick reads: snapshots, their journals, views and their windows. Ids of views hold `generation`, so that none
 * means a view of another opening.
 */
export function createViewOperations(database: Database, generation: number) {
  const snapshots = createSnapshotReader(database);
  const downloads = createDownloadReader(database, snapshots);
  const readWindow = prepareWindows(database);
  const readDetail = createDetailReader(database);
  const journal = createJournalReader(database);
  const views = new Map<string, RowList>();
  let lastView = 0;

  const findView = (viewId: string): RowList => {
    const view = views.get(viewId);
    if (view === undefined) throw new AppError('cache.view-closed', 'The view is closed.', { viewId });
    views.delete(viewId);
    views.set(viewId, view);
    return view;
  };

  return {
    getSnapshot: (snapshotId: number): Snapshot => snapshots.get(snapshotId),
    listSnapshots: (connectionId: string | null): Snapshot[] => snapshots.list(connectionId),
    getDownload: (snapshotId: number): DownloadRow => downloads.get(snapshotId),
    listDownloads: (connectionId: string | null): DownloadRow[] => downloads.list(connectionId),
    readJournal: journal.readPages,
    readSetAside: journal.readSetAside,
    openView: async ({ snapshotId, filter, order }: Input<'records/open-view'>, { pause }: CallContext) => {
      const snapshot = snapshots.get(snapshotId);
      const view = await materialiseView(database, snapshot, filter, order, pause);
      const viewId = `view-${generation}-${++lastView}`;
      views.set(viewId, view);
      for (const oldest of views.keys()) {
        if (views.size <= MAX_OPEN_VIEWS) break;
        views.delete(oldest);
      }
      return { viewId, rowCount: view.rowCount, totalCount: snapshot.recordCount };
    },
    readRows: ({ viewId, offset, limit }: Input<'records/read-rows'>): RecordRow[] =>
      readWindow(findView(viewId), offset, offset + limit),
    closeView: (viewId: string): void => void views.delete(viewId),
    /** The list itself, for the other reading thread. */
    shareView: (viewId: string): RowList => findView(viewId),
    readRecord: ({ snapshotId, seq }: Input<'records/read-record'>): RecordDetail =>
      readDetail(snapshots.get(snapshotId), seq),
  };
}
