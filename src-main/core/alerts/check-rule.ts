import {
  MAX_EACH_VALUES,
  toCritical,
  toEach,
  withValue,
  type AlertRule,
  type MinuteCondition,
} from '../../common/model/alerts/alert-rule.ts';
import type { AlertNotice } from '../../common/model/alerts/alert-state.ts';
import type { IncidentNote } from '../../common/model/analysis/incident.ts';
import type { ConnectionPlans } from '../../common/model/connections/planned.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { RuleMemory, StandingMemory } from './alert-book.ts';
import { checkFindings, type FindingSource } from './check-findings.ts';
import type { CheckedRule, CheckedTurn } from './send-notes.ts';
import { judgeLevels, type LevelTurn, toLevel } from './judge-levels.ts';
import { NOT_FIRING, toCriterion } from './judge-minutes.ts';
import {
  listPlannedMinutes,
  findKnownEnd,
  readMinutes,
  readValues,
  type MinuteSource,
  type MinuteSpan,
  type ReadMinutes,
} from './read-minutes.ts';

/** A turn that is already older than this when it is first seen is no news: it only goes into the log. */
const LATE_MS = HOUR_MS;
/** Nothing older than this is judged: nobody was watching. A value that had no request for so long is dropped. */
const MAX_BACK_MS = 14 * DAY_MS;

interface WatchedRule {
  readonly rule: AlertRule;
  readonly plans?: ConnectionPlans | undefined;
  /** What a person said of incidents. */
  readonly incidents?: readonly IncidentNote[] | undefined;
}
/** A rule that is judged minute by minute. */
interface PlannedRule extends WatchedRule {
  readonly condition: MinuteCondition;
}

export type AlertSource = MinuteSource & FindingSource;

/**
 * Judges what of a rule's minutes is new since the last time, always forward: a record that comes late counts for the
 * minutes that are judged after it, and brings no earlier one back. A rule that was never judged begins with the last
 * minute that is known. Within a planned time a rule notifies nobody; what still goes on at its end is told then. A rule
 * that watches each value of a field does so for every value by itself, from its first request on.
 */
export async function checkRule(
  source: AlertSource,
  watched: WatchedRule,
  before: RuleMemory | undefined,
  nowMs: number,
): Promise<CheckedRule> {
  const { id: ruleId, connectionId, condition } = watched.rule;
  return condition.kind === 'finding'
    ? checkFindings(source, { ...watched, ruleId, connectionId, condition }, before, nowMs)
    : checkMinutes(source, { ...watched, condition }, before, nowMs);
}

async function checkMinutes(
  source: MinuteSource,
  planned: PlannedRule,
  before: RuleMemory | undefined,
  nowMs: number,
): Promise<CheckedRule> {
  const { rule, plans, condition } = planned;
  const { connectionId } = rule;
  const criterion = toCriterion(condition);
  const toMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const oldestMs = before === undefined ? toMs - LATE_MS : toMs - MAX_BACK_MS;
  const judgedBeforeMs = Math.min(toMs, Math.max(oldestMs, before?.judgedToMs ?? 0));
  const span = { fromMs: judgedBeforeMs - criterion.minutes * MINUTE_MS, toMs };
  const listed = await listStandings(source, planned, before, { span, judgedBeforeMs });
  const critical = toCritical(condition);
  const values = listed.standings.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const read =
    listed.standings.length === 0
      ? []
      : await readMinutes(
          source,
          {
            connectionId,
            condition,
            span,
            ...(toEach(condition) === undefined ? {} : { values }),
            toLeftOut: (own) => listPlannedMinutes(plans, own, span).leftOut,
          },
          {
            ...(critical === undefined ? {} : { thresholds: [critical] }),
            ...(before === undefined ? {} : { judgedToMs: judgedBeforeMs }),
          },
        );
  const isFirst = before === undefined;
  const checked = listed.standings.map((standing, place) => {
    const minutes = read[place];
    return minutes === undefined
      ? { standing, turns: [], knownToMs: null, lackingMinutes: 0 }
      : judgeStanding({ planned, standing, minutes, span, judgedBeforeMs, isFirst, nowMs });
  });
  const knownToMs = checked.reduce(
    (latest, one) => Math.max(latest, one.knownToMs ?? 0),
    listed.knownToMs ?? 0,
  );
  const judgedToMs = Math.max(judgedBeforeMs, knownToMs);
  const isOld = ({ value, seenMs = 0, sinceMs }: StandingMemory): boolean =>
    value !== undefined && sinceMs === null && seenMs < toMs - MAX_BACK_MS;
  const standings = checked.map(({ standing }) => standing).filter((standing) => !isOld(standing));
  return {
    state: {
      ruleId: rule.id,
      judgedToMs,
      standings,
      hasMore: listed.hasMore && standings.length >= MAX_EACH_VALUES,
    },
    turns: checked.flatMap(({ turns }) => turns),
    lackingMinutes: checked.reduce((most, one) => Math.max(most, one.lackingMinutes), 0),
  };
}

