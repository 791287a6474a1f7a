import { setImmediate as giveWay } from 'node:timers/promises';
import {
  type AlertCondition,
  type AlertMeasure,
  isCounted,
  listNearThresholds,
  MAX_EACH_VALUES,
  type MeasureCondition,
  type MinuteCondition,
  toCritical,
  toEach,
  toTimeMeasure,
  withValue,
} from '../../common/model/alerts/alert-rule.ts';
import type { AlertFiring, AlertTest, ThresholdSuggestion } from '../../common/model/alerts/alert-state.ts';
import type { FindingsReport } from '../../common/model/analysis/finding.ts';
import type { GroupValue } from '../../common/model/analysis/grouping.ts';
import type { ConnectionPlans } from '../../common/model/connections/planned.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Words } from '../../common/words/words.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { listUnknown, testFindings } from './check-findings.ts';
import { type JudgedLevels, judgeLevels } from './judge-levels.ts';
import { type Criterion, judgeMinutes, type Minutes, toCriterion } from './judge-minutes.ts';
import {
  listPlannedMinutes,
  type MinuteQuestion,
  type MinuteSource,
  type MinuteSpan,
  readMinutes,
  type ReadMinutes,
  readValues,
  toScope,
} from './read-minutes.ts';
import { type NotedConnection, writeNote } from './send-notes.ts';

/** How far back a rule is tested. */
const TESTED_MS = 14 * DAY_MS;
const NO_MINUTES = { known: new Uint8Array(0), totals: new Float64Array(0), hits: new Float64Array(0) };

type TestSource = MinuteSource & {
  readonly engine: Pick<Engine, 'readPercentiles'>;
  /** What stood out in a period, without what a person dismissed. */
  readFindingsOf(connectionId: string, period: MinuteSpan): Promise<FindingsReport>;
};

interface TestOptions {
  readonly nowMs: number;
  readonly connection: NotedConnection;
  readonly words: Words;
  readonly plans?: ConnectionPlans | undefined;
  /** The value that the spans and the series are of. */
  readonly value?: GroupValue;
}

/** Returns what a rule would have done in the fourteen days before `nowMs`, and with thresholds near its own. */
export async function testRule(
  source: TestSource,
  connectionId: string,
  condition: AlertCondition,
  options: TestOptions,
): Promise<AlertTest> {
  const { nowMs, words, plans } = options;
  const toMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const span = { fromMs: toMs - TESTED_MS, toMs };
  if (condition.kind !== 'finding') return testMinutes(source, { connectionId, condition, span }, options);
  const report = await source.readFindingsOf(connectionId, span);
  const { connection } = options;
  return testFindings(source, { connectionId, condition, plans }, { span, report, words, connection });
}

async function testMinutes(
  source: TestSource,
  { connectionId, condition, span }: MinuteQuestion,
  options: TestOptions,
): Promise<AlertTest> {
  const { connection, words, plans } = options;
  const seen = await readValues(source, { connectionId, condition, span });
  const values = seen.slice(0, MAX_EACH_VALUES).map(({ value }) => value);
  const question = {
    connectionId,
    condition,
    span,
    ...(toEach(condition) === undefined ? {} : { values }),
    toLeftOut: (own: MinuteCondition) => {
      const { leftOut, muted } = listPlannedMinutes(plans, own, span);
      // Of muted times nobody would have been notified either.
      return [...leftOut, ...muted];
    },
  };
  const measured = condition.kind === 'measure' ? condition : null;
  const nearby = measured === null ? [] : listNearThresholds(measured.measure, measured.threshold);
  const candidates = measured === null ? [] : listCandidates(measured.measure);
  const critical = toCritical(condition);
  const thresholds = [...nearby, ...candidates, ...(critical === undefined ? [] : [critical])];
  const minutes = await readMinutes(source, question, { thresholds });
  const tested = minutes.map((own, place) => toTested(own, condition, values[place]));
  const parts = values.map((value, place) => ({
    value,
    count: tested[place]?.firings.length ?? 0,
    judgedToMs: toJudgedEnd(tested[place]?.judged),
  }));
  const ranked = parts.toSorted((a, b) => b.count - a.count);
  const chosen = values.find((value) => value === options.value) ?? ranked[0]?.value;
  const place = Math.max(0, values.indexOf(chosen ?? null));
  // Where no value was seen, it is still known or not whether there was none.
  const [whole] = minutes.length > 0 ? minutes : await readMinutes(source, { connectionId, condition, span });
  const shown = minutes[place]?.own ?? whole?.own ?? { ...NO_MINUTES, fromMs: span.fromMs };
  const own = chosen === undefined ? condition : withValue(condition, chosen);
  const others: AlertTest['others'] = [];
  for (const threshold of nearby) {
    // Fourteen days of many values take a while: others get their turn in between.
    await giveWay();
    const count = minutes.reduce((sum, each) => sum + countFirings(each, condition, threshold), 0);
    others.push({ threshold, count });
  }
  return {
    ...span,
    ...(chosen === undefined ? {} : { value: chosen }),
    values: ranked,
    hasMoreValues: seen.length > MAX_EACH_VALUES,
    judgedToMs: toJudgedEnd(whole === undefined ? undefined : judgeLevels(whole, condition)),
    knownMinutes: tested[place]?.judged.judgedMinutes ?? 0,
    unknown: listUnknown(shown.known, shown.fromMs),
    firings: tested.flatMap(({ firings }) => firings).toSorted((a, b) => a.sinceMs - b.sinceMs),
    others,
    suggestion: measured === null ? null : await suggestThreshold(minutes, measured),
    notes: listNotes(words, condition, tested, connection.name),
    series: await readSeries(source.engine, { connectionId, condition: own, span }, shown),
  };
}

