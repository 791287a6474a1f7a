import { computed } from 'vue';
import type { TableColumn } from '../../../../src-main/common/model/settings/table-columns.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { useNames } from '../../../names/use-names.ts';
import { useAppStore } from '../../../stores/window/app.ts';
import { listDefaultLayout } from './grid-columns.ts';
import { isSameLayout, mergeLayout, widenNamed } from './table-layout.ts';

const ERROR = 'error';

/**
 * The columns of a direction's table, kept in the settings. That of errors takes no room while no record has one, and is
 * as it was set up again as soon as one has.
 */
export function useTableLayout(readDirection: () => Direction, hasErrors: () => boolean) {
  const app = useAppStore();
  const names = useNames();
  const report = computed(() => `${readDirection()}-detail` as const);
  const named = computed(() => new Set<string>(names.list.map(({ field }) => field)));
  const defaults = computed(() => listDefaultLayout(readDirection(), named.value));
  const whole = computed({
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
  const layout = computed({
    get: () =>
      hasErrors()
        ? whole.value
        : whole.value.map((column) => (column.id === ERROR ? { ...column, hidden: true } : column)),
    set: (columns: readonly TableColumn[]) => {
      const own = whole.value.find(({ id }) => id === ERROR);
      whole.value =
        hasErrors() || own === undefined
          ? columns
          : columns.map((column) => (column.id === ERROR ? { ...column, hidden: own.hidden } : column));
    },
  });
  return { layout, whole, defaults };
}
