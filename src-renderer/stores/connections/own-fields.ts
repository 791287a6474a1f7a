import { computed } from 'vue';
import { isGroupPath } from '../../../src-main/common/model/analysis/grouping.ts';
import { isOwnField } from '../../../src-main/common/model/records/body-path.ts';
import { listOwnFields } from '../../../src-main/common/model/connections/own-table.ts';
import { useAppStore } from '../window/app.ts';
import { useConnectionsStore } from './connections.ts';

/** Fields that the own tables of the window's connection add to its records. */
export function useOwnFields() {
  const connections = useConnectionsStore();
  return computed(() => listOwnFields(connections.active?.tables));
}

/** Paths that records can be divided by: columns of own tables, and the keys in bodies among the fields of Detail. */
export function useGroupPaths() {
  const app = useAppStore();
  const own = useOwnFields();
  return computed(() => {
    const chosen = (app.settings?.fieldsPanel.paths ?? []).filter((path) => !isOwnField(path));
    return [...new Set([...own.value.map(({ field }) => field), ...chosen])].filter((path) =>
      isGroupPath(path),
    );
  });
}
