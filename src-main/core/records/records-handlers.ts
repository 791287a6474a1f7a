import { AppError } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf, Input } from '../../common/contract/index.ts';
import { toRecordId } from '../../common/model/records/record-ids.ts';
import type { RecordRow } from '../../common/model/records/record.ts';
import type { Session, SessionRequest } from '../../common/model/records/session.ts';
import { createOutcomeDecider, toRules } from '../../common/reporting/outcome.ts';
import { DIRECTIONS, type Direction } from '../../common/reporting/reports.ts';
import { listBucketEdges, pickBucketWidth } from '../../common/time/time-buckets.ts';
import { isTimeZone } from '../../common/time/time-zones.ts';
import type { PathsProgress } from '../analysis/engine/bodies/find-paths.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { PatternsProgress } from '../analysis/engine/find-patterns.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';

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

/** What outcomes are found with. */
interface OutcomeSource {
  readonly cache: Pick<Cache, 'getSnapshot'>;
  readonly engine: Pick<Engine, 'readOutcomes'>;
  readonly connections: Pick<ConnectionStore, 'listSaved'>;
}

/**
 * Adds to rows of one connection and direction what became of their requests. Rules that look at nothing but a row are
 * applied here; only for others the engine is asked.
 */
async function addOutcomes<Row extends RecordRow>(
  { cache, engine, connections }: OutcomeSource,
  direction: Direction,
  rows: readonly Row[],
): Promise<Row[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const { connectionId } = await cache.getSnapshot(first.snapshotId);
  const saved = connections.listSaved().find(({ id }) => id === connectionId);
  const decide = createOutcomeDecider(toRules(saved?.outcomes, direction));
  const decided = rows.map((row) => decide(row));
  const open = rows.filter((_row, place) => decided[place] === null);
  const ids = open.map(({ snapshotId, seq }) => toRecordId(snapshotId, seq));
  const asked = open.length === 0 ? [] : await engine.readOutcomes({ direction, ids });
  const answers = new Map(open.map((row, place) => [row, asked[place] ?? 'unknown']));
  return rows.map((row, place) => ({ ...row, outcome: decided[place] ?? answers.get(row) ?? 'unknown' }));
}

const BATCH_ROWS = 500;

/** Returns a session with what the payloads of its requests say: the engine has none of them. */
async function addPreviews(cache: Pick<Cache, 'readRows'>, session: Session): Promise<Session> {
  const previews = new Map<SessionRequest, string>();
  for (const direction of DIRECTIONS) {
    const own = session.requests.filter((request) => request.direction === direction);
    for (let start = 0; start < own.length; start += BATCH_ROWS) {
      const batch = own.slice(start, start + BATCH_ROWS);
      const ids = batch.map(({ snapshotId, seq }) => toRecordId(snapshotId, seq));
      const rows = await cache.readRows({ report: `${direction}-detail`, ids }).catch((thrown: unknown) => {
        // They were removed after the engine had found them: the window asks again as soon as it hears of it.
        if (thrown instanceof AppError && thrown.code === 'cache.view-closed') return [];
        throw thrown;
      });
      for (const [place, row] of rows.entries()) {
        const request = batch[place];
        if (request !== undefined) previews.set(request, row.payloadPreview);
      }
    }
  }
  const requests = session.requests.map((request) => {
    const payloadPreview = previews.get(request);
    return payloadPreview === undefined ? request : { ...request, payloadPreview };
  });
  return { ...session, requests };
}
