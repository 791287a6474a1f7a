import type { HandlersOf } from '../../common/contract/index.ts';
import type { LibraryImporter } from './create-library-importer.ts';

/** The handlers of `imports/…`. */
export function createImportsHandlers(parts: {
  readonly libraryImporter: LibraryImporter;
}): HandlersOf<'imports'> {
  const { libraryImporter } = parts;
  return {
    'imports/start': (input) => libraryImporter.start(input),
  };
}
