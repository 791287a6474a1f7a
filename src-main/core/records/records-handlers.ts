import { AppError } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf, Input } from '../../common/contract/index.ts';
import {
  type KnownTime,
  type Session,
  type SessionRequest,
  toConversationSpan,
  toKnownTime,
} from '../../common/model/records/conversation.ts';
import { type RecordRow, toRecordId } from '../../common/model/records/record.ts';
import { createOutcomeDecider, toRules } from '../../common/reporting/outcome.ts';
import { DETAIL_KINDS, type Direction, DIRECTIONS } from '../../common/reporting/reports.ts';
import { isTimeZone, listBucketEdges, pickBucketWidth } from '../../common/time/civil-time.ts';
import type { PathsProgress } from '../analysis/engine/bodies/find-paths.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { PatternsProgress } from '../analysis/engine/find-patterns.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Ledger } from '../coverage/ledger.ts';
import { listRead } from '../coverage/read-holdings.ts';

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

/** The handlers of `conversations/…`: all of them work with the network gone. */
export function createConversationsHandlers({
  ledger,
  engine,
  connections,
}: {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly engine: Pick<
    Engine,
    | 'openConversations'
    | 'readConversations'
    | 'countConversationClients'
    | 'listConversationClients'
    | 'measureConversationTimes'
    | 'closeConversations'
  >;
  readonly connections: Pick<ConnectionStore, 'get'>;
}): HandlersOf<'conversations'> {
  /** The ledger is read before the engine is: what it says is known has been fed when the engine answers. */
  const readKnown = async (
    connectionId: string,
    period: { readonly fromMs: number; readonly toMs: number },
  ): Promise<KnownTime> => {
    const span = toConversationSpan(period);
    const read = await Promise.all(DETAIL_KINDS.map((report) => ledger.read({ connectionId, report }, span)));
    return toKnownTime(
      span,
      read.map(({ spans }) => listRead(spans)),
    );
  };
  return {
    'conversations/open': async (question) => {
      const { connectionId, fromMs, toMs } = question;
      connections.get(connectionId);
      if (toMs <= fromMs)
        throw new AppError('app.invalid-input', 'Conversations need a period.', { fromMs, toMs });
      const known = await readKnown(connectionId, { fromMs, toMs });
      return engine.openConversations({ ...question, known });
    },
    'conversations/read-rows': (place) => engine.readConversations(place),
    'conversations/count-clients': (view) => engine.countConversationClients(view),
    'conversations/list-clients': (question) => engine.listConversationClients(question),
    'conversations/read-times': (question) => engine.measureConversationTimes(question),
    'conversations/close': async (view) => {
      await engine.closeConversations(view);
      return null;
    },
  };
}

/** The handlers of `marks/…`. */
export function createMarksHandlers(parts: {
  readonly cache: Pick<Cache, 'changeMarks'>;
  readonly emit: Emit;
  now(): number;
}): HandlersOf<'marks'> {
  const { cache, emit, now } = parts;
  return {
    'marks/change': async ({ records, change }) => {
      await cache.changeMarks({ records, change, nowMs: now() });
      emit('marks/changed', null);
      return null;
    },
  };
}
