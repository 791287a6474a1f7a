import { defineStore } from 'pinia';
import {
  MAX_FILTER_NAME_CHARACTERS,
  MAX_FILTER_QUERY_CHARACTERS,
  MAX_SAVED_FILTERS,
  type SavedFilter,
} from '../../../src-main/common/model/records/saved-filter.ts';
import { useSavedList, type SavedFault } from '../../composables/use-saved-list.ts';
import { useAppStore } from '../window/app.ts';

/** Why a filter can't be saved, or not under this name; the window has words for each. */
export type SaveFault = SavedFault | 'query-long';

/** The filters that the person saved under a name; the settings keep them. */
export const useSavedFiltersStore = defineStore('saved-filters', () => {
  const app = useAppStore();
  const { save, replace, ...saved } = useSavedList<SavedFilter>({
    read: () => app.settings?.savedFilters ?? [],
    write: (savedFilters) => app.update({ savedFilters }),
    maxItems: MAX_SAVED_FILTERS,
    maxNameCharacters: MAX_FILTER_NAME_CHARACTERS,
  });
  const isTooLong = ({ query }: SavedFilter): boolean => query.length > MAX_FILTER_QUERY_CHARACTERS;

  return {
    ...saved,
    save: async (filter: SavedFilter): Promise<SaveFault | null> =>
      isTooLong(filter) ? 'query-long' : save(filter),
    async replace(filter: SavedFilter): Promise<SaveFault | null> {
      if (isTooLong(filter)) return 'query-long';
      await replace(filter);
      return null;
    },
  } as const;
});