/** What the minutes of a rule, or of one value of it, come to. */
interface Tested {
  readonly judged: JudgedLevels;
  readonly firings: readonly AlertFiring[];
  readonly own: { readonly value?: GroupValue };
}

function toTested(minutes: ReadMinutes, condition: MinuteCondition, value: GroupValue | undefined): Tested {
  const judged = judgeLevels(minutes, condition);
  const own = value === undefined ? {} : { value };
  const firings: AlertFiring[] = [];
  let worst: AlertFiring['level'] = null;
  for (const { kind, level, atMs, sinceMs, figures } of judged.turns) {
    if (kind === 'ended') firings.push({ sinceMs, untilMs: atMs, ...own, level: worst, ...figures });
    else worst = kind !== 'fired' && worst === 'critical' ? worst : level;
  }
  const { sinceMs, figures } = judged.progress;
  if (sinceMs !== null) firings.push({ sinceMs, untilMs: null, ...own, level: worst, ...figures });
  return { judged, firings, own };
}

/** Null where a minute is missing of those that are judged together with the last known one. */
function toJudgedEnd(judged: JudgedLevels | undefined): number | null {
  return judged === undefined || judged.latest === null ? null : judged.knownToMs;
}

/** The last note of either kind. */
function listNotes(
  words: Words,
  condition: MinuteCondition,
  tested: readonly Tested[],
  connectionName: string,
): AlertTest['notes'] {
  const all = tested.flatMap(({ judged, own }) => judged.turns.map((turn) => ({ turn, own })));
  return (['fired', 'ended'] as const).flatMap((kind) => {
    const last = all
      .filter(({ turn }) => (turn.kind === 'ended') === (kind === 'ended') && turn.kind !== 'lowered')
      .toSorted((a, b) => a.turn.atMs - b.turn.atMs)
      .at(-1);
    if (last === undefined) return [];
    const { turn, own } = last;
    const body = writeNote(words, condition, turn, connectionName);
    return [{ kind, ...own, level: turn.level, atMs: turn.atMs, body }];
  });
}

function countFirings(minutes: ReadMinutes, condition: MinuteCondition, threshold: number): number {
  if (condition.kind !== 'measure') return 0;
  const { turns } = judgeMinutes(minutes.with(threshold), toCriterion({ ...condition, threshold }));
  return turns.filter(({ kind }) => kind === 'fired').length;
}

/**
 * The worst value of each hour: for times the percentile over the rule's minutes, else what the rule judges.
 */
async function readSeries(
  engine: Pick<Engine, 'readPercentiles'>,
  { connectionId, condition, span }: MinuteQuestion,
  minutes: Minutes,
): Promise<AlertTest['series']> {
  const criterion = toCriterion(condition);
  const values =
    condition.kind === 'measure' && toTimeMeasure(condition.measure) !== undefined
      ? await readTimes(engine, connectionId, condition, span)
      : toHourValues(minutes, criterion, condition.kind === 'measure' || condition.kind === 'silence');
  return values.map((value, place) => ({ fromMs: span.fromMs + place * HOUR_MS, value }));
}

