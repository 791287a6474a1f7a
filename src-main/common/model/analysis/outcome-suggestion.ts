import { Type, type Static } from 'typebox';
import { RulePath, OutcomeRule, OutcomeRules } from '../../reporting/outcome.ts';
import { Nullable } from '../nullable.ts';

/** Records of each outcome, in the order of OUTCOMES. */
const OutcomeCounts = Type.Array(Type.Integer(), { minItems: 4, maxItems: 4 });

/** What some rules make of everything cached of a report, and what the rules in use make of it. */
export const OutcomePreview = Type.Object({
  recordCount: Type.Integer(),
  counts: OutcomeCounts,
  countsNow: OutcomeCounts,
});
export type OutcomePreview = Static<typeof OutcomePreview>;

/** Why a rule is offered; shares are of the records that it is about, and of the others. */
const SuggestionReason = Type.Union([
  /** They come with a text in Error. */
  Type.Literal('error-text'),
  /** They have a value in a body that speaks of failure. */
  Type.Literal('body'),
  /** They have no response, where others have one. */
  Type.Literal('no-response'),
  /** They take many times as long as others. */
  Type.Literal('slow'),
  /** Most records are like them, and nothing in them speaks of failure. */
  Type.Literal('usual'),
  /** They read like those that are fine. */
  Type.Literal('alike'),
  /** They are an equal part of every day, and say the same. */
  Type.Literal('steady'),
  /** Most records have this text in Error. */
  Type.Literal('usual-text'),
]);

/** A rule that the cached records suggest; nothing changes before a person takes it. */
export const OutcomeSuggestion = Type.Object({
  rule: OutcomeRule,
  reason: SuggestionReason,
  /** Records that the rule is about. */
  count: Type.Integer(),
  /** How many of them show what the reason names, from 0 to 1. */
  share: Type.Number(),
  /** The same of the other records; null where there is nothing to compare with. */
  othersShare: Nullable(Type.Number()),
  /** The part of all records that they are, from 0 to 1. */
  ofAll: Type.Number(),
  /** What in a body speaks of it. */
  path: Type.Optional(RulePath),
  /** Some of what they say, in Error or a body. */
  examples: Type.Array(Type.String(), { maxItems: 3 }),
});
export type OutcomeSuggestion = Static<typeof OutcomeSuggestion>;

/** A code that no rule says anything about, where nothing in its records tells what it means either. */
const UnclearCode = Type.Object({ code: Nullable(Type.Integer()), count: Type.Integer() });

/** What the cached records of a report say about the rules in use. */
export const OutcomeAdvice = Type.Object({
  recordCount: Type.Integer(),
  counts: OutcomeCounts,
  suggestions: Type.Array(OutcomeSuggestion),
  unclear: Type.Array(UnclearCode),
  /** The rules in use with all suggestions taken. */
  accepted: OutcomeRules,
});
export type OutcomeAdvice = Static<typeof OutcomeAdvice>;
