import type { HandlersOf } from '../../common/contract/index.ts';
import type { Updates } from './create-updates.ts';

/** The handlers of `updates/…`. */
export function createUpdatesHandlers({ updates }: { readonly updates: Updates }): HandlersOf<'updates'> {
  return {
    'updates/get-state': () => updates.read(),
    'updates/check': () => updates.check(),
    'updates/download': () => updates.download(),
    'updates/cancel-download': () => {
      updates.cancelDownload();
      return null;
    },
    'updates/install': () => {
      updates.install();
      return null;
    },
  };
}
