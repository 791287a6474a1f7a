import { computed } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import type { RecordOrder } from '../../../../src-main/common/model/records/record.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { toQueryText, withQueryText } from '../../../address/query-text.ts';
import { fromOrderText, toOrderText } from './order-query.ts';

/** The order of the table, which the address carries; back and forward undo and redo its changes. */
export function useRecordOrder(readDirection: () => Direction) {
  const route = useRoute();
  const router = useRouter();
  const text = computed(() => toQueryText(route.query, 'order'));
  const read = computed(() => fromOrderText(text.value, readDirection()));

  function setOrder(next: RecordOrder): void {
    const query = withQueryText(route.query, 'order', toOrderText(next));
    void router.push({ params: route.params, query });
  }

  return {
    order: computed(() => read.value.order),
    fault: computed(() => read.value.fault),
    setOrder,
  };
}
