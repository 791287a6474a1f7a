import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import { listBucketEdges, pickBucketWidth } from '../../common/time/time-buckets.ts';
import { isTimeZone } from '../../common/time/time-zones.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { addOutcomes } from './add-outcomes.ts';
import { addPreviews } from './add-previews.ts';

/** The handlers of `records/…`: all of them work with the network gone. */
export function createRecordsHandlers(parts: {
  readonly cache: Cache;
  readonly engine: Engine;
  readonly connections: Pick<ConnectionStore, 'listSaved'>;
}): HandlersOf<'records'> {
  const { cache, engine } = parts;
  /** What ends a call about a view, by the view. */
  const ends = new Map<string, AbortController>();
  return {
    'records/open-view': (question) => engine.openView(question),
    'records/count-view': ({ viewId }) => engine.countView(viewId),
    'records/read-rows': async (place) => {
      const { report, ids } = await engine.readIds(place);
      const rows = await cache.readRows({ report, ids });
      return addOutcomes(parts, report === 'inbound-detail' ? 'inbound' : 'outbound', rows);
    },
    'records/close-view': async ({ viewId }) => {
      ends.get(viewId)?.abort();
      await engine.closeView(viewId);
      return null;
    },
    'records/read-histogram': ({ fromMs, toMs, zone, maxBuckets, ...question }) => {
      if (toMs <= fromMs || !isTimeZone(zone)) {
        throw new AppError('app.invalid-input', 'A histogram needs a period and a time zone.', {
          fromMs,
          toMs,
          zone,
        });
      }
      const edges = listBucketEdges(fromMs, toMs, pickBucketWidth(toMs - fromMs, maxBuckets), zone);
      return engine.readHistogram({ ...question, edges });
    },
    'records/read-facets': (question) => engine.countFacets(question),
    'records/read-fields': async (question) => {
      const { viewId } = question;
      const end = new AbortController();
      ends.get(viewId)?.abort();
      ends.set(viewId, end);
      try {
        return await engine.readFields(question, { signal: end.signal });
      } finally {
        if (ends.get(viewId) === end) ends.delete(viewId);
      }
    },
    'records/find-error-families': ({ fromMs, toMs, ...question }) =>
      engine.findErrorFamilies({ ...question, period: { fromMs, toMs } }),
    'records/group-errors': ({ fromMs, toMs, ...question }) =>
      engine.groupErrors({ ...question, period: { fromMs, toMs } }),
    'records/find-first-seen': async (question) => ({ patterns: await engine.findFirstSeen(question) }),
    'records/read-record': async (input) => {
      const [record, { report }] = await Promise.all([
        cache.readRecord(input),
        cache.getSnapshot(input.snapshotId),
      ]);
      const direction = report.startsWith('inbound') ? 'inbound' : 'outbound';
      const [judged = record] = await addOutcomes(parts, direction, [record]);
      return judged;
    },
    'records/read-raw': (place) => cache.readRaw(place),
    'records/read-session': async (input) => addPreviews(cache, await engine.readSession(input)),
  };
}
