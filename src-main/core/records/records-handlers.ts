import type { HandlersOf } from '../../common/contract/index.ts';
import type { Cache } from '../cache/cache.ts';

/** The handlers of `records/…`: all of them work with the network gone. */
export function createRecordsHandlers(parts: { readonly cache: Cache }): HandlersOf<'records'> {
  const { cache } = parts;
  return {
    'records/open-view': (input) => cache.openView(input),
    'records/read-rows': (input) => cache.readRows(input),
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
