import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';
import { ToldFinding } from '../analysis/finding.ts';
import { GroupValue } from '../analysis/grouping.ts';
import { ALERT_LEVELS, AlertCondition, AlertMute, AlertRule } from './alert-rule.ts';

/** Of a rule with two thresholds; null for one with a single one. */
const Level = Nullable(Type.Enum([...ALERT_LEVELS]));
/** Of a rule that watches each value of a field by itself; of a rule on findings, the identifier of one. */
const Value = Type.Optional(GroupValue);
/** Of a rule on findings. */
const Told = Type.Optional(ToldFinding);

/** Since when something fires, how bad it is, and when it began to last. */
const Standing = {
  firingSinceMs: Nullable(Type.Integer()),
  lastFiredMs: Nullable(Type.Integer()),
  level: Level,
};

/** Why nothing new comes that a rule could look at: then it says that it rests, and not for how long. */
const ALERT_RESTS = ['imported', 'not-followed', 'paused', 'refused', 'unreachable', 'failing'] as const;
export type AlertRest = (typeof ALERT_RESTS)[number];

/** Where one value of a rule stands. */
export const AlertValueState = Type.Object({
  value: GroupValue,
  ...Standing,
  /** What the last whole minutes of the rule have; null where one of them is not known. */
  latest: Nullable(Type.Object({ hits: Type.Integer(), total: Type.Integer() })),
  /** The last request with it. */
  seenMs: Type.Integer(),
});
export type AlertValueState = Static<typeof AlertValueState>;

/** Where a rule stands. */
export const AlertState = Type.Object({
  /** Of a rule of many values, the first that fires, and the worst level of any. */
  ...Standing,
  /** The end of the last minute that could be judged; null before the first. */
  judgedToMs: Nullable(Type.Integer()),
  /** Minutes since then of which too little is cached, or nothing was checked. */
  blindMinutes: Type.Integer(),
  rests: Nullable(Type.Enum([...ALERT_RESTS])),
  /** Of a rule that watches each value: those that are watched, firing ones first. */
  values: Type.Array(AlertValueState),
  /** There are more values than a rule watches. */
  hasMoreValues: Type.Boolean(),
});
export type AlertState = Static<typeof AlertState>;

/** Everything that the screen and the sidebar show of all rules. */
export const AlertBoard = Type.Object({
  rules: Type.Array(Type.Object({ rule: AlertRule, state: AlertState })),
  /** Connections whose rules don't notify. */
  mutes: Type.Array(Type.Object({ connectionId: Type.String(), mute: AlertMute })),
  /** When the rules were last looked at; null before. */
  checkedAtMs: Nullable(Type.Integer()),
  /** Rules that were saved and can't be used; the file keeps them. */
  setAside: Type.Integer(),
});
export type AlertBoard = Static<typeof AlertBoard>;

/** What became of a notification, or why there was none. */
const ALERT_NOTICES = [
  'by-hand',
  'computer',
  'browser',
  'no-window',
  'muted',
  'connection-muted',
  'switched-off',
  'planned',
  'late',
  'over',
  'passed',
  'untold',
  'together',
  'failed',
] as const;
export type AlertNotice = (typeof ALERT_NOTICES)[number];

/** Where a rule was made. */
export const ALERT_ORIGINS = ['hand', 'finding', 'filter', 'chart', 'shared'] as const;
export type AlertOrigin = (typeof ALERT_ORIGINS)[number];

/** What was counted: of errors, slow responses, minutes that were down, or new families. */
export const AlertFigures = Type.Object({
  hits: Type.Integer(),
  total: Type.Integer(),
  /** The largest (below a threshold: the smallest) value of any so many minutes. */
  peak: Type.Number(),
});
export type AlertFigures = Static<typeof AlertFigures>;

