import { shallowRef, watch } from 'vue';
import type { Reconciliation } from '../../../../src-main/common/model/analysis/reconciliation.ts';
import { useBackend } from '../../../backend/backend.ts';
import type { ComputedSummary, ReportedSummary } from '../../../stores/analysis/summaries.ts';

/**
 * How the reported summary agrees with what is cached, kept up to date; null while that is not known. Nothing is claimed
 * after a failure either.
 */
export function useReconciliation(
  readReported: () => ReportedSummary | null,
  readCached: () => ComputedSummary | null,
) {
  const backend = useBackend();
  const reconciliation = shallowRef<Reconciliation | null>(null);
  let ticket = 0;

  async function load(): Promise<void> {
    const mine = ++ticket;
    const reported = readReported();
    const isOther = reconciliation.value?.snapshotId !== reported?.snapshot.id;
    if (isOther) reconciliation.value = null;
    if (reported === null) return;
    const { id: snapshotId } = reported.snapshot;
    const found = await backend.call('summaries/reconcile', { snapshotId }).catch(() => null);
    if (mine === ticket) reconciliation.value = found;
  }

  watch([readReported, readCached], load, { immediate: true });

  return reconciliation;
}
