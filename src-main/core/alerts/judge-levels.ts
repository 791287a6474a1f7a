import {
  type AlertLevel,
  atLevel,
  type MinuteCondition,
  toCritical,
} from '../../common/model/alerts/alert-rule.ts';
import {
  type Judged,
  judgeMinutes,
  NOT_FIRING,
  type Progress,
  toCriterion,
  type Turn,
} from './judge-minutes.ts';
import type { ReadMinutes } from './read-minutes.ts';

/** A rule, or one value of it, began or ceased to fire, or came to another level. */
export interface LevelTurn extends Omit<Turn, 'kind'> {
  readonly kind: 'fired' | 'raised' | 'lowered' | 'ended';
  /** The level that it came to, or ended at; null for a rule with one threshold. */
  readonly level: AlertLevel | null;
}

/** How far both thresholds of a rule are; `critical` is missing where there is only one. */
interface LevelProgress extends Progress {
  readonly critical?: Progress;
}

export interface JudgedLevels extends Omit<Judged, 'turns' | 'progress'> {
  readonly progress: LevelProgress;
  readonly turns: readonly LevelTurn[];
}

/** Returns the level at which something fires; null where it doesn't, or has one threshold only. */
export function toLevel({ sinceMs, critical }: LevelProgress): AlertLevel | null {
  if (sinceMs === null || critical === undefined) return null;
  return critical.sinceMs === null ? 'warning' : 'critical';
}

/**
 * Judges minutes by both thresholds of a condition: each has its own patience, so that one that hovers at the critical
 * threshold rises and falls once. What is critical is a warning too.
 */
export function judgeLevels(
  minutes: ReadMinutes,
  condition: MinuteCondition,
  before: LevelProgress = NOT_FIRING,
  judgedToMs = -Infinity,
): JudgedLevels {
  const { critical: wasCritical, sinceMs: wasSinceMs, calmMinutes, figures } = before;
  const was = { sinceMs: wasSinceMs, calmMinutes, figures };
  const warning = judgeMinutes(minutes.own, toCriterion(condition), was, judgedToMs);
  const limit = toCritical(condition);
  if (limit === undefined) {
    return { ...warning, turns: warning.turns.map((turn) => ({ ...turn, level: null })) };
  }
  const criterion = toCriterion(atLevel(condition, 'critical'));
  const critical = judgeMinutes(minutes.with(limit), criterion, wasCritical ?? NOT_FIRING, judgedToMs);
  const turns: LevelTurn[] = [];
  let sinceMs = wasSinceMs;
  let isCritical = (wasCritical?.sinceMs ?? null) !== null;
  const moments = new Set([...warning.turns, ...critical.turns].map(({ atMs }) => atMs));
  for (const atMs of [...moments].sort((a, b) => a - b)) {
    const own = warning.turns.find((turn) => turn.atMs === atMs);
    const worse = critical.turns.find((turn) => turn.atMs === atMs);
    const level = isCritical ? 'critical' : 'warning';
    isCritical = worse === undefined ? isCritical : worse.kind === 'fired';
    if (own?.kind === 'ended') turns.push({ ...own, level });
    else if (own !== undefined) turns.push({ ...(worse ?? own), level: isCritical ? 'critical' : 'warning' });
    else if (worse !== undefined) {
      const [kind, next] = isCritical ? (['raised', 'critical'] as const) : (['lowered', 'warning'] as const);
      turns.push({ ...worse, kind, level: next, sinceMs: sinceMs ?? worse.sinceMs });
    }
    sinceMs = own === undefined ? sinceMs : own.kind === 'fired' ? atMs : null;
    if (sinceMs === null) isCritical = false;
  }
  const progress = {
    ...warning.progress,
    critical: warning.progress.sinceMs === null ? NOT_FIRING : critical.progress,
  };
  return { ...warning, progress, turns };
}
