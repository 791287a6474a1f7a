import { type Component, computed, type ComputedRef } from 'vue';
import { useRoute, useRouter } from 'vue-router';

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

export interface SelectedItem<Item> {
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
