import { computed } from 'vue';
import { useI18n } from 'vue-i18n';
import { useRoute, useRouter } from 'vue-router';
import type { RecordOrder } from '../../../../src-main/common/model/records/record.ts';
import { LANGUAGES } from '../../../../src-main/common/model/settings/language.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { toQueryText, withQueryText } from '../../../address/query-text.ts';
import { fromOrderText, toOrderText } from './order-query.ts';

/** Columns of texts, which are in the order of the window's language. */
const TEXTS: ReadonlySet<RecordOrder[number]['column']> = new Set(['client', 'origin', 'error', 'actionId']);

/** The order of the table, which the address carries; back and forward undo and redo its changes. */
export function useRecordOrder(readDirection: () => Direction) {
  const route = useRoute();
  const router = useRouter();
  const { locale } = useI18n();
  const text = computed(() => toQueryText(route.query, 'order'));
  const read = computed(() => fromOrderText(text.value, readDirection()));
  const language = computed(() => LANGUAGES.find((known) => known === locale.value) ?? 'en');
  const order = computed(() =>
    read.value.order.map((key) => (TEXTS.has(key.column) ? { ...key, language: language.value } : key)),
  );

  function setOrder(next: RecordOrder): void {
    const query = withQueryText(route.query, 'order', toOrderText(next));
    void router.push({ params: route.params, query });
  }

  return {
    order,
    fault: computed(() => read.value.fault),
    setOrder,
  };
}
