import { Type } from 'typebox';
import {
  COMPARED_MEASURES,
  COMPARED_QUANTILES,
  Comparison,
  Explanation,
  Reconciliation,
} from '../../model/analysis/comparison.ts';
import {
  ConnectionFigures,
  Distribution,
  GroupField,
  GroupKey,
  HeatMap,
  MAX_ASKED_CONNECTIONS,
  MAX_EDGES,
  MAX_GROUP_FIELDS,
  MeasuredGroups,
  SeriesBucket,
  SharedFamilies,
  TimedField,
} from '../../model/analysis/grouping.ts';
import { DirectionSchema } from '../../model/cache/snapshot.ts';
import { Period } from '../../model/period.ts';
import { Summary } from '../../model/records/histogram.ts';
import { PeriodScope, RecordFilter, RecordScope } from '../../model/records/record-filter.ts';
import { SqlCell, SqlOutcome, SqlQuestion, SqlTableCounts } from '../../model/records/sql.ts';
import { FillingTask, Nothing, operation, SnapshotId } from '../operation.ts';

const Question = Type.Object({ scope: RecordScope, filter: RecordFilter });

/** What is computed from the cached records of a scope that meet a filter. */
export const analysisOperations = {
  /** Counts and times by the values of up to two fields. Rejects with `app.invalid-input` for a path of many values. */
  'analysis/group-records': operation(
    Type.Object({
      ...Question.properties,
      by: Type.Array(GroupKey, { maxItems: MAX_GROUP_FIELDS, uniqueItems: true }),
    }),
    MeasuredGroups,
  ),
  /** Counts and times between edges, which rise. */
  'analysis/read-series': operation(
    Type.Object({
      ...Question.properties,
      edges: Type.Array(Type.Integer(), { minItems: 2, maxItems: MAX_EDGES }),
    }),
    Type.Array(SeriesBucket),
  ),
  /** Counts and times by weekday and hour of a zone's clock. */
  'analysis/read-heat-map': operation(
    Type.Object({ ...Question.properties, zone: Type.String({ maxLength: 100 }) }),
    HeatMap,
  ),
  'analysis/read-distribution': operation(
    Type.Object({ ...Question.properties, field: TimedField }),
    Distribution,
  ),
  /** What sets the records of a selection apart from the others that meet the filter; with `bodies` looks into these too. */
  'analysis/explain': operation(
    Type.Object({
      ...Question.properties,
      selection: RecordFilter,
      bodies: Type.Optional(Type.Boolean()),
    }),
    Explanation,
  ),
};

const Side = Type.Object({
  /** Of the same direction on both sides. */
  scope: RecordScope,
  filter: RecordFilter,
  /** How long the period is: volumes are compared over equal lengths. */
  lengthMs: Type.Integer({ minimum: 1 }),
});

export const compareOperations = {
  /** Compares the cached records of two periods group by group: how far apart, how sure, and what made the change. */
  'compare/compare-groups': operation(
    Type.Object({
      before: Side,
      after: Side,
      by: Type.Array(GroupField, { minItems: 1, maxItems: MAX_GROUP_FIELDS, uniqueItems: true }),
      measure: Type.Enum([...COMPARED_MEASURES]),
      /** Which times are compared where the measure is `response`. */
      quantile: Type.Enum([...COMPARED_QUANTILES]),
    }),
    Comparison,
  ),
};

/** One period of a report, of several connections. */
const OfSeveral = Type.Object({
  connectionIds: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: MAX_ASKED_CONNECTIONS,
    uniqueItems: true,
  }),
  ...Type.Omit(PeriodScope, ['connectionId']).properties,
  /** Fields, marks and families are those of each connection. */
  filter: RecordFilter,
});

export const severalOperations = {
  /**
   * Figures of each connection, in the order of the question. With a family of one connection it counts the records of each
   * whose errors fold to the same texts.
   */
  'several/read-figures': operation(
    Type.Object({
      ...OfSeveral.properties,
      family: Type.Optional(
        Type.Object({
          connectionId: Type.String(),
          pattern: Type.String({ minLength: 1, maxLength: 2_000 }),
        }),
      ),
    }),
    Type.Array(ConnectionFigures),
  ),
  /** The errors of the connections together, by what they fold to. */
  'several/find-error-families': operation(OfSeveral, SharedFamilies),
};

/** Chosen by the window, so that it can cancel what it has not heard of yet. */
const RunId = Type.Object({ runId: Type.String({ minLength: 1, maxLength: 100 }) });
const ResultId = Type.Object({ resultId: Type.String() });

export const sqlOperations = {
  /** Runs a statement that only reads; a fault of the statement is an outcome, not an error. */
  'sql/run': operation(Type.Object({ ...RunId.properties, ...SqlQuestion.properties }), SqlOutcome),
  /** Ends a statement; `sql/run` then resolves at once. Does nothing when it has ended. */
  'sql/cancel': operation(RunId, Nothing),
  /** Rows that each table has of a period, as far as it is cached. */
  'sql/count-tables': operation(
    Type.Pick(SqlQuestion, ['connectionId', 'otherConnectionIds', 'fromMs', 'toMs']),
    SqlTableCounts,
  ),
  /** Rows of a result from a place on; texts are cut as a table shows them, unless `whole`. */
  'sql/read-rows': operation(
    Type.Object({
      ...ResultId.properties,
      offset: Type.Integer({ minimum: 0 }),
      limit: Type.Integer({ minimum: 1, maximum: 500 }),
      whole: Type.Boolean(),
    }),
    Type.Array(Type.Array(SqlCell)),
  ),
  'sql/close-result': operation(ResultId, Nothing),
};

export const summariesOperations = {
  /**
   * Starts a task of kind `summary` that fetches a summary report into a new snapshot. What arrived before a cancel
   * stays, as an incomplete snapshot. One that `isLook` is only shown: it takes the place of the one before, is in no
   * list, and leaves nothing behind where it fails. `snapshots/annotate` and an export keep it.
   */
  'summaries/start-fetch': operation(
    Type.Object({
      connectionId: Type.String(),
      direction: DirectionSchema,
      period: Period,
      isLook: Type.Optional(Type.Boolean()),
    }),
    FillingTask,
  ),
  /** Groups of a cached summary snapshot. */
  'summaries/read': operation(SnapshotId, Summary),
  /** Groups computed from cached detail records, grouped as the service groups. */
  'summaries/compute': operation(RecordScope, Summary),
  /** A reported summary against the records cached of exactly its period, group by group, and why they differ. */
  'summaries/reconcile': operation(SnapshotId, Reconciliation),
};
