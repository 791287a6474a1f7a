import { computed, type Ref } from 'vue';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { useAttempt } from '../../../composables/use-attempt.ts';
import { useDownloadsStore } from '../../../stores/cache/downloads.ts';
import { useReadingsStore } from '../../../stores/cache/readings.ts';
import { useRemovalsStore } from '../../../stores/cache/removals.ts';
import { useExportsStore } from '../../../stores/records/exports.ts';
import { useSnapshotsStore } from '../../../stores/cache/snapshots.ts';
import { useTasksStore } from '../../../stores/window/tasks.ts';
import { pickTargets, type SnapshotAction } from './snapshot-actions.ts';

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
