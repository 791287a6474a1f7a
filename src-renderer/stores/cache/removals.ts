import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import { useDownloadsStore } from './downloads.ts';
import { useSnapshotsStore } from './snapshots.ts';

interface Removal {
  readonly snapshotIds: readonly number[];
  /** Undo is offered until then. */
  readonly offeredUntilMs: number;
}

/** The core keeps removed snapshots for minutes; the offer disappears sooner, so that it doesn't stay in the way. */
const OFFER_MS = 30_000;

/** The last removal, while it can be undone. */
export const useRemovalsStore = defineStore('removals', () => {
  const snapshots = useSnapshotsStore();
  const downloads = useDownloadsStore();
  const latest = shallowRef<Removal | null>(null);
  /** The rows may be gone already, but the core has not confirmed it yet. */
  const isRemoving = ref(false);
  let removing: Promise<void> = Promise.resolve();

  /** Removes snapshots with their records; rejects with the core's error. */
  async function remove(snapshotIds: readonly number[], nowMs = Date.now()): Promise<void> {
    const work = removeNow(snapshotIds, nowMs);
    removing = work.catch(() => undefined);
    isRemoving.value = true;
    try {
      await work;
    } finally {
      isRemoving.value = false;
    }
  }

  async function removeNow(snapshotIds: readonly number[], nowMs: number): Promise<void> {
    const restorableUntilMs = await snapshots.remove(snapshotIds);
    latest.value = {
      snapshotIds: [...snapshotIds],
      offeredUntilMs: Math.min(restorableUntilMs, nowMs + OFFER_MS),
    };
  }

  /** Restores the last removal; rejects with the core's error. */
  async function undo(): Promise<void> {
    await removing;
    const removal = latest.value;
    if (removal === null) return;
    await snapshots.restore(removal.snapshotIds);
    // Something else may have been removed meanwhile.
    if (latest.value === removal) latest.value = null;
    await downloads.load();
  }

  function dismiss(): void {
    latest.value = null;
  }

  return { latest, isRemoving, remove, undo, dismiss } as const;
});
