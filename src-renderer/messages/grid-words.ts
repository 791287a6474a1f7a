import { useI18n } from 'vue-i18n';

/** What a grid says to screen readers by itself, in the language of the moment. */
export function useGridWords(): (text: { readonly key: string; readonly defaultValue: string }) => string {
  const { t } = useI18n();
  const readWords = (): Record<string, string> => ({
    // The selection goes with the focus: a hint at every row would drown what is in it.
    ariaRowSelect: '',
    ariaRowDeselect: '',
    ariaRowToggleSelection: t('common.grid.choose'),
    ariaChecked: t('common.grid.chosen'),
    ariaUnchecked: t('common.grid.notChosen'),
    ariaSortableColumn: t('common.grid.sort'),
    ariaSkeletonCellLoading: t('common.grid.loading'),
    ariaSkeletonCellLoadingFailed: t('common.grid.failed'),
  });
  return ({ key, defaultValue }) => readWords()[key] ?? defaultValue;
}
