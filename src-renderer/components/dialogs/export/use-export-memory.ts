import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { ExportMemory } from '../../../../src-main/common/contract/operations/exports.ts';
import type { ExportChoices } from '../../../../src-main/common/model/exports/export-choices.ts';
import type { SavedPreset } from '../../../../src-main/common/model/exports/saved-preset.ts';
import { useBackend } from '../../../backend/backend.ts';

/** What was chosen for files before, and the presets of one's own. */
export const useExportMemoryStore = defineStore('export-memory', () => {
  const backend = useBackend();
  /** Null before it was read. */
  const memory = shallowRef<ExportMemory | null>(null);

  backend.on('exports/presets-changed', (presets) => {
    if (memory.value !== null) memory.value = { ...memory.value, presets };
  });

  async function load(): Promise<void> {
    memory.value ??= await backend.call('exports/read-choices', null);
  }

  /** Keeps the choices for the next file of their format. */
  async function keep(choices: ExportChoices): Promise<void> {
    const { choices: before = [], presets = [] } = memory.value ?? {};
    const others = before.filter(({ format }) => format !== choices.format);
    memory.value = { choices: [choices, ...others], presets };
    await backend.call('exports/keep-choices', choices);
  }

  function save(presetId: string | null, name: string, choices: ExportChoices): Promise<SavedPreset> {
    return backend.call('exports/save-preset', { presetId, name, choices });
  }

  async function remove(presetId: string): Promise<void> {
    await backend.call('exports/remove-preset', { presetId });
  }

  return { memory, load, keep, save, remove } as const;
});
