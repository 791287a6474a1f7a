import { AppError } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf, Input } from '../../common/contract/index.ts';
import { listBucketEdges, pickBucketWidth } from '../../common/time/time-buckets.ts';
import { isTimeZone } from '../../common/time/time-zones.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { PathsProgress } from '../analysis/engine/bodies/find-paths.ts';
import type { PatternsProgress } from '../analysis/engine/find-patterns.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { addOutcomes } from './add-outcomes.ts';
import { addPreviews } from './add-previews.ts';

/** The handlers of `records/…`: all of them work with the network gone. */
export function createRecordsHandlers(parts: {
  readonly cache: Cache;
  readonly engine: Engine;
  readonly connections: Pick<ConnectionStore, 'listSaved'>;
  /** Sends how far a long answer is. */
  readonly emit?: Emit;
}): HandlersOf<'records'> {
  const { cache, engine, emit } = parts;
  /** What ends a call about a view, by the view, for each kind of call. */
  const ends = {
    fields: new Map<string, AbortController>(),
    patterns: new Map<string, AbortController>(),
    paths: new Map<string, AbortController>(),
  };
  /** One call of a kind at a time for each view: the one before ends. */
  const askLast = async <Value>(
    kind: keyof typeof ends,
    viewId: string,
    ask: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> => {
    const own = ends[kind];
    const end = new AbortController();
    own.get(viewId)?.abort();
    own.set(viewId, end);
    try {
      return await ask(end.signal);
    } finally {
      if (own.get(viewId) === end) own.delete(viewId);
    }
  };
  return {
    'records/open-view': (question) => engine.openView(question),
    'records/count-view': ({ viewId }) => engine.countView(viewId),
    'records/read-rows': async ({ paths = [], ...place }) => {
      const { report, ids } = await engine.readIds(place);
      const direction = report === 'inbound-detail' ? 'inbound' : 'outbound';
      const [rows, values] = await Promise.all([
        cache.readRows({ report, ids }),
        paths.length === 0 ? null : engine.readValues({ direction, ids, paths }),
      ]);
      const shown = await addOutcomes(parts, direction, rows);
      return values === null ? shown : shown.map((row, place) => ({ ...row, values: values[place] ?? {} }));
    },
    'records/close-view': async ({ viewId }) => {
      for (const own of Object.values(ends)) own.get(viewId)?.abort();
      await engine.closeView(viewId);
      return null;
    },
    'records/read-histogram': ({ fromMs, toMs, zone, maxBuckets, ...question }) =>
      engine.readHistogram({ ...question, edges: listEdges({ fromMs, toMs, zone, maxBuckets }) }),
    'records/read-response-times': ({ fromMs, toMs, zone, maxBuckets, ...question }) =>
      engine.readResponseTimes({ ...question, edges: listEdges({ fromMs, toMs, zone, maxBuckets }) }),
    'records/read-facets': (question) => engine.countFacets(question),
    'records/read-fields': (question) =>
      askLast('fields', question.viewId, (signal) => engine.readFields(question, { signal })),
    'records/find-error-families': ({ fromMs, toMs, ...question }) =>
      engine.findErrorFamilies({ ...question, period: { fromMs, toMs } }),
    'records/group-errors': ({ fromMs, toMs, ...question }) =>
      engine.groupErrors({ ...question, period: { fromMs, toMs } }),
    'records/find-patterns': ({ fromMs, toMs, ...question }) => {
      const { viewId = '', scope, field } = question;
      if (field === 'response' && 'report' in scope && scope.report === 'inbound-detail')
        throw new AppError('app.invalid-input', 'Inbound records have no response.', { field });
      const ask = (signal?: AbortSignal) =>
        engine.findPatterns(
          { ...question, period: { fromMs, toMs } },
          {
            signal,
            onProgress: (progress) => {
              if (viewId === '') return;
              emit?.('records/patterns-progress', { viewId, ...(progress as PatternsProgress) });
            },
          },
        );
      return viewId === '' ? ask() : askLast('patterns', viewId, ask);
    },
    'records/find-paths': ({ viewId, ...question }) =>
      askLast('paths', viewId, (signal) =>
        engine.findPaths(
          { ...question, viewId, filter: { conditions: [] } },
          {
            signal,
            onProgress: (progress) =>
              emit?.('records/paths-progress', { viewId, ...(progress as PathsProgress) }),
          },
        ),
      ),
    'records/read-path': (question) => engine.readPath(question),
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

/** Edges of the buckets of a chart over time. */
function listEdges({
  fromMs,
  toMs,
  zone,
  maxBuckets,
}: Pick<Input<'records/read-histogram'>, 'fromMs' | 'toMs' | 'zone' | 'maxBuckets'>): readonly number[] {
  if (toMs <= fromMs || !isTimeZone(zone)) {
    throw new AppError('app.invalid-input', 'A chart over time needs a period and a time zone.', {
      fromMs,
      toMs,
      zone,
    });
  }
  return listBucketEdges(fromMs, toMs, pickBucketWidth(toMs - fromMs, maxBuckets), zone);
}
