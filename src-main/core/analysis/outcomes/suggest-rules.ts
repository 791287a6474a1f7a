import type { OutcomeSuggestion } from '../../../common/model/analysis/outcome-suggestion.ts';
import type { RulePath, OutcomeRule, OutcomeRules } from '../../../common/reporting/outcome.ts';
import { createOutcomeDecider } from '../../../common/reporting/outcome.ts';
import { readBodyMarks, type BodyMarks } from './read-bodies.ts';

/** What is counted of the records with one code, null: without a code. */
export interface CodeFigures {
  readonly code: number | null;
  readonly count: number;
  /** With a text in Error, and of these the ones of the most frequent family. */
  readonly withError: number;
  readonly topFamilyCount: number;
  readonly topFamily: string;
  /** An error of that family; empty where there is none. */
  readonly example: string;
  /** Without a response; null where the report has none. */
  readonly withoutResponse: number | null;
  readonly medianMs: number | null;
  /** Records that the rules in use leave open. */
  readonly unknown: number;
  /** Records on each of the days of CodeSurvey. */
  readonly byDay: readonly number[];
}

/** Records whose bodies were read: some of each code. */
export interface SampledRecord {
  readonly code: number | null;
  readonly hasError: boolean;
  readonly payload: string;
  readonly response: string;
}

/** Everything that suggestions are made from. */
export interface CodeSurvey {
  readonly recordCount: number;
  readonly codes: readonly CodeFigures[];
  /** All records on each day that has some. */
  readonly byDay: readonly number[];
  readonly samples: readonly SampledRecord[];
  /** The most frequent families of errors; `text` where all of one say exactly the same. */
  readonly families: readonly {
    readonly family: string;
    readonly text: string | null;
    readonly count: number;
  }[];
}

/** From this share of its records on a code is one of failures, or (below the other) of none. */
const SPEAKS = 0.5;
const SILENT = 0.02;
/** With more errors than these a code isn't what others are compared with. */
const FEW_ERRORS = 0.1;
/** Nearly all, and nearly none, of the records of a code and of the others. */
const NEARLY_ALL = 0.9;
const NEARLY_NONE = 0.05;
/** A code that is so many of all records is what usually happens. */
const USUAL = 0.2;
const MOST = 0.5;
const MIN_RECORDS = 5;
const MIN_COMPARED = 50;
/** Answers of a business are at least so many of all records, on so many days, and about as many on each. */
const MIN_STEADY = 0.03;
const MIN_STEADY_DAYS = 3;
const MIN_DAY_RECORDS = 200;
const STEADY_SPREAD = 2;
/** Refusals that say something of the service itself: never taken for answers of the business. */
const NEVER_EXPECTED = new Set([401, 403, 407, 408, 425, 429]);
const SLOW_TIMES = 10;
const SLOW_MS = 5_000;

type Found = Omit<OutcomeSuggestion, 'rule' | 'count' | 'ofAll'> & {
  readonly outcome: OutcomeRule['outcome'];
};

/**
 * Suggests rules where those in use leave records open, or say something else than the records themselves: what speaks
 * of failure is a text in Error, a word in a body, a missing response, an extreme time. Codes about which nothing tells
 * are left alone.
 */
export function suggestRules(survey: CodeSurvey, rules: OutcomeRules): OutcomeSuggestion[] {
  const decide = createOutcomeDecider(rules);
  const toOutcome = (code: number | null, error: string) =>
    decide({ responseCode: code, error, channel: null, service: null, origin: null, actionId: null });
  const usual = suggestUsualText(survey, toOutcome);
  const samples = new Map<number | null, BodyMarks>();
  for (const [code, own] of Map.groupBy(survey.samples, (sample) => sample.code))
    samples.set(code, readBodyMarks(own));

  const errorsOf = (own: CodeFigures): number =>
    own.withError - (own.topFamily !== '' && own.topFamily === usual?.family ? own.topFamilyCount : 0);
  const fine = survey.codes.filter((own) => isFine(own, errorsOf(own), survey, toOutcome));
  const found: OutcomeSuggestion[] = [];
  for (const own of survey.codes) {
    if (own.count < MIN_RECORDS) continue;
    const reason = judgeCode(own, { survey, fine, samples, errors: errorsOf(own), toOutcome });
    if (reason === null) continue;
    const { outcome, ...rest } = reason;
    const before = toOutcome(own.code, '');
    const isSaid = before === outcome && own.unknown === 0;
    if (isSaid) continue;
    found.push({
      rule: { codes: [own.code], outcome },
      ...rest,
      count: own.count,
      ofAll: own.count / survey.recordCount,
    });
  }
  const failing = found
    .filter(({ rule }) => rule.outcome === 'failed')
    .map(({ rule }) => rule.codes?.[0] ?? null);
  const bodies = suggestBodies(
    survey,
    fine.filter(({ code }) => !failing.includes(code)),
    samples,
  );
  // Rules of single codes first, then those that look into bodies, then what most records say in Error.
  return [
    ...found.sort((a, b) => b.count - a.count),
    ...bodies,
    ...(usual === null ? [] : [usual.suggestion]),
  ];
}

