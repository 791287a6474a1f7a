import { computed, ref, watch } from 'vue';
import { isGroupPath, listGroupFields } from '../../../src-main/common/model/analysis/grouping.ts';
import { isOwnField, parseBodyPath } from '../../../src-main/common/model/records/body-path.ts';
import { SPLIT_FIELDS, type HistogramSplit } from '../../../src-main/common/model/records/histogram.ts';
import { REPORTS, type Direction } from '../../../src-main/common/reporting/reports.ts';
import { useAddressChoice } from '../../address/use-address-choice.ts';
import { useGroupPaths, useOwnFields } from '../../stores/connections/own-fields.ts';
import { useAppStore } from '../../stores/window/app.ts';

function isSplit(text: string): text is HistogramSplit {
  return text === 'class' || SPLIT_FIELDS.some((field) => field === text) || isGroupPath(text);
}

/**
 * What the bars of the histogram are divided by: the address says it, else what was chosen last. A field that these records
 * don't have divides nothing.
 */
export function useHistogramSplit(readDirection: () => Direction) {
  const app = useAppStore();
  const ownFields = useOwnFields();
  const groupPaths = useGroupPaths();
  const chosen = useAddressChoice('split', isSplit);
  /** As it was when the screen was opened: the way back to an address without a choice leads there. */
  const remembered = ref<HistogramSplit>('class');
  watch(
    [readDirection, () => app.settings !== null],
    () => (remembered.value = app.settings?.histogramSplit ?? 'class'),
    { immediate: true },
  );

  const fields = computed(() =>
    SPLIT_FIELDS.filter((field) => listGroupFields(readDirection()).includes(field)),
  );
  function hasSplit(split: HistogramSplit): boolean {
    if (split === 'class' || fields.value.some((field) => field === split)) return true;
    if (isOwnField(split)) return ownFields.value.some(({ field }) => field === split);
    const root = isGroupPath(split) ? parseBodyPath(split)?.root : undefined;
    return root !== undefined && (root === 'other' || root in REPORTS[`${readDirection()}-detail`].fields);
  }
  const split = computed<HistogramSplit>({
    get: () => {
      const wanted = chosen.value ?? remembered.value;
      return hasSplit(wanted) ? wanted : 'class';
    },
    set: (next) => {
      chosen.value = next;
      void app.update({ histogramSplit: next });
    },
  });
  const splits = computed(() => [
    ...new Set<HistogramSplit>(['class', ...fields.value, ...groupPaths.value.filter(hasSplit), split.value]),
  ]);
  return { split, splits };
}
