import { computed, ref, type WritableComputedRef } from 'vue';
import {
  toFirstChoices,
  toNextChoices,
  type ExportChoices,
} from '../../../../src-main/common/model/exports/export-choices.ts';
import type { ExportFormat } from '../../../../src-main/common/model/exports/export-options.ts';
import { useKeptDraft } from '../../../composables/use-kept-draft.ts';
import { useAppStore } from '../../../stores/window/app.ts';
import { useExportMemoryStore } from './use-export-memory.ts';

/** What was changed by hand and isn't written yet. */
interface ChoicesDraft {
  readonly format: ExportFormat | null;
  readonly changed: Partial<Record<ExportFormat, ExportChoices>>;
  /** Null for those of the preset. */
  readonly columns: readonly string[] | null;
}
const UNCHANGED: ChoicesDraft = { format: null, changed: {}, columns: null };

/** The choices of the file that is about to be written: for each format those of last time, until they are changed. */
export function useExportChoices(
  readSubject: () => string,
  readFormats: () => readonly ExportFormat[],
): {
  readonly choices: WritableComputedRef<ExportChoices>;
  readonly format: WritableComputedRef<ExportFormat>;
  readonly columns: WritableComputedRef<readonly string[] | null>;
  /** Reads what was chosen before; without it the first choices stay. */
  load(): Promise<void>;
  keep(): Promise<void>;
} {
  const app = useAppStore();
  const store = useExportMemoryStore();
  const draft = ref<ChoicesDraft>(UNCHANGED);
  const kept = useKeptDraft(`export:${readSubject()}`, draft, () => UNCHANGED);

  /** The preset that exports begin with, where the settings name one that is there and can be used here. */
  const first = computed(() => {
    const wanted = app.settings?.exportStart ?? 'last';
    const found = store.memory?.presets.find(({ id }) => id === wanted)?.choices;
    return found !== undefined && readFormats().includes(found.format) ? found : null;
  });
  const format = computed({
    get: (): ExportFormat => {
      const formats = readFormats();
      const wanted = draft.value.format ?? first.value?.format ?? store.memory?.choices[0]?.format ?? 'csv';
      return formats.includes(wanted) ? wanted : 'csv';
    },
    set: (next) => {
      draft.value = { ...draft.value, format: next };
    },
  });
  const choices = computed({
    get: (): ExportChoices => {
      const own = draft.value.changed[format.value];
      if (own !== undefined) return own;
      if (first.value?.format === format.value) return first.value;
      const last = store.memory?.choices.find((each) => each.format === format.value);
      return last ?? toFirstChoices(format.value);
    },
    set: (next) => {
      const { changed } = draft.value;
      draft.value = { ...draft.value, format: next.format, changed: { ...changed, [next.format]: next } };
    },
  });

  return {
    choices,
    format,
    columns: computed({
      get: () => draft.value.columns,
      set: (columns) => (draft.value = { ...draft.value, columns }),
    }),
    load: () => store.load().catch(() => undefined),
    // The file is written all the same where they can't be kept.
    keep: () => {
      kept.forget();
      return store.keep(toNextChoices(choices.value)).catch(() => undefined);
    },
  };
}
