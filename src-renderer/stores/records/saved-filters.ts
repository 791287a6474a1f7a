import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import { foldCase } from '../../../src-main/common/fold-case.ts';
import {
  MAX_FILTER_NAME_CHARACTERS,
  MAX_FILTER_QUERY_CHARACTERS,
  MAX_SAVED_FILTERS,
  type SavedFilter,
} from '../../../src-main/common/model/records/saved-filter.ts';
import { useAppStore } from '../window/app.ts';

/** Why a filter can't be saved, or not under this name; the window has words for each. */
export type SaveFault = 'name-missing' | 'name-long' | 'name-taken' | 'query-long' | 'too-many';

interface Removal {
  readonly saved: SavedFilter;
  /** Where it stood in the list. */
  readonly place: number;
}

function isNamed(saved: SavedFilter, name: string): boolean {
  return foldCase(saved.name) === foldCase(name);
}

/** The filters that the person saved under a name; the settings keep them. */
export const useSavedFiltersStore = defineStore('saved-filters', () => {
  const app = useAppStore();
  const list = computed<readonly SavedFilter[]>(() => {
    const all = app.settings?.savedFilters ?? [];
    // Two of one name can only have been written by hand.
    return all.filter((saved) => saved === all.find(({ name }) => isNamed(saved, name)));
  });
  /** The last one that was deleted, until it is brought back or another filter takes its name. */
  const removal = shallowRef<Removal | null>(null);

  const write = (savedFilters: readonly SavedFilter[]): Promise<void> =>
    app.update({ savedFilters: [...savedFilters] });

  function findNameFault(name: string, except?: SavedFilter): SaveFault | null {
    if (name === '') return 'name-missing';
    if (name.length > MAX_FILTER_NAME_CHARACTERS) return 'name-long';
    return list.value.some((saved) => saved !== except && isNamed(saved, name)) ? 'name-taken' : null;
  }

  /** Saves a filter under a new name; resolves to what is wrong, else to null. Rejects with the core's error. */
  async function save({ name, ...rest }: SavedFilter): Promise<SaveFault | null> {
    const saved = { name: name.trim(), ...rest };
    const fault = findNameFault(saved.name);
    if (fault !== null) return fault;
    if (saved.query.length > MAX_FILTER_QUERY_CHARACTERS) return 'query-long';
    if (list.value.length >= MAX_SAVED_FILTERS) return 'too-many';
    await write([...list.value, saved]);
    if (removal.value !== null && isNamed(removal.value.saved, saved.name)) removal.value = null;
    return null;
  }

  /** Puts another filter under the name of a saved one. */
  async function overwrite(
    saved: SavedFilter,
    filter: Pick<SavedFilter, 'direction' | 'query'>,
  ): Promise<SaveFault | null> {
    if (filter.query.length > MAX_FILTER_QUERY_CHARACTERS) return 'query-long';
    await write(list.value.map((one) => (one.name === saved.name ? { ...one, ...filter } : one)));
    return null;
  }

  async function rename(saved: SavedFilter, typed: string): Promise<SaveFault | null> {
    const name = typed.trim();
    const known = list.value.find((one) => one.name === saved.name);
    const fault = findNameFault(name, known);
    if (fault !== null) return fault;
    await write(list.value.map((one) => (one === known ? { ...one, name } : one)));
    if (removal.value !== null && isNamed(removal.value.saved, name)) removal.value = null;
    return null;
  }

  async function remove({ name }: SavedFilter): Promise<void> {
    const place = list.value.findIndex((one) => one.name === name);
    const saved = list.value[place];
    if (saved === undefined) return;
    await write(list.value.toSpliced(place, 1));
    removal.value = { saved, place };
  }

  /** Brings the last one that was deleted back to its place; resolves to what stands against it, else to null. */
  async function undoRemoval(): Promise<SaveFault | null> {
    const last = removal.value;
    if (last === null) return null;
    const fault = findNameFault(last.saved.name);
    if (fault !== null) return fault;
    if (list.value.length >= MAX_SAVED_FILTERS) return 'too-many';
    await write(list.value.toSpliced(last.place, 0, last.saved));
    removal.value = null;
    return null;
  }

  return { list, removal, save, overwrite, rename, remove, undoRemoval } as const;
});
