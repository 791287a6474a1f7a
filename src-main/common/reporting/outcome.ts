import { Type, type Static } from 'typebox';
import { foldCase } from '../fold-case.ts';

/**
 * What became of a request (decision 38). `expected` is a business answer, such as "user not found": counted apart, and
 * never a failure. `unknown` is what no rule says anything about.
 */
export const OUTCOMES = ['ok', 'failed', 'expected', 'unknown'] as const;
export const Outcome = Type.Enum([...OUTCOMES]);
export type Outcome = (typeof OUTCOMES)[number];

const Code = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const RuleText = Type.String({ minLength: 1, maxLength: 500 });
const listOf = <Value extends Parameters<typeof Type.Array>[0]>(value: Value) =>
  Type.Optional(Type.Array(value, { minItems: 1, maxItems: 500 }));

/** A value inside a body that is JSON. */
export const RulePath = Type.Object({
  in: Type.Union([Type.Literal('payload'), Type.Literal('response')]),
  /** Keys from the outside in, joined by dots: `error.code`; those of an array are its places from 0 on. */
  at: Type.String({ minLength: 1, maxLength: 500 }),
  /** Any of these, in any letter case; where it is left out, anything but null, false, 0 and what is empty. */
  is: listOf(RuleText),
});
export type RulePath = Static<typeof RulePath>;

/** One rule: everything that it names must hold. One that names nothing holds for every record. */
export const OutcomeRule = Type.Object(
  {
    /** Codes and ranges of them, both ends included; null for a record without a code. */
    codes: listOf(Type.Union([Code, Type.Null(), Type.Tuple([Code, Code])])),
    /** Whether Error holds a text, and which one. */
    error: Type.Optional(
      Type.Union([
        Type.Literal('present'),
        Type.Literal('absent'),
        Type.Object({ contains: RuleText }, { additionalProperties: false }),
        Type.Object(
          { is: Type.Array(RuleText, { minItems: 1, maxItems: 500 }) },
          { additionalProperties: false },
        ),
        Type.Object(
          { family: Type.String({ minLength: 1, maxLength: 10_000 }) },
          { additionalProperties: false },
        ),
      ]),
    ),
    path: Type.Optional(RulePath),
    channels: listOf(Type.Union([Code, Type.Null()])),
    services: listOf(Type.Union([Code, Type.Null()])),
    origins: listOf(Type.String({ maxLength: 500 })),
    actions: listOf(Type.String({ maxLength: 500 })),
    outcome: Outcome,
  },
  { additionalProperties: false },
);
export type OutcomeRule = Static<typeof OutcomeRule>;

/** Rules of a direction: the first one that holds decides; a record that none holds for is `unknown`. */
export const OutcomeRules = Type.Array(OutcomeRule, { maxItems: 100 });
export type OutcomeRules = Static<typeof OutcomeRules>;

/** A connection's own rules; a direction that is left out has DEFAULT_RULES. */
export const ConnectionOutcomes = Type.Object(
  { inbound: Type.Optional(OutcomeRules), outbound: Type.Optional(OutcomeRules) },
  { additionalProperties: false },
);
export type ConnectionOutcomes = Static<typeof ConnectionOutcomes>;

/** What counts until a person says otherwise (decision 38). */
export const DEFAULT_RULES: OutcomeRules = [
  { codes: [[400, 599]], outcome: 'failed' },
  { error: 'present', outcome: 'failed' },
  { codes: [[100, 399]], outcome: 'ok' },
];

/** The rules of a direction. */
export function toRules(
  outcomes: ConnectionOutcomes | undefined,
  direction: 'inbound' | 'outbound',
): OutcomeRules {
  return outcomes?.[direction] ?? DEFAULT_RULES;
}

/** Returns a range of codes that ends before it begins, which no rule may have; null for none. */
export function findReversedRange(rules: OutcomeRules): string | null {
  for (const { codes = [] } of rules) {
    const reversed = codes.find((code) => Array.isArray(code) && code[0] > code[1]);
    if (Array.isArray(reversed)) return reversed.join('-');
  }
  return null;
}

/** What rules look at, bodies left out. */
export interface JudgedRecord {
  readonly responseCode: number | null;
  readonly error: string | null;
  readonly channel: number | null;
  readonly service: number | null;
  readonly origin: string | null;
  readonly actionId: string | null;
  /** The family of the error, where it is known. */
  readonly family?: string;
}

/** Decides for one record: null where that takes a body, or a family that isn't known here. */
export type DecideOutcome = (record: JudgedRecord) => Outcome | null;

/** Prepares to decide by some rules. Only the engine reads bodies; see `toOutcomeSql` there. */
export function createOutcomeDecider(rules: OutcomeRules): DecideOutcome {
  const tests = rules.map((rule) => ({ test: createTest(rule), outcome: rule.outcome }));
  return (record) => {
    for (const { test, outcome } of tests) {
      const holds = test(record);
      if (holds === null) return null;
      if (holds) return outcome;
    }
    return 'unknown';
  };
}

/** Whether some rules look into bodies. */
export function looksIntoBodies(rules: OutcomeRules): boolean {
  return rules.some(({ path }) => path !== undefined);
}

/** Whether some rules name families of errors. */
export function namesFamilies(rules: OutcomeRules): boolean {
  return rules.some(({ error }) => typeof error === 'object' && 'family' in error);
}

/** Null: it can't be said without the body or the family. */
type Test = (record: JudgedRecord) => boolean | null;

function createTest({ codes, error, path, channels, services, origins, actions }: OutcomeRule): Test {
  const tests: Test[] = [];
  if (codes !== undefined) tests.push(({ responseCode }) => matchesCode(responseCode, codes));
  if (channels !== undefined) tests.push(({ channel }) => channels.includes(channel));
  if (services !== undefined) tests.push(({ service }) => services.includes(service));
  if (origins !== undefined) tests.push(({ origin }) => origins.includes(origin ?? ''));
  if (actions !== undefined) tests.push(({ actionId }) => actions.includes(actionId ?? ''));
  if (error !== undefined) tests.push(createErrorTest(error));
  if (path !== undefined) tests.push(() => null);
  return (record) => {
    let isOpen = false;
    for (const test of tests) {
      const holds = test(record);
      if (holds === false) return false;
      isOpen ||= holds === null;
    }
    return isOpen ? null : true;
  };
}

function matchesCode(code: number | null, codes: NonNullable<OutcomeRule['codes']>): boolean {
  return codes.some((one) => {
    if (one === null || typeof one === 'number') return one === code;
    return code !== null && code >= one[0] && code <= one[1];
  });
}

function createErrorTest(error: NonNullable<OutcomeRule['error']>): Test {
  if (error === 'present') return (record) => (record.error ?? '') !== '';
  if (error === 'absent') return (record) => (record.error ?? '') === '';
  if ('family' in error)
    return ({ error: text, family }) => {
      if ((text ?? '') === '') return false;
      return family === undefined ? null : family === error.family;
    };
  if ('is' in error) {
    const texts = new Set(error.is.map(foldCase));
    return ({ error: text }) => text !== null && text !== '' && texts.has(foldCase(text));
  }
  const part = foldCase(error.contains);
  return ({ error: text }) => text !== null && foldCase(text).includes(part);
}

/** What a reported summary can be judged by: the rules that look at nothing but what its groups have. */
export function splitForSummaries(rules: OutcomeRules): {
  readonly usable: OutcomeRules;
  readonly isPartial: boolean;
} {
  const usable = rules.filter(
    ({ error, path, actions }) => error === undefined && path === undefined && actions === undefined,
  );
  return { usable, isPartial: usable.length < rules.length };
}
