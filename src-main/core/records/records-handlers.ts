import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import type { Cache } from '../cache/cache.ts';

/** Rows of one window; a table asks for far fewer. */
const MAX_WINDOW_ROWS = 500;

/** The handlers of `records/…`: all of them work with the network gone. */
export function createRecordsHandlers(parts: { readonly cache: Cache }): HandlersOf<'records'> {
  const { cache } = parts;
  return {
    'records/open-view': (input) => cache.openView(input),
    'records/read-rows': ({ viewId, start, end }) => {
      if (end < start || end - start > MAX_WINDOW_ROWS) {
        throw new AppError('app.invalid-input', 'A window holds at most 500 rows.', { start, end });
      }
      return cache.readRows({ viewId, start, end });
    },
    'records/close-view': async ({ viewId }) => {
      await cache.closeView(viewId);
      return null;
    },
    'records/read-histogram': (input) => cache.readHistogram(input),
    'records/read-facets': ({ snapshotId }) => cache.readFacets(snapshotId),
    'records/read-record': (input) => cache.readRecord(input),
    'records/read-session': (input) => cache.readSession(input),
  };
}
