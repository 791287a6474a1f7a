import { computed, inject, provide, reactive, ref, type InjectionKey } from 'vue';
import {
  findNamed,
  isNamedField,
  type NamedField,
  toComparable,
  type ValueName,
} from '../../src-main/common/model/records/body-path.ts';
import { isolateText, toVisible } from '../../src-main/common/words/visible-text.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';

/** A number that is named, or is about to be. */
export interface NameTarget {
  readonly field: NamedField;
  readonly value: string;
}

/** A person's own names of channels, services and actions, of the connection that is shown. */
export interface Names {
  readonly list: readonly ValueName[];
  /** Returns the name of a field's value; null for one without a name, and for fields that have none. */
  find(field: string, value: unknown): ValueName | null;
  /** Returns a value with its name before it: `WhatsApp 3`; by itself without one. */
  toText(field: string, value: string | number): string;
  /** Returns the values that a name stands for. */
  findValues(field: string, text: string): readonly string[];
  /** True for a name that stands for more than one value. */
  isShared(entry: ValueName): boolean;
  /** Opens the editor, at a value if one is given. */
  edit(target?: NameTarget): void;
}

/** Where everything below finds the names. */
export const namesKey: InjectionKey<Names> = Symbol('names');

/** Returns the names of a list. */
export function createNames(readList: () => readonly ValueName[], edit: Names['edit']): Names {
  const list = computed(readList);
  const byValue = computed(
    () => new Map(list.value.map((entry) => [toKey(entry.field, entry.value), entry])),
  );
  const find: Names['find'] = (field, value) =>
    isNamedField(field) ? (byValue.value.get(toKey(field, value)) ?? null) : null;
  return reactive({
    list,
    find,
    toText: (field: string, value: string | number) => {
      const entry = find(field, value);
      return entry === null ? toVisible(String(value)) : `${isolateText(entry.name)} ${value}`;
    },
    findValues: (field: string, text: string) => findNamed(list.value, field, text),
    isShared: (entry: ValueName) =>
      list.value.some(
        (other) =>
          other.field === entry.field &&
          other.value !== entry.value &&
          toComparable(other.name) === toComparable(entry.name),
      ),
    edit,
  });
}

/** Gives everything below the names of the connection that is shown; `target` is what the editor is open for. */
export function provideNames() {
  const connections = useConnectionsStore();
  const target = ref<NameTarget | 'all' | null>(null);
  provide(
    namesKey,
    createNames(
      () => connections.active?.names ?? [],
      (next) => (target.value = next ?? 'all'),
    ),
  );
  return { target };
}

const NO_NAMES = createNames(
  () => [],
  () => undefined,
);

/** The names of the connection that is shown; none outside the application. */
export function useNames(): Names {
  return inject(namesKey, NO_NAMES);
}

function toKey(field: string, value: unknown): string {
  return `${field}:${String(value)}`;
}
