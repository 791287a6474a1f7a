import type { HandlersOf } from '../../common/contract/index.ts';
import type { Exporter } from './create-exporter.ts';
import type { ExportMemory } from './presets/open-export-memory.ts';

/** The handlers of `exports/…`. */
export function createExportsHandlers(parts: {
  readonly exporter: Exporter;
  readonly exportMemory: ExportMemory;
}): HandlersOf<'exports'> {
  const { exporter, exportMemory } = parts;
  return {
    'exports/start': (input) => exporter.start(input),
    'exports/start-result': (input) => exporter.startResult(input),
    'exports/start-portable': ({ snapshotIds }) => exporter.startPortable(snapshotIds),
    'exports/start-service-levels': (input) => exporter.startLevels(input),
    'exports/start-case': (input) => exporter.startCase(input),
    'exports/preview': (input) => exporter.preview(input),
    'exports/preview-result': (input) => exporter.previewResult(input),
    'exports/read-choices': () => exportMemory.read(),
    'exports/keep-choices': async (choices) => {
      await exportMemory.keepChoices(choices);
      return null;
    },
    'exports/save-preset': (input) => exportMemory.savePreset(input),
    'exports/remove-preset': async ({ presetId }) => {
      await exportMemory.removePreset(presetId);
      return null;
    },
    'exports/reveal': ({ taskId }) => exporter.reveal(taskId),
  };
}
