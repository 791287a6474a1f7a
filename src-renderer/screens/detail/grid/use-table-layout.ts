import { computed } from 'vue';
import type { TableColumn } from '../../../../src-main/common/model/settings/settings.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { useNames } from '../../../names/use-names.ts';
import { useAppStore } from '../../../stores/window/app.ts';
import { listDefaultLayout } from './grid-columns.ts';
import { isSameLayout, mergeLayout, widenNamed } from './table-layout.ts';

/** The columns of a direction's table, kept in the settings. */
export function useTableLayout(readDirection: () => Direction) {
  const app = useAppStore();
  const names = useNames();
  const report = computed(() => `${readDirection()}-detail` as const);
  const named = computed(() => new Set<string>(names.list.map(({ field }) => field)));
  const defaults = computed(() => listDefaultLayout(readDirection(), named.value));
  const layout = computed({
    get: () =>
      widenNamed(mergeLayout(app.settings?.tableColumns[report.value], defaults.value), {
        from: listDefaultLayout(readDirection()),
        to: defaults.value,
      }),
    set: (columns: readonly TableColumn[]) => {
      // None stand for those of the application, also when a later version has others.
      const own = isSameLayout(columns, defaults.value) ? [] : [...columns];
      void app.update({ tableColumns: { ...app.settings?.tableColumns, [report.value]: own } });
    },
  });
  return { layout, defaults };
}
