import type { DuckDBConnection } from '@duckdb/node-api';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { Facets, RecordOrder } from '../../../common/model/records/record.ts';
import { type CallContext, rejectOnAbort } from '../../calls/calls.ts';
import type { WatchedDeprecation } from '../../../common/model/analysis/deprecation-match.ts';
import type { ErrorGrouping } from '../../../common/model/records/error-family.ts';
import type {
  PatternField,
  PeriodScope,
  RecordFilter,
  RecordScope,
} from '../../../common/model/records/record-filter.ts';
import { isBodyField } from '../../../common/model/records/body-path.ts';
import type { FamilyAct } from '../../../common/model/connections/family-changes.ts';
import type { SqlCell, SqlQuestion } from '../../../common/model/records/sql.ts';
import {
  type FieldsWith,
  listFieldsWith,
  RECORD_FIELDS,
  type ValueCounts,
} from '../../../common/model/records/record-fields.ts';
import type { Outcome, OutcomeRules } from '../../../common/reporting/outcome.ts';
import { isDetailKind, type Direction } from '../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import {
  type ClassCount,
  countClasses,
  countValues,
  matchSigns,
  summariseRecords,
  type ValueCount,
} from './count-records.ts';
import {
  createEngineFeed,
  type EngineFeed,
  type FedMark,
  type FeedProgress,
} from './feed/create-engine-feed.ts';
import type { FoundPatterns } from './feed/feed-source.ts';
import type { FamiliesByConnection } from './feed/keep-families.ts';
import { readRows, type EngineDatabase } from './engine-database.ts';
import {
  countHitMinutes,
  countMinutes,
  findNewFamilies,
  type HistogramShape,
  listMinuteValues,
  readHistogram,
  readPercentiles,
} from './count-over-time.ts';
import { findErrorFamilies, groupErrors, listFamilyNames, resolveFamilies } from './error-families.ts';
import { createAnswering } from './answer-questions.ts';
import { createBodyOperations } from './bodies/body-operations.ts';
import { createPathStore } from './bodies/keep-paths.ts';
import { findPatterns, type PatternsProgress } from './find-patterns.ts';
import { findFirstSeen, checkFamilies, readFamily } from './read-family.ts';
import { createConversationOperations } from './conversations/conversation-operations.ts';
import { createConversationViews } from './conversations/conversation-views.ts';
import { createKeptConversations, type KeptLimits } from './conversations/kept-conversations.ts';
import { createFileOperations } from './files/file-operations.ts';
import {
  countTraffic,
  findFindings,
  type FindingsQuestion,
  type FindingsRecords,
  type TrafficQuestion,
} from './findings/find-findings.ts';
import {
  createKeptDays,
  findPeriodFindings,
  readKeptFindings,
  type PeriodFindingsQuestion,
} from './findings/find-period-findings.ts';
import { createKeptCounts } from './findings/kept-counts.ts';
import { createSettledTraffic } from './findings/settled-traffic.ts';
import { createOwnValues, type OwnTablesByConnection, resolveMarks } from './own-values.ts';
import { createMeasureOperations, type FindKept } from './measures/measure-operations.ts';
import { createSeveralOperations } from './measures/several-connections.ts';
import { adviseOutcomes, type OutcomesByConnection, previewOutcomes } from './outcomes.ts';
import { createRecordViews } from './views/record-views.ts';
import type { FilteredRecords, ResolvedScope } from './resolved-scope.ts';
import { createScopeResolver, type EngineSource } from './resolve-scope.ts';
import { countTables, type OwnedQuestion } from './sql/make-tables.ts';
import { createSqlResults, runStatement } from './sql/run-statement.ts';

export type EngineOperations = Awaited<ReturnType<typeof createEngineOperations>>;

type Context = CallContext<FeedProgress>;

