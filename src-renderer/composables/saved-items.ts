import { type Component, computed, type ComputedRef, type Ref, shallowRef } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { foldCase } from '../../src-main/common/fold-case.ts';
import type { SetAsideConnections } from '../../src-main/common/model/connections/connection.ts';
import { useBackend } from '../backend/backend.ts';
import { useQuery } from './use-query.ts';

/** How an item stands: its mark and its state are drawn alike for alerts, schedules, and whatever follows. */
export type ItemTone = 'good' | 'partial' | 'bad';

/** A saved item as the list beside its editor shows it. */
export interface ListedItem {
  readonly id: string;
  readonly name: string;
  readonly tone: ItemTone;
  /** Takes the place of the dot in the colour of the tone. */
  readonly icon: Component | null;
  /** The icon turns. */
  readonly isRunning: boolean;
  readonly isOff: boolean;
  /** What the item does, between its name and its state; empty where the name says it. */
  readonly about: string;
  readonly state: string;
  /** Empty where there is nothing to add. */
  readonly note: string;
}

interface SelectedItem<Item> {
  /** One is being made, which isn't saved. */
  readonly isNew: ComputedRef<boolean>;
  /** The one that is edited; null where a new one is, or there is none. */
  readonly selected: ComputedRef<Item | null>;
  /** There is one to edit, saved or new. */
  readonly isShown: ComputedRef<boolean>;
  add(): void;
  show(id: string): void;
  leave(): void;
}

/** Keeps which item a screen edits in its address: `<route>/<id>`, or `<route>/new`; without either, the first. */
export function useSelectedItem<Item>(
  route: string,
  readItems: () => readonly Item[],
  toId: (item: Item) => string,
): SelectedItem<Item> {
  const current = useRoute();
  const router = useRouter();
  const isNew = computed(() => current.params['id'] === 'new');
  const selected = computed(() => {
    if (isNew.value) return null;
    const items = readItems();
    return items.find((item) => toId(item) === current.params['id']) ?? items[0] ?? null;
  });

  return {
    isNew,
    selected,
    isShown: computed(() => isNew.value || selected.value !== null),
    add: () => void router.push({ name: route, params: { id: 'new' } }),
    show: (id) => void router.replace({ name: route, params: { id } }),
    leave: () => void router.replace({ name: route }),
  };
}

/** Why an item can't be saved, or not under this name. */
export type SavedFault = 'name-missing' | 'name-long' | 'name-taken' | 'too-many';

interface Named {
  readonly name: string;
}

interface Removal<Item> {
  readonly item: Item;
  /** Where it stood in the list. */
  readonly place: number;
}

/** What a person saved under names. Each change rejects with the core's error where it can't be written. */
export interface SavedList<Item extends Named> {
  readonly list: ComputedRef<readonly Item[]>;
  /** The last one that was deleted, unless it was restored or another item has its name. */
  readonly removal: ComputedRef<Removal<Item> | null>;
  /** Saves an item under a new name; resolves to what is wrong, else to null. */
  save(item: Item): Promise<SavedFault | null>;
  replace(item: Item): Promise<void>;
  rename(name: string, typed: string): Promise<SavedFault | null>;
  remove(name: string): Promise<void>;
  /** Restores the last one that was deleted to its place. */
  undoRemoval(): Promise<SavedFault | null>;
}

/** Names differ by more than their case. */
export function useSavedList<Item extends Named>({
  read,
  write,
  maxItems,
  maxNameCharacters,
}: {
  read: () => readonly Item[];
  write: (list: Item[]) => Promise<void>;
  maxItems: number;
  maxNameCharacters: number;
}): SavedList<Item> {
  const isNamed = (item: Named, name: string): boolean => foldCase(item.name) === foldCase(name);
  const list = computed<readonly Item[]>(() => {
    const all = read();
    // Two of one name can only have been written by hand.
    return all.filter((item) => item === all.find(({ name }) => isNamed(item, name)));
  });
  const last = shallowRef<Removal<Item> | null>(null);
  const removal = computed(() => {
    const name = last.value?.item.name ?? '';
    return list.value.some((item) => isNamed(item, name)) ? null : last.value;
  });

  function findFault(name: string, except?: Item): SavedFault | null {
    if (name === '') return 'name-missing';
    if (name.length > maxNameCharacters) return 'name-long';
    if (list.value.some((item) => item !== except && isNamed(item, name))) return 'name-taken';
    return except === undefined && list.value.length >= maxItems ? 'too-many' : null;
  }

  async function writeUnless(fault: SavedFault | null, next: Item[]): Promise<SavedFault | null> {
    if (fault === null) await write(next);
    return fault;
  }

  return {
    list,
    removal,
    async save(item) {
      const named = { ...item, name: item.name.trim() };
      return writeUnless(findFault(named.name), [...list.value, named]);
    },
    replace: (item) => write(list.value.map((other) => (other.name === item.name ? item : other))),
    async rename(name, typed) {
      const known = list.value.find((item) => item.name === name);
      const next = typed.trim();
      return writeUnless(
        findFault(next, known),
        list.value.map((item) => (item === known ? { ...item, name: next } : item)),
      );
    },
    async remove(name) {
      const place = list.value.findIndex((item) => item.name === name);
      const item = list.value[place];
      if (item === undefined) return;
      await write(list.value.toSpliced(place, 1));
      last.value = { item, place };
    },
    async undoRemoval() {
      if (removal.value === null) return null;
      const { item, place } = removal.value;
      const fault = await writeUnless(findFault(item.name), list.value.toSpliced(place, 0, item));
      if (fault === null) last.value = null;
      return fault;
    },
  };
}

/** Saved connections that can't be used; null until that is known. They only change when the application starts. */
export function useSetAside(): Readonly<Ref<SetAsideConnections | null>> {
  const backend = useBackend();
  return useQuery(
    () => null,
    () => backend.call('connections/list-set-aside', null),
  ).value;
}
