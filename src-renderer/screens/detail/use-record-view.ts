import { useThrottleFn } from '@vueuse/core';
import { computed, getCurrentScope, onBeforeUnmount, watch, type ComputedRef } from 'vue';
import type { RecordOrder } from '../../../src-main/common/model/records/record.ts';
import type { RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import { useRecordsStore } from '../../stores/records/records.ts';
import { useClockStore } from '../../stores/window/clock.ts';
import { usePeriodStore } from '../../stores/window/period.ts';
import type { DetailScope } from './use-detail-scope.ts';
import { toZoomedSpan } from './use-time-zoom.ts';

const REOPEN_INTERVAL_MS = 1000;

/**
 * Keeps the view of the records open that a Detail screen shows: another one where something else is asked for, and anew
 * while records arrive.
 */
export function useRecordView(
  { connection, report, period, pinnedId, snapshot, parts, scope, moveOn }: DetailScope,
  readFilter: () => RecordFilter,
  readOrder: () => RecordOrder,
): {
  /** Opens the records anew, of a period that moves with the clock as of now. */
  reopen(): void;
  /** Records are stored that the open view was opened too early for. */
  readonly isBehind: ComputedRef<boolean>;
} {
  const clock = useClockStore();
  const periods = usePeriodStore();
  const records = useRecordsStore();

  const question = computed(() =>
    JSON.stringify([scope.value, parts.value.length > 0, readFilter(), readOrder(), clock.zone]),
  );

  const stored = computed(() =>
    parts.value
      .map(
        ({ id, recordCount, state, reading, period: { fromMs } }) =>
          `${id} ${recordCount} ${state} ${reading} ${fromMs}`,
      )
      .join(),
  );

  function open(): void {
    const chosen = snapshot.value?.period ?? period.value;
    if (scope.value === null || chosen === null || parts.value.length === 0) {
      records.close();
      return;
    }
    const whole = { fromMs: chosen.fromMs, toMs: chosen.toMs + 1000 };
    void records.open({
      scope: scope.value,
      filter: readFilter(),
      order: readOrder(),
      span: toZoomedSpan(readFilter(), whole),
      whole,
      zone: clock.zone,
      stored: stored.value,
      subject: JSON.stringify([connection.value?.id, report.value, pinnedId.value ?? periods.selection]),
    });
  }

  function reopen(): void {
    const before = question.value;
    moveOn();
    // A period that has moved on opens by itself.
    if (question.value === before) open();
  }

  const effects = getCurrentScope();
  const reopenSoon = useThrottleFn(
    () => {
      // A view that opens after the screen is gone would stay open.
      if (effects?.active === true) reopen();
    },
    REOPEN_INTERVAL_MS,
    true,
  );

  watch(question, open, { immediate: true });
  watch(stored, () => void reopenSoon());
  onBeforeUnmount(records.close);

  return { reopen, isBehind: computed(() => records.view !== null && records.view.stored !== stored.value) };
}
