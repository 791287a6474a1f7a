import type { HandlersOf } from '../../common/contract/index.ts';
import type { Host } from '../host.ts';
import type { LibraryImporter } from './create-library-importer.ts';

/** The handlers of `imports/…`. */
export function createImportsHandlers(parts: {
  readonly host: Pick<Host, 'takeOpenedFile'>;
  readonly libraryImporter: LibraryImporter;
}): HandlersOf<'imports'> {
  const { host, libraryImporter } = parts;
  return {
    'imports/start': (input) => libraryImporter.start(input),
    'imports/take-opened-file': () => host.takeOpenedFile(),
  };
}