/** One line of a rule's log. */
export const AlertLogEntry = Type.Object({
  ruleId: Type.String(),
  atMs: Type.Integer(),
  kind: Type.Enum(['made', 'changed', 'fired', 'raised', 'lowered', 'ended']),
  value: Value,
  finding: Told,
  level: Type.Optional(Level),
  notice: Type.Enum([...ALERT_NOTICES]),
  origin: Type.Optional(Type.Enum([...ALERT_ORIGINS])),
  /** fired and ended: what was counted, and since when it fired. */
  figures: Type.Optional(AlertFigures),
  sinceMs: Type.Optional(Type.Integer()),
  /** The notification of it, where there was one. */
  noteId: Type.Optional(Type.String()),
  /** fired, ended, changed: the condition that then held; changed: the one before too. */
  condition: Type.Optional(AlertCondition),
  before: Type.Optional(AlertCondition),
});
export type AlertLogEntry = Static<typeof AlertLogEntry>;

/** A time in which a rule fires, or would have. */
export const AlertFiring = Type.Object({
  sinceMs: Type.Integer(),
  /** Null where it still does. */
  untilMs: Nullable(Type.Integer()),
  value: Value,
  finding: Told,
  /** The worst that it came to. */
  level: Level,
  ...AlertFigures.properties,
});
export type AlertFiring = Static<typeof AlertFiring>;

/** The threshold that the cached past suggests, or why it suggests none. */
export const ThresholdSuggestion = Type.Union([
  Type.Object({
    kind: Type.Literal('found'),
    threshold: Type.Number(),
    /** How often it would have fired. */
    count: Type.Integer(),
    /** For what is critical; null where none would have been rare enough. */
    critical: Nullable(Type.Number()),
    /** The past that it rests on. */
    knownMinutes: Type.Integer(),
  }),
  /** Less than a day is cached. */
  Type.Object({ kind: Type.Literal('too-little'), knownMinutes: Type.Integer() }),
  /** Hardly ever there were enough requests. */
  Type.Object({ kind: Type.Literal('too-few'), measuredMinutes: Type.Integer() }),
  /** With each it would have fired too often. */
  Type.Object({ kind: Type.Literal('none') }),
]);
export type ThresholdSuggestion = Static<typeof ThresholdSuggestion>;

/** What a rule would have done in the cached past. */
export const AlertTest = Type.Object({
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
  /** The value that the spans and the series are of, of a rule that watches each. */
  value: Value,
  /** Every value of it, those that would have fired most first. */
  values: Type.Array(
    Type.Object({
      value: GroupValue,
      /** How often it would have fired. */
      count: Type.Integer(),
      judgedToMs: Nullable(Type.Integer()),
    }),
  ),
  hasMoreValues: Type.Boolean(),
  /** The end of the last known minute, where all that is judged with it is known too; null where it isn't. */
  judgedToMs: Nullable(Type.Integer()),
  /** Minutes that could be judged, of all. */
  knownMinutes: Type.Integer(),
  /** Spans of which too little is cached. */
  unknown: Type.Array(Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() })),
  firings: Type.Array(AlertFiring),
  /** How often it would have fired with other thresholds, rising; empty for rules without one. */
  others: Type.Array(Type.Object({ threshold: Type.Number(), count: Type.Integer() })),
  /** Null for rules without a threshold. */
  suggestion: Nullable(ThresholdSuggestion),
  /** What the last notifications would have said. */
  notes: Type.Array(
    Type.Object({
      kind: Type.Union([Type.Literal('fired'), Type.Literal('ended')]),
      value: Value,
      finding: Told,
      level: Level,
      atMs: Type.Integer(),
      body: Type.String(),
    }),
  ),
  /** The measure by hour; null where nothing was measured. */
  series: Type.Array(Type.Object({ fromMs: Type.Integer(), value: Nullable(Type.Number()) })),
});
export type AlertTest = Static<typeof AlertTest>;

/** A notification as it is shown. */
export const AlertNote = Type.Object({
  id: Type.String(),
  /** Null for one about several rules, and for a test of notifications by themselves. */
  ruleId: Nullable(Type.String()),
  connectionId: Nullable(Type.String()),
  title: Type.String(),
  body: Type.String(),
  atMs: Type.Integer(),
  /** What it is about, of a rule on findings: a click leads to it. */
  finding: Told,
});
export type AlertNote = Static<typeof AlertNote>;
