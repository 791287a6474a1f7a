import type { AlertRule } from '../../common/model/alerts/alert-rule.ts';
import type { AlertNotice } from '../../common/model/alerts/alert-state.ts';
import type { ConnectionPlans } from '../../common/model/connections/planned-time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { judgeMinutes, NOT_FIRING, type Turn } from './evaluate/judge-minutes.ts';
import { toCriterion } from './evaluate/to-criterion.ts';
import type { RuleMemory } from './alert-memory.ts';
import { listPlannedMinutes } from './planned-minutes.ts';
import { readMinutes, type MinuteSource } from './read-minutes.ts';

/** A turn that is already older than this when it is first seen is no news: it only goes into the log. */
const LATE_MS = HOUR_MS;
/** Nothing older than this is judged: nobody was watching. */
const MAX_BACK_MS = 14 * DAY_MS;

/** What a turn of a rule leads to: `notice` null stands for a notification. */
export interface CheckedTurn {
  readonly turn: Turn;
  readonly notice: AlertNotice | null;
}

export interface CheckedRule {
  readonly state: RuleMemory;
  readonly turns: readonly CheckedTurn[];
  readonly lackingMinutes: number;
}

/**
 * Judges what of a rule's minutes is new since the last time, always forward: a record that comes late counts for the
 * minutes that are judged after it, and brings no earlier one back. A rule that was never judged begins with the last
 * minute that is known. Within a planned time a rule notifies nobody; what still goes on at its end is told then.
 */
export async function checkRule(
  source: MinuteSource,
  { rule, plans }: { readonly rule: AlertRule; readonly plans?: ConnectionPlans | undefined },
  before: RuleMemory | undefined,
  nowMs: number,
): Promise<CheckedRule> {
  const criterion = toCriterion(rule.condition);
  const toMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const oldestMs = before === undefined ? toMs - LATE_MS : toMs - MAX_BACK_MS;
  const judgedBeforeMs = Math.min(toMs, Math.max(oldestMs, before?.judgedToMs ?? 0));
  const fromMs = judgedBeforeMs - criterion.minutes * MINUTE_MS;
  const { leftOut, muted } = listPlannedMinutes(plans, rule.condition, { fromMs, toMs });
  const { own } = await readMinutes(
    source,
    { connectionId: rule.connectionId, condition: rule.condition, span: { fromMs, toMs }, leftOut },
    before === undefined ? {} : { judgedToMs: judgedBeforeMs },
  );
  const lastKnown = own.known.lastIndexOf(1);
  const beginMs =
    before !== undefined || lastKnown < 0
      ? judgedBeforeMs
      : Math.max(judgedBeforeMs, fromMs + lastKnown * MINUTE_MS);
  const judged = judgeMinutes(own, criterion, before ?? NOT_FIRING, beginMs);
  const judgedToMs = Math.max(beginMs, judged.knownToMs ?? 0);
  const turns = judged.turns.map((turn, place): CheckedTurn => {
    const isOver = turn.kind === 'fired' && place < judged.turns.length - 1;
    const wasTold = before?.wasTold === true && place === 0;
    if (isOver) return { turn, notice: 'over' };
    if (turn.kind === 'ended') return { turn, notice: wasTold ? null : 'untold' };
    const plannedToMs = findPlannedEnd(muted, turn.atMs);
    if (plannedToMs !== null && plannedToMs > judgedToMs) return { turn, notice: 'planned' };
    return { turn, notice: nowMs - judgedToMs > LATE_MS ? 'late' : null };
  });
  const endedMs = findPlannedEnd(muted, before?.judgedToMs ?? 0);
  const { sinceMs: beganMs = null, wasTold = true } = before ?? {};
  if (
    beganMs !== null &&
    !wasTold &&
    judged.turns.length === 0 &&
    endedMs !== null &&
    endedMs <= judgedToMs
  ) {
    const turn: Turn = { kind: 'fired', atMs: endedMs, sinceMs: beganMs, figures: judged.progress.figures };
    turns.push({ turn, notice: nowMs - judgedToMs > LATE_MS ? 'late' : null });
  }
  const lastFired = judged.turns.findLast(({ kind }) => kind === 'fired');
  const { sinceMs, calmMinutes, figures } = judged.progress;
  return {
    state: {
      ruleId: rule.id,
      judgedToMs,
      sinceMs,
      calmMinutes,
      figures,
      lastFiredMs: lastFired?.atMs ?? before?.lastFiredMs ?? null,
      // After a turn, whoever sends the notification sets it again.
      wasTold: before?.wasTold === true && judged.turns.length === 0,
    },
    turns,
    lackingMinutes: judged.lackingMinutes,
  };
}

/** Returns when the planned time ends in which a minute ended; null outside of one. */
function findPlannedEnd(muted: readonly TimeSpan[], atMs: number): number | null {
  return muted.find(({ fromMs, toMs }) => atMs > fromMs && atMs <= toMs)?.toMs ?? null;
}