/** The rules with suggestions before them; what most records say in Error stands before any other rule about texts. */
export function withSuggestions(
  rules: OutcomeRules,
  suggestions: readonly OutcomeSuggestion[],
): OutcomeRules {
  const first = suggestions.filter(({ reason }) => reason !== 'usual-text').map(({ rule }) => rule);
  const texts = suggestions.filter(({ reason }) => reason === 'usual-text').map(({ rule }) => rule);
  const at = rules.findIndex(({ error }) => error !== undefined);
  const place = at === -1 ? rules.length : at;
  return [...first, ...rules.slice(0, place), ...texts, ...rules.slice(place)];
}

/** Codes about which neither the rules nor the records say anything, those of the most records first. */
export function listUnclear(
  survey: CodeSurvey,
  suggestions: readonly OutcomeSuggestion[],
): { code: number | null; count: number }[] {
  const settled = new Set(suggestions.flatMap(({ rule }) => rule.codes ?? []));
  return survey.codes
    .filter(({ code, unknown }) => unknown > 0 && !settled.has(code))
    .map(({ code, unknown }) => ({ code, count: unknown }))
    .sort((a, b) => b.count - a.count);
}

type ToOutcome = (code: number | null, error: string) => OutcomeRule['outcome'] | null;

/** Whether the records of a code are what others are compared with: fine by the rules, or the usual ones without errors. */
function isFine(
  own: CodeFigures,
  errors: number,
  { recordCount }: CodeSurvey,
  toOutcome: ToOutcome,
): boolean {
  const outcome = toOutcome(own.code, '');
  if (errors / own.count > FEW_ERRORS) return false;
  return outcome === 'ok'
    ? own.count / recordCount >= NEARLY_NONE
    : outcome !== 'failed' && own.count / recordCount >= USUAL;
}

interface Judged {
  readonly survey: CodeSurvey;
  readonly fine: readonly CodeFigures[];
  readonly samples: ReadonlyMap<number | null, BodyMarks>;
  readonly errors: number;
  readonly toOutcome: ToOutcome;
}

function judgeCode(own: CodeFigures, judged: Judged): Found | null {
  const { survey, fine, samples, errors, toOutcome } = judged;
  const ofAll = own.count / survey.recordCount;
  const errorShare = errors / own.count;
  const said = toOutcome(own.code, '');
  const examples = own.example === '' ? [] : [own.example];
  const none = { othersShare: null, examples };
  if (said === 'expected') return null;
  if (said === 'failed') {
    const steady = judgeSteady(own, survey);
    if (steady !== null) return { outcome: 'expected', reason: 'steady', share: steady, ...none };
    const marks = samples.get(own.code);
    const isAccepted = errors === 0 && ofAll >= MOST && (marks?.failing.length ?? 0) === 0;
    return isAccepted ? { outcome: 'ok', reason: 'usual', share: 1, ...none } : null;
  }
  const others = fine.filter(({ code }) => code !== own.code);
  const othersCount = others.reduce((sum, { count }) => sum + count, 0);
  const toOthers = (pick: (other: CodeFigures) => number): number | null =>
    othersCount < MIN_COMPARED ? null : others.reduce((sum, other) => sum + pick(other), 0) / othersCount;
  if (errorShare >= SPEAKS && ofAll < MOST)
    return {
      outcome: 'failed',
      reason: 'error-text',
      share: errorShare,
      othersShare: toOthers(({ withError }) => withError),
      examples,
    };
  const body = judgeBodies(own, others, samples);
  if (body !== null && ofAll < MOST) return { outcome: 'failed', reason: 'body', ...body };
  if (own.withoutResponse !== null && ofAll < USUAL) {
    const share = own.withoutResponse / own.count;
    const othersShare = toOthers(({ withoutResponse }) => withoutResponse ?? 0);
    if (share >= NEARLY_ALL && othersShare !== null && othersShare <= NEARLY_NONE)
      return { outcome: 'failed', reason: 'no-response', share, othersShare, examples };
  }
  const othersMs = Math.max(0, ...others.map(({ medianMs }) => medianMs ?? 0));
  const { medianMs } = own;
  if (
    ofAll < USUAL &&
    medianMs !== null &&
    medianMs >= SLOW_MS &&
    othersMs > 0 &&
    medianMs >= SLOW_TIMES * othersMs
  )
    return { outcome: 'failed', reason: 'slow', share: medianMs / othersMs, othersShare: null, examples };
  if (own.unknown === 0 || errorShare > SILENT) return null;
  if (ofAll >= USUAL) return { outcome: 'ok', reason: 'usual', share: 1 - errorShare, ...none };
  const alike = judgeAlike(own, others, samples);
  return alike === null ? null : { outcome: 'ok', reason: 'alike', share: alike, ...none };
}

