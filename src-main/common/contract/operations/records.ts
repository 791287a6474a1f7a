import { Type } from 'typebox';
import { TimedField } from '../../model/analysis/grouping.ts';
import { Nullable } from '../../model/nullable.ts';
import { FoundPaths, MAX_SHOWN_PATHS, PathText, PathValues } from '../../model/records/body-path.ts';
import {
  Conversation,
  CONVERSATION_OUTCOMES,
  ConversationClients,
  ConversationOrder,
  ConversationTimes,
  MAX_SESSION_ID_CHARACTERS,
  MAX_SESSION_REQUESTS,
  OpenedConversations,
  Session,
  SLOWEST_PARTS,
} from '../../model/records/conversation.ts';
import { ERROR_GROUPINGS, ErrorFamilies, ErrorGroups } from '../../model/records/error-family.ts';
import { Histogram, HistogramSplit, ResponseTimes } from '../../model/records/histogram.ts';
import {
  AFFECTED,
  Facets,
  RecordDetail,
  RecordFields,
  RecordMarkChange,
  RecordOrder,
  RecordRow,
} from '../../model/records/record.ts';
import {
  PATTERN_FIELDS,
  PeriodScope,
  RecordFilter,
  RecordScope,
  TextPatterns,
} from '../../model/records/record-filter.ts';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { Nothing, operation, RecordPlace } from '../operation.ts';

const ViewId = Type.Object({ viewId: Type.String() });
const Question = Type.Object({ scope: RecordScope, filter: RecordFilter });
/**
 * With `viewId` the answer is about the records that the view was opened with, whatever has been cached since. If the
 * view is closed by then, it is about the scope.
 */
const ViewQuestion = Type.Object({ ...Question.properties, viewId: Type.Optional(Type.String()) });
/**
 * Buckets over [fromMs, toMs): they have a round length and begin at round times of the zone's clock, so the first and the
 * last may reach beyond.
 */
const Buckets = Type.Object({
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
  zone: Type.String({ maxLength: 100 }),
  maxBuckets: Type.Integer({ minimum: 1, maximum: 500 }),
});

export const recordsEvents = {
  /** Sent while the engine is far behind the cache: records that it has, of all that are cached; null at the end. */
  'records/feed-changed': Nullable(Type.Object({ fed: Type.Integer(), total: Type.Integer() })),
  /** How many texts of a view have been read for `records/find-patterns`, of all that will be. */
  'records/patterns-progress': Type.Object({
    viewId: Type.String(),
    read: Type.Integer(),
    total: Type.Integer(),
  }),
  /** The same of records for `records/find-paths`. */
  'records/paths-progress': Type.Object({
    viewId: Type.String(),
    read: Type.Integer(),
    total: Type.Integer(),
  }),
};

export const recordsOperations = {
  /**
   * Opens the records of a scope that meet a filter, in an order; windows of them are then look-ups. `isCounted` is false
   * while a search in texts goes on: `rowCount` is what it has found so far, and `records/count-view` waits for all.
   */
  'records/open-view': operation(
    Type.Object({ ...Question.properties, order: RecordOrder }),
    Type.Object({
      viewId: Type.String(),
      rowCount: Type.Integer(),
      isCounted: Type.Boolean(),
      totalCount: Type.Integer(),
    }),
  ),
  'records/count-view': operation(ViewId, Type.Object({ rowCount: Type.Integer() })),
  /** Rows of a view from a place on; fewer than `limit` at its end. */
  'records/read-rows': operation(
    Type.Object({
      viewId: Type.String(),
      offset: Type.Integer({ minimum: 0 }),
      limit: Type.Integer({ minimum: 1, maximum: 500 }),
      /** Paths in bodies and own tables whose values each row has; one that is unknown has none. */
      paths: Type.Optional(Type.Array(PathText, { maxItems: MAX_SHOWN_PATHS, uniqueItems: true })),
    }),
    Type.Array(RecordRow),
  ),
  'records/close-view': operation(ViewId, Nothing),
  /** Records of a time per bucket. */
  'records/read-histogram': operation(
    Type.Object({
      ...ViewQuestion.properties,
      ...Buckets.properties,
      split: HistogramSplit,
      /** The median takes longer than the counts. */
      withMedian: Type.Boolean(),
      /** The response times where absent. */
      medianOf: Type.Optional(TimedField),
    }),
    Histogram,
  ),
  /** Records of a time per bucket and by how long they took. */
  'records/read-response-times': operation(
    Type.Object({ ...ViewQuestion.properties, ...Buckets.properties, field: TimedField }),
    ResponseTimes,
  ),
  /** Values with their counts; conditions on a field don't restrict its own values. */
  'records/read-facets': operation(ViewQuestion, Facets),
  /** What the records of a view have in their fields. Closing the view ends the call. */
  'records/read-fields': operation(
    Type.Object({
      ...Question.properties,
      viewId: Type.String(),
      /** Counted beside the records of each value. */
      affected: Type.Optional(Type.Enum([...AFFECTED])),
    }),
    RecordFields,
  ),
  /**
   * Paths in the bodies of a view's scope, whatever its filter: of a sample, or of every record, which takes long. Closing
   * the view ends the call, and so does another one of the view.
   */
  'records/find-paths': operation(
    Type.Object({ scope: RecordScope, viewId: Type.String(), isExact: Type.Boolean() }),
    FoundPaths,
  ),
  /** What the records of a view have at a path. */
  'records/read-path': operation(
    Type.Object({
      ...ViewQuestion.properties,
      path: PathText,
      limit: Type.Integer({ minimum: 1, maximum: 500 }),
    }),
    PathValues,
  ),
  /**
   * Errors that read alike, over [fromMs, toMs) for their trends; conditions on the family itself don't restrict what is
   * found.
   */
  'records/find-error-families': operation(
    Type.Object({ ...ViewQuestion.properties, fromMs: Type.Integer(), toMs: Type.Integer() }),
    ErrorFamilies,
  ),
  /** The same by code, channel or service. */
  'records/group-errors': operation(
    Type.Object({
      ...ViewQuestion.properties,
      fromMs: Type.Integer(),
      toMs: Type.Integer(),
      by: Type.Enum([...ERROR_GROUPINGS]),
    }),
    ErrorGroups,
  ),
  /**
   * Texts of a field that read alike, over [fromMs, toMs) for their trends. Closing the view ends the call, and so does
   * another one of the view.
   */
  'records/find-patterns': operation(
    Type.Object({
      ...ViewQuestion.properties,
      fromMs: Type.Integer(),
      toMs: Type.Integer(),
      field: Type.Enum([...PATTERN_FIELDS]),
    }),
    TextPatterns,
  ),
  /** Of some families those that no cached record before the period has; none where too little before it is cached. */
  'records/find-first-seen': operation(
    Type.Object({ scope: PeriodScope, patterns: Type.Array(Type.String(), { maxItems: 200 }) }),
    Type.Object({ patterns: Type.Array(Type.String()) }),
  ),
  /** `whole`: with its long texts in full. */
  'records/read-record': operation(
    Type.Object({ ...RecordPlace.properties, whole: Type.Optional(Type.Boolean()) }),
    RecordDetail,
  ),
  /** The text of a record as it stands in its page; null where the page holds it in a way that has none. */
  'records/read-raw': operation(RecordPlace, Type.Object({ text: Nullable(Type.String()) })),
  /** A session in both directions, over everything cached of a connection; with `limit` 0 what is counted of it alone. */
  'records/read-session': operation(
    Type.Object({
      connectionId: Type.String(),
      sessionId: Type.String({ maxLength: MAX_SESSION_ID_CHARACTERS }),
      limit: Type.Integer({ minimum: 0, maximum: MAX_SESSION_REQUESTS }),
    }),
    Session,
  ),
};

