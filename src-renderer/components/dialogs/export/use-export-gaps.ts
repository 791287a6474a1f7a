import { computed, reactive } from 'vue';
import { findFollowedTail } from '../../../../src-main/common/model/cache/followed-tail.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { useBackend } from '../../../backend/backend.ts';
import { useQuery } from '../../../composables/use-query.ts';
import { usePeriodCoverage } from '../../../period/use-period-coverage.ts';
import type { ExportSubject } from './export-subject.ts';

/**
 * What of an export's period or snapshot isn't cached, before it is written. What following has yet to fetch of a period
 * that ends now is no gap: `untilMs` says where the cache ends then.
 */
export function useExportGaps(readSubject: () => ExportSubject | null) {
  const backend = useBackend();
  const coverage = reactive(
    usePeriodCoverage(() => {
      const scope = readSubject()?.scope;
      return scope !== undefined && 'connectionId' in scope && 'report' in scope ? scope : null;
    }),
  );
  const snapshotId = computed(() => {
    const scope = readSubject()?.scope;
    return scope !== undefined && 'snapshotId' in scope ? scope.snapshotId : null;
  });
  // Without its gaps a snapshot is shown as what is known of it otherwise.
  const { value: ofSnapshot } = useQuery(
    snapshotId,
    async () => {
      const id = snapshotId.value;
      if (id === null) return [];
      const found = await backend.call('coverage/read-snapshot', { snapshotId: id });
      return found.filter(({ state }) => state !== 'open');
    },
    { events: ['coverage/changed'] },
  );
  const tail = computed(() => {
    const scope = readSubject()?.scope;
    if (scope === undefined || !('fromMs' in scope) || 'resultId' in scope) return null;
    return findFollowedTail(coverage.gaps, scope, Date.now());
  });
  /** Of a period that isn't over, up to now. */
  const missing = computed((): readonly TimeSpan[] => {
    if (snapshotId.value !== null) return ofSnapshot.value ?? [];
    const { fromMs: tailMs = Infinity } = tail.value ?? {};
    return coverage.gaps.filter(({ fromMs }) => fromMs < Math.min(tailMs, Date.now()));
  });

  return {
    /** Fetches what is missing of a period; a snapshot is gone on with in the Library. */
    coverage,
    isPeriod: computed(() => snapshotId.value === null),
    missing,
    missingMs: computed(() =>
      missing.value.reduce((sum, { fromMs, toMs }) => sum + Math.min(toMs, Date.now()) - fromMs, 0),
    ),
    /** Something is missing, also of the time to come. */
    isIncomplete: computed(
      () => missing.value.length > 0 || (tail.value === null && coverage.gaps.length > 0),
    ),
    untilMs: computed(() => tail.value?.fromMs ?? null),
  };
}
