import { useI18n } from 'vue-i18n';

/** What the table of records says to screen readers by itself, by the names of its own texts. */
export function useGridWords(): Record<string, string> {
  const { t } = useI18n();
  return {
    // The selection goes with the focus: a hint at every row would drown what is in it.
    ariaRowSelect: '',
    ariaRowDeselect: '',
    ariaSortableColumn: t('common.grid.sort'),
    ariaSkeletonCellLoading: t('common.grid.loading'),
    ariaSkeletonCellLoadingFailed: t('common.grid.failed'),
  };
}
