import { computed, shallowRef, type Ref } from 'vue';
import type { Snapshot } from '../../../../src-main/common/model/snapshot.ts';
import { toErrorLike, type ErrorLike } from '../../../messages/error-like.ts';
import { useDownloadsStore } from '../../../stores/downloads.ts';
import { useRemovalsStore } from '../../../stores/removals.ts';
import { useSnapshotsStore } from '../../../stores/snapshots.ts';
import { pickTargets, type SnapshotAction } from './snapshot-actions.ts';

/** Does what needs no further question; what went wrong last is kept for the banner. */
export function useSnapshotActions(chosen: Readonly<Ref<readonly Snapshot[]>>) {
  const downloads = useDownloadsStore();
  const removals = useRemovalsStore();
  const snapshots = useSnapshotsStore();
  const ownFailure = shallowRef<ErrorLike | null>(null);
  const failure = computed(() => ownFailure.value ?? downloads.failure);

  const targetsOf = (action: SnapshotAction): readonly Snapshot[] =>
    pickTargets(action, chosen.value, downloads.bySnapshot);

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    dismiss();
    try {
      await work();
    } catch (thrown) {
      ownFailure.value = toErrorLike(thrown);
    }
  }

  function dismiss(): void {
    ownFailure.value = null;
    downloads.failure = null;
  }

  const annotateAll = (pinned: boolean, targets: readonly Snapshot[]): Promise<unknown> =>
    Promise.all(targets.map(({ id }) => snapshots.annotate({ snapshotId: id, pinned })));

  async function run(action: SnapshotAction): Promise<void> {
    const targets = targetsOf(action);
    const ids = targets.map(({ id }) => id);
    if (ids.length === 0) return;
    switch (action) {
      case 'pause':
      case 'resume':
      case 'retry':
      case 'cancel':
      case 'refresh':
        return attempt(() => downloads.act(action, ids));
      case 'verify':
        return attempt(() => snapshots.verify(ids));
      case 'pin':
      case 'unpin':
        return attempt(() => annotateAll(action === 'pin', targets));
      case 'delete':
        return attempt(() => removals.remove(ids));
      case 'open':
      case 'details':
      case 'rename':
      case 'export':
        return;
    }
  }

  const undo = (): Promise<void> => attempt(() => removals.undo());

  return { failure, targetsOf, run, undo, dismiss };
}
