import { setImmediate as giveWay } from 'node:timers/promises';
import {
  MAX_EACH_VALUES,
  toCritical,
  toEach,
  toTimeMeasure,
  withValue,
  listNearThresholds,
  type AlertCondition,
  type MeasureCondition,
  type MinuteCondition,
} from '../../common/model/alerts/alert-rule.ts';
import type { AlertFiring, AlertTest } from '../../common/model/alerts/alert-state.ts';
import type { FindingsReport } from '../../common/model/analysis/finding.ts';
import type { GroupValue } from '../../common/model/analysis/grouping.ts';
import type { ConnectionPlans } from '../../common/model/connections/planned-time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { Words } from '../../common/words/words.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { listUnknown, testFindings } from './check-findings.ts';
import { judgeLevels, type JudgedLevels } from './evaluate/judge-levels.ts';
import { judgeMinutes, type Minutes, type Criterion } from './evaluate/judge-minutes.ts';
import { listCandidates, suggestThreshold } from './evaluate/suggest-threshold.ts';
import { toCriterion } from './evaluate/to-criterion.ts';
import { writeNote, type NotedConnection } from './note-words.ts';
import {
  listPlannedMinutes,
  readMinutes,
  readValues,
  toScope,
  type MinuteQuestion,
  type MinuteSource,
  type MinuteSpan,
  type ReadMinutes,
} from './read-minutes.ts';

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