async function readTimes(
  engine: Pick<Engine, 'readPercentiles'>,
  connectionId: string,
  condition: MeasureCondition,
  span: MinuteSpan,
): Promise<(number | null)[]> {
  const bucketMs = condition.minutes * MINUTE_MS;
  const timed = toTimeMeasure(condition.measure);
  const found = await engine.readPercentiles({
    scope: toScope(connectionId, condition, span),
    filter: condition.filter,
    ...span,
    bucketMs,
    share: 1 - (timed?.slower ?? 0),
    ...(timed === undefined ? {} : { timeOf: timed.field }),
    minRecords: condition.minRequests,
  });
  const values: (number | null)[] = Array.from({ length: (span.toMs - span.fromMs) / HOUR_MS }, () => null);
  const pick = condition.comparison === 'above' ? Math.max : Math.min;
  for (const [place, valueMs] of found) {
    // A bucket that is longer than an hour shows in each of its hours.
    const first = Math.floor((place * bucketMs) / HOUR_MS);
    const last = Math.max(first, Math.ceil(((place + 1) * bucketMs) / HOUR_MS) - 1);
    for (let hour = first; hour <= Math.min(last, values.length - 1); hour += 1) {
      const before = values[hour] ?? null;
      values[hour] = before === null ? valueMs : pick(before, valueMs);
    }
  }
  return values;
}

const HOUR_MINUTES = 60;

/**
 * Returns for each hour the worst value of any window that ends in it, or (`isWindowed` false) what its minutes have
 * together; null for an hour without one that is known.
 */
function toHourValues(
  { known, totals, hits, windowed }: Minutes,
  criterion: Criterion,
  isWindowed: boolean,
): (number | null)[] {
  const values: (number | null)[] = Array.from(
    { length: Math.ceil(known.length / HOUR_MINUTES) },
    () => null,
  );
  const sums = { known: 0, total: 0, hits: 0 };
  const add = (place: number, sign: 1 | -1): void => {
    if (known[place] !== 1) return;
    sums.known += sign;
    sums.total += sign * (totals[place] ?? 0);
    sums.hits += sign * (hits[place] ?? 0);
  };
  for (let place = 0; place < known.length; place += 1) {
    const hour = Math.floor(place / HOUR_MINUTES);
    const before = values[hour] ?? null;
    if (!isWindowed) {
      if (known[place] === 1) values[hour] = (before ?? 0) + (hits[place] ?? 0);
      continue;
    }
    add(place, 1);
    if (place >= criterion.minutes) add(place - criterion.minutes, -1);
    if (known[place] !== 1 || sums.known !== criterion.minutes) continue;
    const value = criterion.toValue(windowed?.[place] ?? sums.hits, sums.total);
    if (value !== null && (before === null || criterion.isWorse(value, before))) values[hour] = value;
  }
  return values;
}

/** Less than this is no past to go by. */
const MIN_KNOWN_MINUTES = DAY_MS / MINUTE_MS;
/** Nor are fewer minutes with enough requests to be measured. */
const MIN_MEASURED_MINUTES = 360;
/** A rule that is worth having would have fired for at most this many incidents a day … */
const MAX_FIRINGS_PER_DAY = 0.25;
/** … and no longer than this part of the time. */
const MAX_FIRING_SHARE = 0.05;
/** What is critical is beyond the threshold by this factor at least. */
const CRITICAL_FACTOR = 2;

const SHARES = [
  0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45,
  0.5, 0.6, 0.7, 0.8, 0.9,
];
const TIMES_MS = [
  50, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000, 7000, 10_000, 15_000, 20_000,
  30_000, 45_000, 60_000, 90_000, 120_000,
];
const COUNTS = [1, 2, 3, 5, 7].flatMap((digit) =>
  Array.from({ length: 7 }, (_, power) => digit * 10 ** power),
);

/** Returns the thresholds that a measure can be suggested, rising. */
function listCandidates(measure: AlertMeasure): readonly number[] {
  if (toTimeMeasure(measure) !== undefined) return TIMES_MS;
  return isCounted(measure) ? COUNTS.toSorted((a, b) => a - b) : SHARES;
}

