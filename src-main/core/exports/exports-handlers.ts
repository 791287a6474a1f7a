import type { HandlersOf } from '../../common/contract/index.ts';
import type { Exporter } from './create-exporter.ts';

/** The handlers of `exports/…`. */
export function createExportsHandlers(parts: { readonly exporter: Exporter }): HandlersOf<'exports'> {
  const { exporter } = parts;
  return {
    'exports/start': (input) => exporter.start(input),
    'exports/reveal': ({ taskId }) => exporter.reveal(taskId),
  };
}
