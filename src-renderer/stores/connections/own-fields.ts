import { computed } from 'vue';
import { listOwnFields } from '../../../src-main/common/model/connections/own-table.ts';
import { useConnectionsStore } from './connections.ts';

/** Fields that the own tables of the window's connection add to its records. */
export function useOwnFields() {
  const connections = useConnectionsStore();
  return computed(() => listOwnFields(connections.active?.tables));
}
