import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { FamilyAct } from '../../../src-main/common/model/connections/family-changes.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../backend/backend.ts';

/** Where a family of errors is. */
export interface FamilyPlace {
  readonly connectionId: string;
  readonly direction: Direction;
}

interface MadeChange {
  readonly place: FamilyPlace;
  readonly changeId: string;
  readonly act: FamilyAct;
}

/** What a person does to families of errors, and the last of it, which a notice offers to undo. */
export const useFamilyChangesStore = defineStore('family-changes', () => {
  const backend = useBackend();
  const latest = shallowRef<MadeChange | null>(null);

  /** Merges, splits or renames a family; returns the one that it has become. Rejects with the core's error. */
  async function change(place: FamilyPlace, act: FamilyAct): Promise<string> {
    const { changeId, family } = await backend.call('families/change', { ...place, act });
    latest.value = { place, changeId, act };
    return family;
  }

  /** Takes a change back; returns the family that it was about. Rejects with the core's error. */
  async function undo(place: FamilyPlace, changeId: string): Promise<string> {
    const { family } = await backend.call('families/undo', { ...place, changeId });
    if (latest.value?.changeId === changeId) latest.value = null;
    return family;
  }

  function dismiss(): void {
    latest.value = null;
  }

  return { latest, change, undo, dismiss } as const;
});
