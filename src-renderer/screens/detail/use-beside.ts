import { computed } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import type { RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import { toQueryText, withQueryText } from '../../address/query-text.ts';
import { toAddress } from '../../filters/filter-address.ts';
import { useInspectorPanel } from '../../inspector/use-inspector.ts';

/** What stands beside the records: an explanation of the selection, in the place of the inspector, or the inspector. */
export function useBeside(hasRecord: () => boolean) {
  const route = useRoute();
  const router = useRouter();
  const { isOpen: isInspectorOpen, setOpen, isOver } = useInspectorPanel(hasRecord);
  /** In the address, so that other screens lead to it too. */
  const isExplaining = computed(() => toQueryText(route.query, 'explain') !== '');
  /** An area of the heat map is explained, not a time or a filter. */
  const isAreaExplained = computed(() => toQueryText(route.query, 'explain') === 'area');

  /** Filters to an area and explains it, in one step back. */
  function explainArea(filter: RecordFilter): void {
    const query = withQueryText(route.query, 'q', toAddress(filter).q ?? '');
    void router.push({ params: route.params, query: { ...query, explain: 'area' } });
  }

  function setExplaining(isOpen: boolean): void {
    void router.replace({
      params: route.params,
      query: withQueryText(route.query, 'explain', isOpen ? '1' : ''),
    });
  }

  function setInspector(isOpen: boolean): void {
    if (isExplaining.value) setExplaining(false);
    setOpen(isOpen);
  }

  /**
   * What covers the table comes with a press, so that keys can go on from row to row. In the place of an explanation too:
   * a press is never without effect.
   */
  function pressRow(): void {
    if (isOver.value || isExplaining.value) setInspector(true);
  }

  return {
    isInspectorOpen,
    isExplaining,
    isAreaExplained,
    explainArea,
    setInspector,
    setExplaining,
    pressRow,
  };
}
