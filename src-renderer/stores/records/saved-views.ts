import { defineStore } from 'pinia';
import { useRouter } from 'vue-router';
import {
  MAX_FILTER_QUERY_CHARACTERS,
  MAX_SAVED_VIEWS,
  MAX_VIEW_NAME_CHARACTERS,
  type SavedView,
} from '../../../src-main/common/model/records/record-filter.ts';
import { useSavedList, type SavedFault } from '../../composables/use-saved-list.ts';
import { useAppStore } from '../window/app.ts';

/** Why a view can't be saved, or not under this name; the window has words for each. */
export type SaveFault = SavedFault | 'query-long';

/** The views of records that the person saved under a name; the settings keep them. */
export const useSavedViewsStore = defineStore('saved-views', () => {
  const app = useAppStore();
  const router = useRouter();
  const { save, replace, ...saved } = useSavedList<SavedView>({
    read: () => app.settings?.savedViews ?? [],
    write: (savedViews) => app.update({ savedViews }),
    maxItems: MAX_SAVED_VIEWS,
    maxNameCharacters: MAX_VIEW_NAME_CHARACTERS,
  });
  const isTooLong = ({ query }: SavedView): boolean => query.length > MAX_FILTER_QUERY_CHARACTERS;

  return {
    ...saved,
    save: async (view: SavedView): Promise<SaveFault | null> => (isTooLong(view) ? 'query-long' : save(view)),
    async replace(view: SavedView): Promise<SaveFault | null> {
      if (isTooLong(view)) return 'query-long';
      await replace(view);
      return null;
    },
    /** Shows the records of a direction as a view has them; columns are those of the direction that it was saved for. */
    async show(view: SavedView, direction = view.direction): Promise<void> {
      const { columns, query, period, shown } = view;
      const report = `${direction}-detail` as const;
      if (columns !== undefined && direction === view.direction)
        await app.update({ tableColumns: { ...app.settings?.tableColumns, [report]: columns } });
      const parts = {
        ...shown,
        ...(query === '' ? {} : { q: query }),
        ...(period === undefined ? {} : { period }),
      };
      await router.push({ path: `/${direction}/detail`, query: parts });
    },
  } as const;
});
