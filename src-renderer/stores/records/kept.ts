import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import { useRouter } from 'vue-router';
import {
  MAX_FILTER_QUERY_CHARACTERS,
  MAX_SAVED_VIEWS,
  MAX_VIEW_NAME_CHARACTERS,
  type SavedView,
} from '../../../src-main/common/model/records/record-filter.ts';
import {
  MARKS,
  type RecordMark,
  type RecordMarkChange,
  type RecordRow,
} from '../../../src-main/common/model/records/record.ts';
import { useBackend } from '../../backend/backend.ts';
import { type SavedFault, useSavedList } from '../../composables/saved-items.ts';
import { type ErrorLike, toErrorLike } from '../../messages/error-like.ts';
import { useAppStore } from '../window/app.ts';
import { useShownPaths } from './shown-paths.ts';

/** Records that the core changes at once. */
const MAX_CHANGED = 100;

type Place = Pick<RecordRow, 'snapshotId' | 'seq' | 'mark'>;

/** A person's own marks and notes on records. */
export const useMarksStore = defineStore('marks', () => {
  const backend = useBackend();
  /** Marks as they were changed here last: rows that were selected before still carry those of then. */
  const changed = new Map<string, RecordMark['mark']>();
  /** The record whose note is to have the caret as soon as it is shown. */
  const wanted = shallowRef<Place | null>(null);
  const error = shallowRef<ErrorLike | null>(null);

  /** Changes marks or notes; returns whether that succeeded. */
  async function change(rows: readonly Place[], next: RecordMarkChange): Promise<boolean> {
    if (rows.length === 0) return false;
    try {
      const places = rows.map(({ snapshotId, seq }) => ({ snapshotId, seq }));
      for (let from = 0; from < places.length; from += MAX_CHANGED) {
        const records = places.slice(from, from + MAX_CHANGED);
        await backend.call('marks/change', { records, change: next });
        if (next.mark !== undefined) for (const place of records) changed.set(toKey(place), next.mark);
      }
      error.value = null;
      return true;
    } catch (thrown) {
      error.value = toErrorLike(thrown);
      return false;
    }
  }

  /** Puts the star on the rows, or takes it away where all have it. */
  function toggleStar(rows: readonly Place[]): Promise<boolean> {
    const [star] = MARKS;
    const isStarred = (row: Place): boolean =>
      (changed.has(toKey(row)) ? changed.get(toKey(row)) : row.mark?.mark) === star;
    return change(rows, { mark: rows.every(isStarred) ? null : star });
  }

  function wantNote(place: Place | null): void {
    wanted.value = place;
  }

  return { wanted, error, change, toggleStar, wantNote } as const;
});

function toKey({ snapshotId, seq }: Pick<Place, 'snapshotId' | 'seq'>): string {
  return `${snapshotId}:${seq}`;
}

/** Why a view can't be saved, or not under this name; the window has words for each. */
export type SaveFault = SavedFault | 'query-long';

/** The views of records that the person saved under a name; the settings keep them. */
export const useSavedViewsStore = defineStore('saved-views', () => {
  const app = useAppStore();
  const router = useRouter();
  const paths = useShownPaths();
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
      if (columns !== undefined && direction === view.direction) await paths.setColumns(report, columns);
      const parts = {
        ...shown,
        ...(query === '' ? {} : { q: query }),
        ...(period === undefined ? {} : { period }),
      };
      await router.push({ path: `/${direction}/detail`, query: parts });
    },
  } as const;
});
