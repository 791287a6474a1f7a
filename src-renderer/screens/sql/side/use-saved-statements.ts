import { computed, shallowRef } from 'vue';
import type { SavedStatement } from '../../../../src-main/common/model/settings/settings.ts';
import { useAppStore } from '../../../stores/window/app.ts';

/** Statements that were saved under a name, and what was deleted last. */
export function useSavedStatements() {
  const app = useAppStore();
  const saved = computed<readonly SavedStatement[]>(() => app.settings?.savedStatements ?? []);
  const removed = shallowRef<{ readonly statement: SavedStatement; readonly place: number } | null>(null);

  function find(name: string): SavedStatement | null {
    return saved.value.find((statement) => statement.name === name) ?? null;
  }

  /** Saves under a name, in the place of what was saved under it. */
  async function save(name: string, text: string): Promise<void> {
    const statement = { name, text };
    const savedStatements =
      find(name) === null
        ? [...saved.value, statement]
        : saved.value.map((other) => (other.name === name ? statement : other));
    await app.update({ savedStatements });
    if (removed.value?.statement.name === name) removed.value = null;
  }

  async function remove(name: string): Promise<void> {
    const place = saved.value.findIndex((statement) => statement.name === name);
    const statement = saved.value[place];
    if (statement === undefined) return;
    await app.update({ savedStatements: saved.value.filter((other) => other !== statement) });
    removed.value = { statement, place };
  }

  async function undoRemove(): Promise<void> {
    if (removed.value === null) return;
    const { statement, place } = removed.value;
    await app.update({ savedStatements: saved.value.toSpliced(place, 0, statement) });
    removed.value = null;
  }

  return { saved, removed, find, save, remove, undoRemove };
}
