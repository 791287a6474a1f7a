import type { Download } from '../../../../src-main/common/model/cache/download.ts';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { isDetailKind } from '../../../../src-main/common/reporting/reports.ts';
import { computed, type Ref } from 'vue';
import { useAttempt } from '../../../composables/use-attempt.ts';
import { useDownloadsStore } from '../../../stores/cache/downloads.ts';
import { useReadingsStore, useSnapshotsStore } from '../../../stores/cache/snapshots.ts';
import { useRemovalsStore } from '../../../stores/cache/removals.ts';
import { useExportsStore } from '../../../stores/records/exports.ts';
import { useTasksStore } from '../../../stores/window/app.ts';

/** In the order of the menu; each inner list is a section of it. */
export const ACTION_GROUPS = [
  ['open', 'details'],
  ['pause', 'resume', 'retry', 'cancel', 'refresh'],
  ['verify', 'readAgain', 'pin', 'unpin', 'rename', 'export', 'share'],
  ['delete'],
] as const;

export type SnapshotAction = (typeof ACTION_GROUPS)[number][number];

const isActive = ({ state }: Download): boolean => ['queued', 'running', 'waiting'].includes(state);

/** True when a download can't continue from its cursor, but can read its pages again from the start. */
const isRetryable = (download: Download): boolean =>
  download.state === 'ended' && !download.canResume && download.snapshotState !== 'complete';

/** Returns the snapshots of a selection that an action applies to; for none, it is not offered. */
export function pickTargets(
  action: SnapshotAction,
  chosen: readonly Snapshot[],
  downloads: ReadonlyMap<number, Download>,
): readonly Snapshot[] {
  const having = (test: (download: Download) => boolean): readonly Snapshot[] =>
    chosen.filter(({ id, imported }) => {
      const download = downloads.get(id);
      // What was imported was not asked of the service.
      return imported === undefined && download !== undefined && test(download);
    });
  const single = chosen.length === 1 ? chosen : [];
  switch (action) {
    case 'open':
    case 'export':
      return single.filter(({ recordCount }) => recordCount > 0);
    case 'share':
      return chosen.filter(
        ({ pageCount, state }) => pageCount > 0 && state !== 'downloading' && state !== 'paused',
      );
    case 'details':
    case 'rename':
      return single;
    case 'pause':
      return having(isActive);
    case 'resume':
      return having((download) => !isActive(download) && download.canResume);
    case 'retry':
      return having(isRetryable);
    case 'cancel':
      return [
        ...having((download) => isActive(download) || download.state === 'paused'),
        ...chosen.filter(({ report, state }) => !isDetailKind(report) && state === 'downloading'),
      ];
    case 'refresh':
      return having(({ state }) => state === 'ended');
    case 'verify':
      return chosen.filter(({ pageCount }) => pageCount > 0);
    case 'readAgain':
      return chosen.filter(({ pageCount, state }) => pageCount > 0 && state !== 'downloading');
    case 'pin':
      return chosen.filter(({ pinned }) => !pinned);
    case 'unpin':
      return chosen.filter(({ pinned }) => pinned);
    case 'delete':
      return chosen;
  }
}

/** Runs the actions that need no further question, and keeps the last failure for the notice. */
export function useSnapshotActions(chosen: Readonly<Ref<readonly Snapshot[]>>) {
  const downloads = useDownloadsStore();
  const removals = useRemovalsStore();
  const readings = useReadingsStore();
  const exports = useExportsStore();
  const snapshots = useSnapshotsStore();
  const tasks = useTasksStore();
  const { error, attempt, clearError } = useAttempt();
  const failure = computed(() => error.value ?? downloads.failure);

  const targetsOf = (action: SnapshotAction): readonly Snapshot[] =>
    pickTargets(action, chosen.value, downloads.bySnapshot);

  function dismiss(): void {
    clearError();
    downloads.dismissFailure();
  }

  const annotateAll = (pinned: boolean, targets: readonly Snapshot[]): Promise<unknown> =>
    Promise.all(targets.map(({ id }) => snapshots.annotate({ snapshotId: id, pinned })));

  /** A summary has no download: its task is cancelled. */
  async function cancelAll(ids: readonly number[]): Promise<void> {
    const isDownload = (id: number): boolean => downloads.bySnapshot.has(id);
    const summaryTasks = tasks.running.filter(
      ({ kind, snapshotId }) => kind === 'summary' && ids.includes(snapshotId ?? -1),
    );
    await Promise.all(summaryTasks.map(({ id }) => tasks.cancel(id)));
    await downloads.act('cancel', ids.filter(isDownload));
  }

  async function run(action: SnapshotAction): Promise<void> {
    const targets = targetsOf(action);
    const ids = targets.map(({ id }) => id);
    if (ids.length === 0) return;
    dismiss();
    switch (action) {
      case 'pause':
      case 'resume':
      case 'retry':
      case 'refresh':
        await attempt(() => downloads.act(action, ids));
        return;
      case 'cancel':
        await attempt(() => cancelAll(ids));
        return;
      case 'verify':
        await attempt(() => snapshots.verify(ids));
        return;
      case 'readAgain':
        await attempt(() => readings.start(ids));
        return;
      case 'share':
        await attempt(() => exports.startPortable(ids));
        return;
      case 'pin':
      case 'unpin':
        await attempt(() => annotateAll(action === 'pin', targets));
        return;
      case 'delete':
        await attempt(() => removals.remove(ids));
        return;
      case 'open':
      case 'details':
      case 'rename':
      case 'export':
        return;
    }
  }

  async function undo(): Promise<void> {
    dismiss();
    await attempt(removals.undo);
  }

  return { failure, targetsOf, run, undo, dismiss };
}
export type SnapshotActions = ReturnType<typeof useSnapshotActions>;