/** Where all that a rule watches stood, with the values that are new. */
async function listStandings(
  source: MinuteSource,
  { rule, condition }: PlannedRule,
  before: RuleMemory | undefined,
  { span, judgedBeforeMs }: { readonly span: MinuteSpan; readonly judgedBeforeMs: number },
): Promise<{
  readonly standings: readonly StandingMemory[];
  readonly hasMore: boolean;
  /** Also known where no value was ever seen. */
  readonly knownToMs: number | null;
}> {
  const { connectionId } = rule;
  const { standings = [], hasMore = false } = before ?? {};
  if (toEach(condition) === undefined)
    return { standings: before?.standings ?? [toStanding()], hasMore, knownToMs: null };
  const knownToMs = await findKnownEnd(source, { connectionId, condition, span }, judgedBeforeMs);
  if (before !== undefined && knownToMs === null) return { standings, hasMore, knownToMs };
  // A value that is silent now counts as well: it was there before the rule was.
  const seenSpan = before === undefined ? { ...span, fromMs: span.toMs - MAX_BACK_MS } : span;
  const seen = await readValues(source, { connectionId, condition, span: seenSpan });
  const seenMs = new Map(seen.map((one) => [one.value, one.seenMs]));
  const known = standings.map((standing) => ({
    ...standing,
    seenMs: Math.max(standing.seenMs ?? 0, seenMs.get(standing.value ?? null) ?? 0),
  }));
  const added = seen.filter(({ value }) => !standings.some((standing) => standing.value === value));
  const room = Math.max(0, MAX_EACH_VALUES - known.length);
  return {
    standings: [...known, ...added.slice(0, room).map((one) => ({ ...toStanding(), ...one }))],
    hasMore: hasMore || added.length > room,
    knownToMs,
  };
}

function toStanding(): StandingMemory {
  return { ...NOT_FIRING, lastFiredMs: null, wasTold: false, latest: null };
}

/** Judges all that a rule watches, or one value of it. */
function judgeStanding(about: {
  readonly planned: PlannedRule;
  readonly standing: StandingMemory;
  readonly minutes: ReadMinutes;
  readonly span: MinuteSpan;
  readonly judgedBeforeMs: number;
  readonly isFirst: boolean;
  readonly nowMs: number;
}): {
  readonly standing: StandingMemory;
  readonly turns: readonly CheckedTurn[];
  readonly knownToMs: number | null;
  readonly lackingMinutes: number;
} {
  const { planned, standing: before, minutes, span, judgedBeforeMs, isFirst, nowMs } = about;
  const { value } = before;
  const condition = withValue(planned.condition, value);
  const { muted } = listPlannedMinutes(planned.plans, condition, span);
  const lastKnown = minutes.own.known.lastIndexOf(1);
  const beginMs =
    isFirst && lastKnown >= 0
      ? Math.max(judgedBeforeMs, span.fromMs + lastKnown * MINUTE_MS)
      : judgedBeforeMs;
  const judged = judgeLevels(minutes, condition, before, beginMs);
  const judgedToMs = Math.max(beginMs, judged.knownToMs ?? 0);
  const isOver = (place: number): boolean => judged.turns.slice(place).some(({ kind }) => kind === 'ended');
  const noticeOf = (turn: LevelTurn, place: number): AlertNotice | null => {
    const isLast = place === judged.turns.length - 1;
    if (turn.kind === 'ended') {
      // The end of what was told, not of something that came and went meanwhile.
      const isOwn = !judged.turns.slice(0, place).some(({ kind }) => kind === 'ended' || kind === 'fired');
      return before.wasTold && isOwn ? null : 'untold';
    }
    if (!isLast) return isOver(place) ? 'over' : 'passed';
    const isNew = judged.turns.some(({ kind }) => kind === 'fired' || kind === 'raised');
    if (turn.kind === 'lowered' && !before.wasTold && !isNew) return 'untold';
    const plannedToMs = findPlannedEnd(muted, turn.atMs);
    if (plannedToMs !== null && plannedToMs > judgedToMs) return 'planned';
    return nowMs - judgedToMs > LATE_MS ? 'late' : null;
  };
  const own = value === undefined ? {} : { value };
  const turns = judged.turns.map((turn, place): CheckedTurn => ({
    turn,
    ...own,
    notice: noticeOf(turn, place),
  }));
  const endedMs = findPlannedEnd(muted, judgedBeforeMs);
  const { sinceMs: beganMs, wasTold } = before;
  if (
    beganMs !== null &&
    !wasTold &&
    judged.turns.length === 0 &&
    endedMs !== null &&
    endedMs <= judgedToMs
  ) {
    const { figures } = judged.progress;
    const level = toLevel(judged.progress);
    const turn = { kind: 'fired', level, atMs: endedMs, sinceMs: beganMs, figures } as const;
    turns.push({ turn, ...own, notice: nowMs - judgedToMs > LATE_MS ? 'late' : null });
  }
  const lastFired = judged.turns.findLast(({ kind }) => kind === 'fired');
  const hasBegun = judged.turns.some(({ kind }) => kind === 'fired' || kind === 'ended');
  return {
    standing: {
      ...own,
      ...(before.seenMs === undefined ? {} : { seenMs: before.seenMs }),
      ...judged.progress,
      lastFiredMs: lastFired?.atMs ?? before.lastFiredMs,
      // After a turn, whoever sends the notification sets it again.
      wasTold: before.wasTold && !hasBegun,
      latest: judged.knownToMs === null ? before.latest : judged.latest,
    },
    turns,
    knownToMs: judged.knownToMs === null ? null : judgedToMs,
    lackingMinutes: judged.lackingMinutes,
  };
}

/** Returns when the planned time ends in which a minute ended; null outside of one. */
function findPlannedEnd(muted: readonly TimeSpan[], atMs: number): number | null {
  return muted.find(({ fromMs, toMs }) => atMs > fromMs && atMs <= toMs)?.toMs ?? null;
}
