import {
  toTimeMeasure,
  type AlertCondition,
  type MeasureCondition,
} from '../../common/model/alerts/alert-rule.ts';
import type { AlertFiring, AlertTest } from '../../common/model/alerts/alert-state.ts';
import { listNearThresholds } from '../../common/model/alerts/alert-thresholds.ts';
import type { ConnectionPlans } from '../../common/model/connections/planned-time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { Words } from '../../common/words/words.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { judgeMinutes, type Judged, type Minutes, type Turn } from './evaluate/judge-minutes.ts';
import { toCriterion } from './evaluate/to-criterion.ts';
import { toHourValues } from './evaluate/to-hour-values.ts';
import { writeNote } from './note-words.ts';
import { listPlannedMinutes } from './planned-minutes.ts';
import {
  readMinutes,
  toScope,
  type MinuteQuestion,
  type MinuteSource,
  type MinuteSpan,
} from './read-minutes.ts';

/** How far back a rule is tested. */
const TESTED_MS = 14 * DAY_MS;

/** Returns what a rule would have done in the fourteen days before `nowMs`, and with thresholds near its own. */
export async function testRule(
  source: MinuteSource & { readonly engine: Pick<Engine, 'readPercentiles'> },
  connectionId: string,
  condition: AlertCondition,
  options: {
    readonly nowMs: number;
    readonly connectionName: string;
    readonly words: Words;
    readonly plans?: ConnectionPlans | undefined;
  },
): Promise<AlertTest> {
  const { nowMs, connectionName, words } = options;
  const toMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const span = { fromMs: toMs - TESTED_MS, toMs };
  const { leftOut, muted } = listPlannedMinutes(options.plans, condition, span);
  // Of muted times nobody would have been notified either.
  const question = { connectionId, condition, span, leftOut: [...leftOut, ...muted] };
  const thresholds =
    condition.kind === 'measure' ? listNearThresholds(condition.measure, condition.threshold) : [];
  const minutes = await readMinutes(source, question, { thresholds });
  const judge = (own: Minutes, judged: AlertCondition): Judged => judgeMinutes(own, toCriterion(judged));
  const { turns, progress, judgedMinutes } = judge(minutes.own, condition);
  const ended = turns
    .filter(({ kind }) => kind === 'ended')
    .map(({ sinceMs, atMs, figures }): AlertFiring => ({ sinceMs, untilMs: atMs, ...figures }));
  const { sinceMs, figures } = progress;
  const others =
    condition.kind !== 'measure'
      ? []
      : thresholds.map((threshold) => ({
          threshold,
          count: countFirings(judge(minutes.with(threshold), { ...condition, threshold })),
        }));
  return {
    ...span,
    knownMinutes: judgedMinutes,
    unknown: listUnknown(minutes.own),
    firings: sinceMs === null ? ended : [...ended, { sinceMs, untilMs: null, ...figures }],
    others,
    notes: listNotes(words, condition, turns, connectionName),
    series: await readSeries(source.engine, question, minutes.own),
  };
}

/** The last note of either kind. */
function listNotes(
  words: Words,
  condition: AlertCondition,
  turns: readonly Turn[],
  connectionName: string,
): AlertTest['notes'] {
  return (['fired', 'ended'] as const).flatMap((kind) => {
    const turn = turns.findLast((one) => one.kind === kind);
    if (turn === undefined) return [];
    return [{ kind, atMs: turn.atMs, body: writeNote(words, condition, turn, connectionName) }];
  });
}

function countFirings({ turns }: Judged): number {
  return turns.filter(({ kind }) => kind === 'fired').length;
}

function listUnknown({ fromMs, known }: Minutes): AlertTest['unknown'] {
  const spans: AlertTest['unknown'] = [];
  for (const [place, isKnown] of known.entries()) {
    if (isKnown === 1) continue;
    const atMs = fromMs + place * MINUTE_MS;
    const last = spans.at(-1);
    if (last?.toMs === atMs) last.toMs += MINUTE_MS;
    else spans.push({ fromMs: atMs, toMs: atMs + MINUTE_MS });
  }
  return spans;
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
