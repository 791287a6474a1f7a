import type { HandlersOf } from '../../common/contract/index.ts';
import type { Exporter } from './create-exporter.ts';

/** The handlers of `exports/…`. */
export function createExportsHandlers(parts: { readonly exporter: Exporter }): HandlersOf<'exports'> {
  const { exporter } = parts;
  return {
    'exports/start': (input) => exporter.start(input),
    'exports/start-result': (input) => exporter.startResult(input),
    'exports/start-portable': ({ snapshotIds }) => exporter.startPortable(snapshotIds),
    'exports/preview': (input) => exporter.preview(input),
    'exports/preview-result': (input) => exporter.previewResult(input),
    'exports/reveal': ({ taskId }) => exporter.reveal(taskId),
  };
}