/** What a threshold would have done in all that a rule watches. */
interface Firings {
  readonly count: number;
  readonly minutes: number;
  /** What fires at the same time is one incident, whatever it hits. */
  readonly incidents: number;
}

/**
 * Returns the threshold that the past suggests: one step beyond the first with which the rule would have fired only
 * rarely. `minutes` are those of each value that it watches, or of all records.
 */
export async function suggestThreshold(
  minutes: readonly ReadMinutes[],
  condition: MeasureCondition,
): Promise<ThresholdSuggestion> {
  const criterion = toCriterion(condition);
  const known = minutes.reduce((most, { own }) => Math.max(most, count(own.known)), 0);
  if (known < MIN_KNOWN_MINUTES) return { kind: 'too-little', knownMinutes: known };
  const measured = minutes.reduce((most, one) => Math.max(most, countMeasured(one)), 0);
  if (measured < MIN_MEASURED_MINUTES) return { kind: 'too-few', measuredMinutes: measured };

  const firingsOf = async (threshold: number): Promise<Firings> => {
    // Fourteen days of many values take a while: others get their turn in between.
    await giveWay();
    const judge = toCriterion({ ...condition, threshold });
    const spans = minutes.flatMap((one) => {
      const own = one.with(threshold);
      const { turns, progress } = judgeMinutes(own, judge);
      const ended = turns.flatMap(({ kind, sinceMs, atMs }) =>
        kind === 'ended' ? [{ fromMs: sinceMs, toMs: atMs }] : [],
      );
      const endMs = own.fromMs + own.known.length * MINUTE_MS;
      return progress.sinceMs === null ? ended : [...ended, { fromMs: progress.sinceMs, toMs: endMs }];
    });
    const lastedMs = spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    const incidents = countIncidents(spans, condition.minutes * MINUTE_MS);
    return { count: spans.length, minutes: lastedMs / MINUTE_MS, incidents };
  };
  const most = Math.max(1, Math.ceil((known / MIN_KNOWN_MINUTES) * MAX_FIRINGS_PER_DAY));
  const isRare = (found: Firings): boolean =>
    found.incidents <= most && found.minutes <= MAX_FIRING_SHARE * known * minutes.length;

  // From the one that fires most easily to the one that hardly does.
  const rising = listCandidates(condition.measure);
  const candidates = condition.comparison === 'above' ? rising : rising.toReversed();
  let [low, high] = [0, candidates.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isRare(await firingsOf(candidates[middle] ?? 0))) high = middle;
    else low = middle + 1;
  }
  const threshold = candidates[Math.min(low + 1, candidates.length - 1)];
  if (threshold === undefined || low >= candidates.length) return { kind: 'none' };
  const found = await firingsOf(threshold);
  if (!isRare(found)) return { kind: 'none' };
  const isFurther = (one: number): boolean =>
    condition.comparison === 'above'
      ? one >= threshold * CRITICAL_FACTOR
      : one <= threshold / CRITICAL_FACTOR;
  let critical: number | null = null;
  for (const one of candidates.filter(isFurther)) {
    if ((await firingsOf(one)).incidents > 1) continue;
    critical = one;
    break;
  }
  return { kind: 'found', threshold, count: found.count, critical, knownMinutes: known };

  function count(flags: Uint8Array): number {
    return flags.reduce((sum, flag) => sum + flag, 0);
  }

  /** Minutes that end a window with enough requests. */
  function countMeasured({ own }: ReadMinutes): number {
    const sums = { known: 0, total: 0 };
    let found = 0;
    for (const [place, flag] of own.known.entries()) {
      const left = place - criterion.minutes;
      if (flag === 1) sums.total += own.totals[place] ?? 0;
      sums.known += flag;
      if (left >= 0 && own.known[left] === 1) {
        sums.known -= 1;
        sums.total -= own.totals[left] ?? 0;
      }
      if (sums.known === criterion.minutes && sums.total > 0 && criterion.toValue(0, sums.total) !== null)
        found += 1;
    }
    return found;
  }
}

/** Firings that are nearer to each other than the minutes of the rule belong together. */
function countIncidents(spans: readonly TimeSpan[], nearMs: number): number {
  let count = 0;
  let untilMs = -Infinity;
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (fromMs > untilMs + nearMs) count += 1;
    untilMs = Math.max(untilMs, toMs);
  }
  return count;
}
