import { Type } from 'typebox';
import {
  DeprecationMatches,
  DeprecationSigns,
  MAX_WATCHED,
  WatchedDeprecation,
} from '../../model/analysis/deprecation-match.ts';
import { FindingsReport } from '../../model/analysis/finding.ts';
import { Incident, IncidentChange, IncidentPart } from '../../model/analysis/incident.ts';
import { OutcomeAdvice, OutcomePreview } from '../../model/analysis/outcome-suggestion.ts';
import { Connection } from '../../model/connections/connection.ts';
import { FamilyAct } from '../../model/connections/family-changes.ts';
import { Nullable } from '../../model/nullable.ts';
import { FamilyPage } from '../../model/records/error-family.ts';
import { PeriodScope } from '../../model/records/record-filter.ts';
import { ConnectionOutcomes, OutcomeRules } from '../../reporting/outcome.ts';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { ConnectionId, Nothing, operation } from '../operation.ts';

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

export const incidentsOperations = {
  /**
   * The incidents of a period, the one with the latest onset first: what stood out in it, joined where it came back, with
   * what a person said of it. What came later is left out. Days are judged once and kept: `isKeptOnly` tells at once what is
   * known from them, and `unjudgedDays` how many are missing. `listId` as in `findings/list`.
   */
  'incidents/list': operation(
    Type.Object({
      ...ConnectionId.properties,
      period: Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() }),
      isKeptOnly: Type.Optional(Type.Boolean()),
      listId: Type.Optional(ListId),
    }),
    Type.Object({
      incidents: Type.Array(Incident),
      unjudgedDays: Type.Integer({ minimum: 0 }),
      ...Type.Pick(FindingsReport, ['untilMs', 'gaps', 'noticed']).properties,
    }),
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
