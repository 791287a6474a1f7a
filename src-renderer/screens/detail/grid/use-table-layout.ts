import { computed } from 'vue';
import { isBodyField, isOwnField } from '../../../../src-main/common/model/records/body-path.ts';
import type { TableColumn } from '../../../../src-main/common/model/records/saved-view.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { useNames } from '../../../names/use-names.ts';
import { useOwnFields } from '../../../stores/connections/own-fields.ts';
import { useAppStore } from '../../../stores/window/app.ts';
import { listDefaultLayout } from './grid-columns.ts';
import { isSameLayout, mergeLayout, widenNamed } from './table-layout.ts';

const ERROR = 'error';

/**
 * The columns of a direction's table, kept in the settings. That of errors takes no room while no record has one, that of
 * a person's own table none where the connection hasn't that table; each is as it was set up again as soon as there is
 * something to show.
 */
export function useTableLayout(readDirection: () => Direction, hasErrors: () => boolean) {
  const app = useAppStore();
  const names = useNames();
  const ownFields = useOwnFields();
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
  const isIdle = ({ id }: TableColumn): boolean =>
    id === ERROR ? !hasErrors() : isOwnField(id) && !ownFields.value.some(({ field }) => field === id);
  const layout = computed({
    get: () => whole.value.map((column) => (isIdle(column) ? { ...column, hidden: true } : column)),
    set: (columns: readonly TableColumn[]) => {
      const before = new Map(whole.value.map((column) => [column.id, column]));
      whole.value = columns.map((column) => {
        const own = before.get(column.id);
        return own !== undefined && isIdle(column) ? { ...column, hidden: own.hidden } : column;
      });
    },
  });
  /** Paths whose values the rows need. */
  const paths = computed(() =>
    layout.value.flatMap(({ id, hidden }) => (!hidden && isBodyField(id) ? [id] : [])),
  );
  return { layout, whole, defaults, paths };
}