/** The share of a code where it is about the same on every day; null where it isn't, or where that isn't known. */
function judgeSteady(
  { code, count, byDay, withError, topFamilyCount }: CodeFigures,
  survey: CodeSurvey,
): number | null {
  if (code === null || code < 400 || code > 499 || NEVER_EXPECTED.has(code)) return null;
  const share = count / survey.recordCount;
  if (share < MIN_STEADY) return null;
  // What says different things isn't one answer.
  if (withError > 0 && topFamilyCount / count < NEARLY_ALL) return null;
  const shares = survey.byDay.flatMap((all, day) => (all < MIN_DAY_RECORDS ? [] : [(byDay[day] ?? 0) / all]));
  if (shares.length < MIN_STEADY_DAYS) return null;
  const isSteady = shares.every((own) => own <= share * STEADY_SPREAD && own >= share / STEADY_SPREAD);
  return isSteady ? share : null;
}

/** What nearly all bodies of a code have and nearly none of the others, if it speaks of failure. */
function judgeBodies(
  own: CodeFigures,
  others: readonly CodeFigures[],
  samples: ReadonlyMap<number | null, BodyMarks>,
): Pick<Found, 'share' | 'othersShare' | 'path' | 'examples'> | null {
  const marks = samples.get(own.code);
  if (marks === undefined) return null;
  for (const { path, count, examples } of marks.failing) {
    const share = count / marks.read;
    if (share < NEARLY_ALL) continue;
    const shares = others.flatMap(({ code }) => {
      const other = samples.get(code);
      if (other === undefined || other.read === 0) return [];
      return [other.countOf(path) / other.read];
    });
    const othersShare = shares.length === 0 ? null : Math.max(...shares);
    if (othersShare !== null && othersShare > NEARLY_NONE) continue;
    return { share, othersShare, path, examples: [...examples] };
  }
  return null;
}

/** How many bodies of a code say what nearly all of those that are fine say; null where that are few, or it isn't known. */
function judgeAlike(
  own: CodeFigures,
  others: readonly CodeFigures[],
  samples: ReadonlyMap<number | null, BodyMarks>,
): number | null {
  const marks = samples.get(own.code);
  if (marks === undefined || marks.failing.length > 0) return null;
  for (const { code } of others) {
    for (const { path, count } of samples.get(code)?.fine ?? []) {
      const read = samples.get(code)?.read ?? 0;
      const share = marks.countOf(path) / marks.read;
      if (count / read >= NEARLY_ALL && share >= NEARLY_ALL) return share;
    }
  }
  return null;
}

/** Values in bodies that speak of failure among records that are fine otherwise. */
function suggestBodies(
  survey: CodeSurvey,
  fine: readonly CodeFigures[],
  samples: ReadonlyMap<number | null, BodyMarks>,
): OutcomeSuggestion[] {
  const paths = new Map<string, { path: RulePath; count: number; examples: readonly string[] }>();
  let read = 0;
  for (const { code } of fine) {
    const marks = samples.get(code);
    if (marks === undefined) continue;
    read += marks.read;
    for (const own of marks.failing) {
      const key = JSON.stringify([own.path.in, own.path.at]);
      const before = paths.get(key);
      const is = [...new Set([...(before?.path.is ?? []), ...(own.path.is ?? [])])];
      paths.set(key, {
        path: { in: own.path.in, at: own.path.at, ...(is.length === 0 ? {} : { is }) },
        count: (before?.count ?? 0) + own.count,
        examples: before?.examples ?? own.examples,
      });
    }
  }
  const all = fine.reduce((sum, { count }) => sum + count, 0);
  // One path is enough: others mostly say the same once more.
  const [best] = [...paths.values()]
    .filter(({ count }) => count >= MIN_RECORDS && count / read < MOST)
    .sort((a, b) => b.count - a.count);
  if (best === undefined) return [];
  const share = best.count / read;
  return [
    {
      rule: { path: best.path, outcome: 'failed' },
      reason: 'body',
      count: Math.round(share * all),
      share,
      othersShare: null,
      ofAll: (share * all) / survey.recordCount,
      path: best.path,
      examples: [...best.examples].slice(0, 3),
    },
  ];
}

/** What most records say in Error, whatever became of them, is no error. */
function suggestUsualText(
  { families, recordCount, codes }: CodeSurvey,
  toOutcome: ToOutcome,
): { readonly family: string; readonly suggestion: OutcomeSuggestion } | null {
  const usual = families.find(({ count }) => count / recordCount >= MOST);
  if (usual === undefined) return null;
  const { family, text, count } = usual;
  const fine = codes.filter(({ code }) => toOutcome(code, '') !== 'failed');
  if (fine.length === 0 || toOutcome(fine[0]?.code ?? null, text ?? family) !== 'failed') return null;
  const share = count / recordCount;
  return {
    family,
    suggestion: {
      rule: { error: text === null ? { family } : { is: [text] }, outcome: 'ok' },
      reason: 'usual-text',
      count,
      share,
      othersShare: null,
      ofAll: share,
      examples: [text ?? family],
    },
  };
}