interface Followed {
  readonly marks: readonly FedMark[];
  readonly found: readonly FoundPatterns[];
  /** Of the cache that they were found in, as it was when this process began. */
  readonly cacheIdentity: string;
}

/** What connections say about their records. */
export interface RulesByConnection {
  readonly outcomes: OutcomesByConnection;
  readonly families: FamiliesByConnection;
  readonly tables: OwnTablesByConnection;
}

interface OutcomeQuestion {
  readonly connectionId: string;
  readonly direction: Direction;
  readonly rules: OutcomeRules;
}

/** Whether the time of a statement runs. */
export type SqlProgress = 'started' | 'waiting';

interface Question {
  readonly scope: RecordScope;
  readonly filter: RecordFilter;
  /** An open view whose records are meant, in place of those that the scope has by now. */
  readonly viewId?: string | undefined;
}

/**
 * Everything that the engine's process does on request. `mark` distinguishes its views from those of another process.
 */
export async function createEngineOperations(
  database: EngineDatabase,
  source: EngineSource,
  mark: string,
  keptLimits?: KeptLimits,
) {
  const feedConnection = await database.connect();
  const views = createRecordViews(database, mark, {
    isInOrder: (snapshotId) => feed.isInOrder(snapshotId),
    listRunStarts: (snapshotId) => source.listRunStarts(snapshotId),
  });
  const feed: EngineFeed = await createEngineFeed(
    feedConnection,
    source,
    (snapshotId) => {
      views.closeOf(snapshotId);
      conversations.closeOf(snapshotId);
    },
    (direction, fromId, untilId) => paths.fill(direction, fromId, untilId),
  );
  const results = createSqlResults(mark);
  const ending = new AbortController();
  let following: Promise<void> = Promise.resolve();

  /** One run at a time; a call during a run waits for the next one. */
  const follow = (onProgress: (progress: FeedProgress) => void = () => undefined): Promise<void> => {
    const report = (progress: FeedProgress): void => {
      ending.signal.throwIfAborted();
      onProgress(progress);
    };
    following = following.catch(() => undefined).then(() => feed.follow(report));
    return following;
  };
  /** Runs a task between two runs of the feed. */
  const enqueue = (task: () => Promise<void>): Promise<void> => {
    const own = following
      .catch(() => undefined)
      .then(() => {
        ending.signal.throwIfAborted();
        return task();
      });
    following = own;
    // What can't be kept is looked at again.
    own.catch(() => undefined);
    return own;
  };
  const kept = createKeptDays(
    feedConnection,
    () => feed.version,
    (write) => {
      enqueue(write).catch(() => undefined);
    },
  );
  const settled = createSettledTraffic(
    () => feed.version,
    createKeptCounts(
      feedConnection,
      () => feed.version,
      (write) => {
        enqueue(write).catch(() => undefined);
      },
    ),
  );
  const ownConnection = await database.connect();
  const ownValues = await createOwnValues(ownConnection);
  const { connect: withConnection, rest } = createAnswering(database, ending.signal);
  const paths = await createPathStore(feedConnection, enqueue, () => feed.listMarks(), rest);
  /** Lists of snapshots as texts: the same list is read once. */
  const states = new WeakMap<readonly Snapshot[], string>();
  const toFindingsRecords = (connection: DuckDBConnection): FindingsRecords => ({
    resolve: (scope) => resolver.resolve(connection, scope),
    getVersion: () => feed.version,
    readState(connectionId) {
      const snapshots = source.listSnapshots(connectionId);
      const details = snapshots.filter(({ report }) => isDetailKind(report));
      const isFed = !feed.isUndecided && details.every((snapshot) => feed.isFed(snapshot));
      if (!isFed) return null;
      const known = states.get(snapshots) ?? JSON.stringify(snapshots);
      states.set(snapshots, known);
      return `${feed.version} ${known}`;
    },
    settled,
  });
  const resolver = createScopeResolver(source, feed, () => follow());
  const ask = <Value>(
    scope: RecordScope,
    context: Pick<Context, 'signal'>,
    work: (
      connection: DuckDBConnection,
      scope: Awaited<ReturnType<typeof resolver.resolve>>,
    ) => Promise<Value>,
  ): Promise<Value> =>
    withConnection(context, async (connection) =>
      work(connection, await resolver.resolve(connection, scope)),
    );

  const resolveFilter = async (
    connection: DuckDBConnection,
    records: FilteredRecords,
    connectionId: string,
  ): Promise<FilteredRecords> => {
    const known = await ownValues.resolve(records, connectionId);
    return resolveFamilies(
      connection,
      await resolveMarks(connection, known, source, connectionId),
      connectionId,
    );
  };

  const resolveNames: typeof resolveFilter = async (...asked) => paths.resolve(await resolveFilter(...asked));
  const keptConversations = await createKeptConversations(
    database,
    {
      countRecords: () =>
        source
          .list()
          .reduce(
            (counts, { connectionId, recordCount }) =>
              counts.set(connectionId, (counts.get(connectionId) ?? 0) + recordCount),
            new Map<string, number>(),
          ),
      resolveAll: (...asked) => resolver.resolveAll(...asked),
      getVersion: () => feed.version,
      enqueue: (task) => enqueue(() => task(feedConnection)),
      rest,
    },
    keptLimits,
  );
  const conversations = createConversationViews(database, mark, {
    resolve: (connection, scope) => resolver.resolve(connection, scope),
    resolveFilter: resolveNames,
    getVersion: () => feed.version,
    kept: keptConversations,
  });

  /** Rows of a result of SQL, or of a list of conversations or clients. */
  const readResult = (
    place: { readonly resultId: string; readonly offset: number; readonly limit: number },
    signal: AbortSignal,
  ): Promise<SqlCell[][]> =>
    conversations.has(place.resultId)
      ? conversations.readCells(place, signal)
      : Promise.resolve().then(() => results.read({ ...place, whole: true }));

  const toConnectionId = (scope: RecordScope): string =>
    ('snapshotId' in scope ? source.getSnapshot(scope.snapshotId) : scope).connectionId;

  const findKept: FindKept = async (scope, direction, field) => {
    const own = await ownValues.find(toConnectionId(scope), direction, field);
    return own ?? (isBodyField(field) ? paths.use(direction, field) : undefined);
  };

  /** As `ask`, with a filter in which marks and notes stand for ids of records, and patterns for the families of today. */
  const askFiltered = <Value>(
    { scope, filter, viewId }: Question,
    context: Pick<Context, 'signal'>,
    work: (connection: DuckDBConnection, records: FilteredRecords) => Promise<Value>,
  ): Promise<Value> =>
    withConnection(context, async (connection) => {
      const viewed = viewId === undefined ? null : views.findScope(viewId);
      const resolved = viewed ?? (await resolver.resolve(connection, scope));
      const records = { scope: resolved, filter };
      return work(connection, await resolveNames(connection, records, toConnectionId(scope)));
    });

  const askAll = <Value>(
    { connectionId, direction }: Pick<OutcomeQuestion, 'connectionId' | 'direction'>,
    context: Pick<Context, 'signal'>,
    work: (connection: DuckDBConnection, scope: ResolvedScope) => Promise<Value>,
  ): Promise<Value> =>
    withConnection(context, async (connection) =>
      work(connection, await resolver.resolveAll(connection, connectionId, `${direction}-detail`)),
    );

  const bodies = createBodyOperations({
    connect: withConnection,
    ask: askFiltered,
    findKept,
    findOwn: (...asked) => ownValues.find(...asked),
    getConnectionId: (snapshotId) => source.getSnapshot(snapshotId).connectionId,
  });

  return {
    /** Records that this process has fed, and whether its end would close views or results. */
    readLoad: () => ({
      fedRecords: feed.fedRecords,
      isInUse: views.size > 0 || results.count > 0 || conversations.size > 0,
    }),
    /**
     * Brings the engine up to the cache; reports the records fed after each batch. Returns how far each snapshot is, and
     * which patterns of errors the cache has to keep.
     */
    follow: async (_input: null, { progress: report }: Context): Promise<Followed> => {
      await follow(report);
      return { marks: feed.listMarks(), found: feed.takeFound(), cacheIdentity: source.identity };
    },
    /**
     * Takes what says which requests failed, and what a person made of families; records that were fed before follow
     * with the next `follow`.
     */
    setRules: (rules: RulesByConnection): void => {
      feed.setOutcomes(rules.outcomes);
      feed.setFamilies(rules.families);
      ownValues.set(rules.tables);
    },
    openView: ({ order, ...question }: Question & { order: RecordOrder }, context: Context) =>
      askFiltered(question, context, async (_connection, records) =>
        views.open(
          records,
          await bodies.resolveOrder(order, question.scope, records.scope.direction),
          context.signal,
        ),
      ),
    /** All rows of a view, once they have been found. */
    countView: async (viewId: string) => ({ rowCount: await views.count(viewId) }),
    /** Ids of the rows of a view from a place on, and the report that they are of. */
    readIds: async ({ viewId, offset, limit }: { viewId: string; offset: number; limit: number }) => ({
      report: `${views.getScope(viewId).direction}-detail` as const,
      ids: [...(await views.readIds(viewId, offset, offset + limit))],
    }),
    closeView: (viewId: string): void => views.close(viewId),
    readHistogram: (question: Question & Omit<HistogramShape, 'kept'>, context: Context) =>
      askFiltered(question, context, async (connection, records) => {
        const kept = await findKept(question.scope, records.scope.direction, question.split);
        return readHistogram(connection, records, { ...question, kept });
      }),
    countFacets: (question: Question, context: Context): Promise<Facets> =>
      askFiltered(question, context, async (connection, records) => {
        const counts = await countValues(connection, records, listFieldsWith('counted'));
        return toFacets(counts, await countClasses(connection, records));
      }),
    ...createMeasureOperations({
      ask: askFiltered,
      findKept,
      listOwn: (scope, direction) => ownValues.listColumns(toConnectionId(scope), direction),
      getVersion: () => feed.version,
    }),
    ...createFileOperations({
      folder: database.filesFolder,
      ask: askFiltered,
      connect: withConnection,
      source,
      findPaths: bodies.findPathsOf,
      resolveOrder: bodies.resolveOrder,
      readResult,
    }),
    ...createSeveralOperations({
      connect: withConnection,
      resolve: async (connection, asked, filter) => {
        const scope = await resolver.resolve(connection, asked);
        return resolveNames(connection, { scope, filter }, asked.connectionId);
      },
    }),
    ...bodies.operations,
    ...createConversationOperations({
      views: conversations,
      kept: keptConversations,
      connect: withConnection,
      resolve: (...asked) => resolver.resolve(...asked),
      resolveAll: (...asked) => resolver.resolveAll(...asked),
      resolveFilter: resolveNames,
    }),
    summarise: (scope: RecordScope, context: Context) => ask(scope, context, summariseRecords),
    findErrorFamilies: ({ period, ...question }: Question & { period: TimeSpan }, context: Context) =>
      askFiltered(question, context, (connection, records) => findErrorFamilies(connection, records, period)),
    groupErrors: (
      { period, by, ...question }: Question & { period: TimeSpan; by: ErrorGrouping },
      context: Context,
    ) =>
      askFiltered(question, context, (connection, records) => groupErrors(connection, records, period, by)),
    /** Reports how many texts it has read. */
    findPatterns: (
      { period, field, ...question }: Question & { period: TimeSpan; field: PatternField },
      context: CallContext<PatternsProgress>,
    ) =>
      askFiltered(question, context, (connection, records) =>
        findPatterns(connection, records, { field, period }, context),
      ),
    /** Of the families those that nothing cached of the report before `fromMs` has. */
    findFirstSeen: (
      { scope, patterns }: { scope: PeriodScope; patterns: readonly string[] },
      context: Context,
    ) =>
      withConnection(context, async (connection) => {
        const all = await resolver.resolveAll(connection, scope.connectionId, scope.report);
        return findFirstSeen(connection, all, scope, patterns);
      }),
    /** Everything about one family of a report's errors. */
    readFamily: ({ scope, family }: { scope: PeriodScope; family: string }, context: Context) =>
      withConnection(context, async (connection) =>
        readFamily(connection, {
          connectionId: scope.connectionId,
          family,
          period: scope,
          scope: await resolver.resolve(connection, scope),
          all: await resolver.resolveAll(connection, scope.connectionId, scope.report),
        }),
      ),
    /** What everything cached of a direction shows of deprecations. */
    matchSigns: (
      {
        watched,
        ...owner
      }: { connectionId: string; direction: Direction; watched: readonly WatchedDeprecation[] },
      context: Context,
    ) => askAll(owner, context, (connection, scope) => matchSigns(connection, scope, watched)),
    /** Patterns of a connection's errors with the families of now, where these have another name. */
    listFamilyNames: ({ connectionId }: { connectionId: string }, context: Context) =>
      withConnection(context, (connection) => listFamilyNames(connection, connectionId)),
    /** What cached records say about a change of a family. */
    checkFamilies: (
      { connectionId, direction, act }: { connectionId: string; direction: Direction; act: FamilyAct },
      context: Context,
    ) =>
      askAll({ connectionId, direction }, context, (connection, scope) =>
        checkFamilies(connection, scope, act),
      ),
    /** What stands out in a connection's traffic. */
    findFindings: (question: FindingsQuestion, context: Context) =>
      withConnection(context, (connection) =>
        findFindings(connection, toFindingsRecords(connection), question),
      ),
    /** What stood out in it during a period. */
    findPeriodFindings: (question: PeriodFindingsQuestion, context: Context) =>
      withConnection(context, (connection) =>
        findPeriodFindings(connection, toFindingsRecords(connection), question, {
          kept,
          signal: context.signal,
        }),
      ),
    /** What is known of several periods from days that were judged before. */
    readKeptFindings: (questions: readonly PeriodFindingsQuestion[], context: Context) =>
      withConnection(context, (connection) =>
        readKeptFindings(connection, toFindingsRecords(connection), questions, kept),
      ),
    /** Counts days ahead of what will be asked of them. */
    countTraffic: (question: TrafficQuestion, context: Context) =>
      withConnection(context, (connection) =>
        countTraffic(connection, toFindingsRecords(connection), question),
      ),
    /** What some rules make of everything cached of a report. */
    previewOutcomes: (question: OutcomeQuestion, context: Context) =>
      askAll(question, context, (connection, scope) =>
        previewOutcomes(connection, scope, question, question.rules),
      ),
    adviseOutcomes: (question: OutcomeQuestion, context: Context) =>
      askAll(question, context, (connection, scope) =>
        adviseOutcomes(connection, scope, question, question.rules),
      ),
    /** Outcomes of records of a direction, in the order of their ids; null for one that isn't there any more. */
    readOutcomes: (
      { direction, ids }: { direction: Direction; ids: readonly number[] },
      context: Context,
    ): Promise<(Outcome | null)[]> =>
      withConnection(context, async (connection) => {
        if (ids.length === 0) return [];
        const rows = await readRows<[number, Outcome]>(
          connection,
          `SELECT record_id, outcome::VARCHAR FROM ${direction} WHERE record_id IN (${ids.join(', ')})`,
        );
        const found = new Map(rows);
        return ids.map((id) => found.get(id) ?? null);
      }),
    countMinutes: (question: Question & Parameters<typeof countMinutes>[2], context: Context) =>
      askFiltered(question, context, (connection, records) => countMinutes(connection, records, question)),
    countHitMinutes: (question: Question & Parameters<typeof countHitMinutes>[2], context: Context) =>
      askFiltered(question, context, (connection, records) => countHitMinutes(connection, records, question)),
    listMinuteValues: (question: Question & Parameters<typeof listMinuteValues>[2], context: Context) =>
      askFiltered(question, context, (connection, records) =>
        listMinuteValues(connection, records, question),
      ),
    readPercentiles: (question: Question & Parameters<typeof readPercentiles>[2], context: Context) =>
      askFiltered(question, context, (connection, records) => readPercentiles(connection, records, question)),
    /** The span is one of everything cached of the connection and report. */
    findNewFamilies: (
      question: { scope: PeriodScope; filter: RecordFilter } & Parameters<typeof findNewFamilies>[2],
      context: Context,
    ) =>
      withConnection(context, async (connection) => {
        const { connectionId, report } = question.scope;
        const scope = await resolver.resolveAll(connection, connectionId, report);
        const all = { scope, filter: question.filter };
        const records = await resolveFilter(connection, all, connectionId);
        return findNewFamilies(connection, records, question);
      }),
    /** Runs a statement of a person; its rows are kept for `readSqlRows`. */
    runSql: (
      { timeLimitMs, ...question }: OwnedQuestion & { text: string; timeLimitMs: number },
      context: CallContext<SqlProgress>,
    ) => {
      const { signal } = context;
      const resolve = (scope: RecordScope) =>
        rejectOnAbort(
          withConnection(context, (connection) => resolver.resolve(connection, scope)),
          signal,
        );
      const told = {
        onStart: () => context.progress('started'),
        onWait: () => context.progress('waiting'),
      };
      return withConnection(context, (connection) =>
        runStatement({
          connection,
          question,
          timeLimitMs,
          signal,
          resolve,
          source,
          listOwnColumns: ownValues.listColumns,
          results,
          ...told,
        }),
      );
    },
    /** Rows of each table of SQL in a period. */
    countSqlTables: (period: Omit<SqlQuestion, 'text' | 'zone'>, context: Context) =>
      withConnection(context, (connection) =>
        countTables(connection, period, (scope) => resolver.resolve(connection, scope), source),
      ),
    readSqlRows: (place: Parameters<typeof results.read>[0]) => results.read(place),
    /** Whole rows of a result, or of conversations or their clients, as JSON, which passes through a process without being read. */
    packSqlRows: async (
      place: { resultId: string; offset: number; limit: number },
      { signal }: Context,
    ): Promise<Uint8Array> => Buffer.from(JSON.stringify(await readResult(place, signal))),
    closeSqlResult: (resultId: string): void => results.close(resultId),
    /** Ends what runs by itself; the calls under way are interrupted by their signals. */
    interrupt: (): void => {
      ending.abort();
      feedConnection.interrupt();
    },
    /** Nothing may be running any more. */
    close: async (): Promise<void> => {
      await views.closeAll();
      await conversations.closeAll();
      await following.catch(() => undefined);
      // What was written is moved into the file as its last connection closes: the next start would read it again first.
      for (const connection of [ownConnection, feedConnection]) connection.closeSync();
      database.close();
    },
  };
}

function toFacets(
  counts: Readonly<Record<FieldsWith<'counted'>, ValueCount[]>>,
  classes: readonly ClassCount[],
): Facets {
  const values = listFieldsWith('counted').map((field) => [
    RECORD_FIELDS[field].counted,
    // Records without an error are in no family of errors.
    counts[field].filter(({ value }) => value !== null && (field !== 'errorFamily' || value !== '')),
  ]);
  return {
    ...(Object.fromEntries(values) as ValueCounts),
    codeClasses: classes.filter(({ count }) => count > 0),
  };
}
