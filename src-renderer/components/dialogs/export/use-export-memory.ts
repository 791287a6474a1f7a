import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { ExportMemory } from '../../../../src-main/common/contract/operations/exports.ts';
import type { ExportChoices } from '../../../../src-main/common/model/exports/export-choices.ts';
import type { SavedPreset } from '../../../../src-main/common/model/exports/saved-preset.ts';
import { useBackend } from '../../../backend/backend.ts';
import { readFormats } from '../../../format/formats.ts';

/** What was chosen for files before, and the presets of one's own. */
export const useExportMemoryStore = defineStore('export-memory', () => {
  const backend = useBackend();
  const read = shallowRef<ExportMemory | null>(null);
  /** With its presets by name, as the window's language sorts; null before it was read. */
  const memory = computed<ExportMemory | null>(() => {
    if (read.value === null) return null;
    const { compareTexts } = readFormats();
    const presets = read.value.presets.toSorted((a, b) => compareTexts(a.name, b.name));
    return { ...read.value, presets };
  });

  backend.on('exports/presets-changed', (presets) => {
    if (read.value !== null) read.value = { ...read.value, presets };
  });

  async function load(): Promise<void> {
    read.value ??= await backend.call('exports/read-choices', null);
  }

  /** Keeps the choices for the next file of their format. */
  async function keep(choices: ExportChoices): Promise<void> {
    // What was not read yet is read with it later.
    if (read.value !== null) {
      const others = read.value.choices.filter(({ format }) => format !== choices.format);
      read.value = { ...read.value, choices: [choices, ...others] };
    }
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
