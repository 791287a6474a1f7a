import { computed } from 'vue';
import { isTimeOutside } from '../../filters/edit-filter.ts';
import { useRecordsStore } from '../../stores/records/records.ts';
import type { Detail } from './use-detail.ts';

/** Returns why there are no records to show, if so, and whether the first ones are on their way. */
export function useShownState(readDetail: () => Detail) {
  const records = useRecordsStore();
  const emptyKind = computed(() => {
    const { isLoaded, parts, task, filter, snapshot, period } = readDetail();
    if (!isLoaded) return null;
    if (parts.length === 0) return 'none';
    if (records.view === null || records.view.rowCount > 0) return null;
    // That the previous filter found nothing says nothing of this one.
    if (records.isFiltering) return null;
    if (task !== null && records.view.totalCount === 0) return null;
    // Nothing is denied that the view was opened too early for.
    if (readDetail().isBehind) return 'reading';
    if (filter.conditions.length === 0) return 'empty';
    const span = snapshot?.period ?? period;
    return span !== null && isTimeOutside(filter, { fromMs: span.fromMs, toMs: span.toMs + 1000 })
      ? 'outside'
      : 'filtered';
  });
  const isWaiting = computed(
    () => records.view === null || (records.isFiltering && records.view.rowCount === 0),
  );
  /** Records that are stored, and that the view doesn't have yet. */
  const readingCount = computed(() => {
    const { coverage, parts } = readDetail();
    return coverage.unreadyRecords > 0
      ? coverage.unreadyRecords
      : parts.reduce((sum, { recordCount }) => sum + recordCount, 0);
  });
  return { emptyKind, isWaiting, readingCount };
}
