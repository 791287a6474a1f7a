import { computed, shallowRef, type WritableComputedRef } from 'vue';
import {
  toFirstChoices,
  toNextChoices,
  type ExportChoices,
} from '../../../../src-main/common/model/exports/export-choices.ts';
import type { ExportFormat } from '../../../../src-main/common/model/exports/export-options.ts';
import { useAppStore } from '../../../stores/window/app.ts';
import { useExportMemoryStore } from './use-export-memory.ts';

/** The choices of the file that is about to be written: for each format those of last time, until they are changed. */
export function useExportChoices(readFormats: () => readonly ExportFormat[]): {
  readonly choices: WritableComputedRef<ExportChoices>;
  readonly format: WritableComputedRef<ExportFormat>;
  /** Reads what was chosen before; without it the first choices stay. */
  load(): Promise<void>;
  keep(): Promise<void>;
} {
  const app = useAppStore();
  const store = useExportMemoryStore();
  const picked = shallowRef<ExportFormat | null>(null);
  const changed = shallowRef<ReadonlyMap<ExportFormat, ExportChoices>>(new Map());

  /** The preset that exports begin with, where the settings name one that is there and can be used here. */
  const first = computed(() => {
    const wanted = app.settings?.exportStart ?? 'last';
    const found = store.memory?.presets.find(({ id }) => id === wanted)?.choices;
    return found !== undefined && readFormats().includes(found.format) ? found : null;
  });
  const format = computed({
    get: (): ExportFormat => {
      const formats = readFormats();
      const wanted = picked.value ?? first.value?.format ?? store.memory?.choices[0]?.format ?? 'csv';
      return formats.includes(wanted) ? wanted : 'csv';
    },
    set: (next) => {
      picked.value = next;
    },
  });
  const choices = computed({
    get: (): ExportChoices => {
      const own = changed.value.get(format.value);
      if (own !== undefined) return own;
      if (first.value?.format === format.value) return first.value;
      const last = store.memory?.choices.find((each) => each.format === format.value);
      return last ?? toFirstChoices(format.value);
    },
    set: (next) => {
      picked.value = next.format;
      changed.value = new Map(changed.value).set(next.format, next);
    },
  });

  return {
    choices,
    format,
    load: () => store.load().catch(() => undefined),
    // The file is written all the same where they can't be kept.
    keep: () => store.keep(toNextChoices(choices.value)).catch(() => undefined),
  };
}
