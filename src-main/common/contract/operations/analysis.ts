import { Type } from 'typebox';
import {
  COMPARED_MEASURES,
  COMPARED_QUANTILES,
  Comparison,
  Explanation,
  Reconciliation,
} from '../../model/analysis/comparison.ts';
import {
  DeprecationMatches,
  DeprecationSigns,
  MAX_WATCHED,
  WatchedDeprecation,
} from '../../model/analysis/deprecation-match.ts';
import { FindingsReport } from '../../model/analysis/finding.ts';
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
import { Incident, IncidentChange, IncidentPart } from '../../model/analysis/incident.ts';
import { OutcomeAdvice, OutcomePreview } from '../../model/analysis/outcome-suggestion.ts';
import { DirectionSchema } from '../../model/cache/snapshot.ts';
import { Connection } from '../../model/connections/connection.ts';
import { FamilyAct } from '../../model/connections/family-changes.ts';
import { Nullable } from '../../model/nullable.ts';
import { Period } from '../../model/period.ts';
import { FamilyPage } from '../../model/records/error-family.ts';
import { Summary } from '../../model/records/histogram.ts';
import { PeriodScope, RecordFilter, RecordScope } from '../../model/records/record-filter.ts';
import { SqlCell, SqlOutcome, SqlQuestion, SqlTableCounts } from '../../model/records/sql.ts';
import { ConnectionOutcomes, OutcomeRules } from '../../reporting/outcome.ts';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { ConnectionId, FillingTask, Nothing, operation, SnapshotId } from '../operation.ts';

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

/** Chosen by the window, so that it can end what it asked for. */
const ListId = Type.String({ minLength: 1, maxLength: 64 });

export const findingsOperations = {
  /**
   * What stands out at the end of what is cached of a connection, both directions together, against the same hour of the
   * seven days before, or the hours before where there are no days. With a period, what stood out in it as it was told at
   * its end: what went on then, and what had ended in it; a question with the `listId` of one that goes on ends that.
   */
  'findings/list': operation(
    Type.Object({
      ...ConnectionId.properties,
      period: Type.Optional(Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() })),
      listId: Type.Optional(ListId),
    }),
    FindingsReport,
  ),
  /** Ends what was asked for with this id, which rejects: nobody waits for it any more. */
  'findings/stop-list': operation(Type.Object({ listId: ListId }), Nothing),
};

const OfParts = Type.Object({
  ...ConnectionId.properties,
  parts: Type.Array(IncidentPart, { minItems: 1, maxItems: 200 }),
});

const OfPeriod = Type.Object({ period: Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() }) });
const ListedIncidents = Type.Object({
  incidents: Type.Array(Incident),
  unjudgedDays: Type.Integer({ minimum: 0 }),
  ...Type.Pick(FindingsReport, ['untilMs', 'gaps', 'noticed']).properties,
});

export const incidentsOperations = {
  /**
   * The incidents of a period, the one with the latest onset first: what stood out in it, joined where it came back, with
   * what a person said of it. What came later is left out. `listId` as in `findings/list`.
   */
  'incidents/list': operation(
    Type.Object({ ...ConnectionId.properties, ...OfPeriod.properties, listId: Type.Optional(ListId) }),
    ListedIncidents,
  ),
  /**
   * The same of several connections, at once: days are judged once and kept, and this tells what is known from those that
   * are; `unjudgedDays` are the others. A connection that is gone is left out.
   */
  'incidents/list-kept': operation(
    Type.Object({
      connectionIds: Type.Array(ConnectionId.properties.connectionId, { minItems: 1 }),
      ...OfPeriod.properties,
    }),
    Type.Array(Type.Object({ ...ConnectionId.properties, ...ListedIncidents.properties })),
  ),
  /** Names, notes or dismisses all parts of an incident. Rejects with `incidents.too-many` when too much is said. */
  'incidents/change': operation(Type.Object({ ...OfParts.properties, change: IncidentChange }), Nothing),
  /** Makes findings one incident, or each one of its own again. */
  'incidents/group': operation(Type.Object({ ...OfParts.properties, isOne: Type.Boolean() }), Nothing),
};

const OfDirection = Type.Object({
  ...ConnectionId.properties,
  direction: Type.Enum(DIRECTIONS),
  /** Returns once all cached records follow, not as soon as the change is saved. */
  wait: Type.Optional(Type.Boolean()),
});
/** The family that a page goes on with. */
const Changed = Type.Object({ changeId: Type.String(), family: Type.String() });

export const familiesOperations = {
  /** Everything about one family of errors; a name of before is that of what it has become. */
  'families/read': operation(
    Type.Object({ scope: PeriodScope, family: Type.String({ minLength: 1, maxLength: 2_000 }) }),
    FamilyPage,
  ),
  /** Merges, splits or renames a family. Rejects with `families.…` where that isn't possible. */
  'families/change': operation(Type.Object({ ...OfDirection.properties, act: FamilyAct }), Changed),
  /** Takes a change back. Rejects with `families.not-last` where a later one builds on it. */
  'families/undo': operation(Type.Object({ ...OfDirection.properties, changeId: Type.String() }), Changed),
};

const OfRules = Type.Object({ ...ConnectionId.properties, direction: Type.Enum(DIRECTIONS) });

export const outcomeOperations = {
  /** What some rules make of everything cached of a report, beside those in use. */
  'outcome/preview': operation(Type.Object({ ...OfRules.properties, rules: OutcomeRules }), OutcomePreview),
  /** What the cached records suggest; nothing is changed. */
  'outcome/advise': operation(
    Type.Object({ ...OfRules.properties, rules: Type.Optional(OutcomeRules) }),
    OutcomeAdvice,
  ),
  /**
   * Replaces the rules of a connection; a direction that is left out has the default ones. Returns once they are saved, or
   * with `wait` once all cached records are decided by them.
   */
  'outcome/save': operation(
    Type.Object({
      ...ConnectionId.properties,
      outcomes: ConnectionOutcomes,
      wait: Type.Optional(Type.Boolean()),
    }),
    Connection,
  ),
};

export const outcomeEvents = {
  /** Records of a connection are being decided again, or (at the end) have been: every figure of failures is another one. */
  'outcome/changed': Type.Object({ ...ConnectionId.properties, isDeciding: Type.Boolean() }),
};

export const deprecationsOperations = {
  /** Looks for signs of deprecations in all cached records of a connection. */
  'deprecations/match': operation(
    Type.Object({
      ...ConnectionId.properties,
      watched: Type.Array(WatchedDeprecation, { maxItems: MAX_WATCHED }),
    }),
    DeprecationMatches,
  ),
  /** Keeps what is looked for in the records of a connection; null for what comes with the application. */
  'deprecations/save-signs': operation(
    Type.Object({
      ...ConnectionId.properties,
      deprecationId: Type.String({ minLength: 1, maxLength: 64 }),
      signs: Nullable(DeprecationSigns),
    }),
    Connection,
  ),
};