export const marksOperations = {
  /** Puts a mark or a note on records, or takes them away. Fails with `cache.too-many-marks`. */
  'marks/change': operation(
    Type.Object({
      records: Type.Array(RecordPlace, { minItems: 1, maxItems: 100 }),
      change: RecordMarkChange,
    }),
    Nothing,
  ),
};

export const marksEvents = {
  /** Marks of a connection's report have changed. */
  'marks/changed': Type.Null(),
};

/** Conversations of a period, of both directions together. */
const ConversationQuestion = Type.Object({
  connectionId: Type.String(),
  fromMs: Type.Integer(),
  /** Exclusive. */
  toMs: Type.Integer(),
  /** Of those, the ones with a record that meets it. */
  filter: RecordFilter,
  /** Records that meet it are looked for in this direction; left out, in both. */
  direction: Type.Optional(Type.Enum([...DIRECTIONS])),
  /** Of those, the ones that became one of these; all where it is left out. */
  outcomes: Type.Optional(Type.Array(Type.Enum([...CONVERSATION_OUTCOMES]))),
  slowest: Type.Optional(Type.Array(Type.Enum([...SLOWEST_PARTS]))),
});

export const conversationsOperations = {
  /** Opens conversations in an order; windows of them are then look-ups. */
  'conversations/open': operation(
    Type.Object({ ...ConversationQuestion.properties, order: ConversationOrder }),
    OpenedConversations,
  ),
  /** Rows of a list from a place on; fewer than `limit` at its end. Fails with `cache.view-closed`. */
  'conversations/read-rows': operation(
    Type.Object({
      viewId: Type.String(),
      offset: Type.Integer({ minimum: 0 }),
      limit: Type.Integer({ minimum: 1, maximum: 500 }),
    }),
    Type.Array(Conversation),
  ),
  /** Clients of the conversations that match the filter, by outcome. Fails with `cache.view-closed`. */
  'conversations/count-clients': operation(ViewId, ConversationClients),
  /**
   * Lists the clients behind the conversations of a list, each once, as a result that `exports/start-result` takes until the
   * list is closed, and masks as it does others. Fails with `cache.view-closed`.
   */
  'conversations/list-clients': operation(
    ViewId,
    Type.Object({ resultId: Type.String(), rowCount: Type.Integer() }),
  ),
  /**
   * Where the time of the conversations of a list went in its period, and what became slow first. Steps begin at round times
   * of a zone's clock. Its `resultId` is one that `exports/start-result` takes until the list is closed. Fails with
   * `cache.view-closed`.
   */
  'conversations/read-times': operation(
    Type.Object({ viewId: Type.String(), zone: Type.String({ maxLength: 100 }) }),
    ConversationTimes,
  ),
  'conversations/close': operation(ViewId, Nothing),
};
