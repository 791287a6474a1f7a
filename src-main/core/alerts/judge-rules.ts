import type { AlertRule } from '../../common/model/alerts/alert-rule.ts';
import { nameConnection } from '../../common/words/connection-name.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';
import type { AlertBook } from './alert-book.ts';
import { checkRule, type CheckedRule } from './check-rule.ts';
import { logTurns, type TurnParts } from './log-turns.ts';
import type { OutgoingAlert } from '../destinations/create-destinations.ts';
import { HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import { writeNote } from './note-words.ts';
import { listPlannedMinutes } from './planned-minutes.ts';
import type { MinuteSource } from './read-minutes.ts';
import type { PendingNote } from './send-notes.ts';

export interface JudgeParts extends TurnParts {
  readonly book: TurnParts['book'] & Pick<AlertBook, 'listRules' | 'findState'>;
  readonly source: MinuteSource;
  readonly connections: Pick<ConnectionStore, 'get' | 'list'>;
  readonly logger: Logger;
  /** Gets how many minutes of a rule's last check lacked records. */
  noteLacking(ruleId: string, minutes: number): void;
  hasStopped(): boolean;
}

/** What one round of checks led to. */
export interface JudgedRules {
  readonly pending: readonly PendingNote[];
  /** What destinations get: alerts that fired or ended, and those that still fire. */
  readonly outgoing: readonly OutgoingAlert[];
  readonly reminders: readonly OutgoingAlert[];
  /** Whether a rule fired or ended. */
  readonly hasTurned: boolean;
}

/** Judges the active rules that are due, one after another. Returns null where it was stopped meanwhile. */
export async function judgeRules(
  parts: JudgeParts,
  isDue: (rule: AlertRule) => boolean,
): Promise<JudgedRules | null> {
  const { book, connections, logger, hasStopped } = parts;
  const there = new Set((await connections.list()).map(({ id }) => id));
  const pending: PendingNote[] = [];
  const outgoing: OutgoingAlert[] = [];
  const reminders: OutgoingAlert[] = [];
  let hasTurned = false;
  for (const rule of book.listRules()) {
    if (hasStopped()) return null;
    if (!rule.isActive || !isDue(rule) || !there.has(rule.connectionId)) continue;
    try {
      const judged = await judgeRule(parts, rule);
      pending.push(...judged.pending);
      outgoing.push(...judged.outgoing);
      reminders.push(...judged.reminders);
      hasTurned ||= judged.hasTurned;
    } catch (error) {
      if (hasStopped()) return null;
      // The next time it is judged from where it stood; only time is lost.
      logger.warn('alert not judged', { ruleId: rule.id, error });
    }
  }
  return hasStopped() ? null : { pending, outgoing, reminders, hasTurned };
}

async function judgeRule(parts: JudgeParts, rule: AlertRule): Promise<JudgedRules> {
  const { book, source, connections, now, noteLacking } = parts;
  const connection = connections.get(rule.connectionId);
  const checked = await checkRule(source, { rule, plans: connection.plans }, book.findState(rule.id), now());
  book.setState(checked.state);
  noteLacking(rule.id, checked.lackingMinutes);
  const name = nameConnection(connection, parts.readWords());
  const logged = logTurns(parts, rule, name, checked);
  const reminder = toReminder(parts, rule, name, checked);
  return {
    ...logged,
    reminders: reminder === null ? [] : [reminder],
    hasTurned: checked.turns.length > 0,
  };
}

/** An alert that still fires and that nothing keeps from notifying; null else. */
function toReminder(
  { book, connections, readWords, now }: JudgeParts,
  rule: AlertRule,
  connection: string,
  { state, turns }: CheckedRule,
): OutgoingAlert | null {
  const { sinceMs, judgedToMs, figures, wasTold } = state;
  const nowMs = now();
  if (sinceMs === null || !wasTold || turns.length > 0 || book.findMute(rule, nowMs) !== null) return null;
  // What was last judged is too old to say that it still fires.
  if (nowMs - judgedToMs > HOUR_MS) return null;
  const { plans } = connections.get(rule.connectionId);
  const { muted } = listPlannedMinutes(plans, rule.condition, { fromMs: nowMs, toMs: nowMs + MINUTE_MS });
  if (muted.length > 0) return null;
  const { id: ruleId, connectionId, name, condition } = rule;
  const turn = { kind: 'fired', atMs: nowMs, sinceMs, figures } as const;
  const text = writeNote(readWords(), condition, turn, '');
  return { ruleId, connectionId, kind: 'reminder', name, text, connection, sinceMs, atMs: nowMs };
}
