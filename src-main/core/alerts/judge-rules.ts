import type { AlertRule } from '../../common/model/alerts/alert-rule.ts';
import { nameConnection } from '../../common/words/connection-name.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';
import type { AlertBook } from './alert-book.ts';
import { checkRule } from './check-rule.ts';
import { logTurns, type TurnParts } from './log-turns.ts';
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
  let hasTurned = false;
  for (const rule of book.listRules()) {
    if (hasStopped()) return null;
    if (!rule.isActive || !isDue(rule) || !there.has(rule.connectionId)) continue;
    try {
      const judged = await judgeRule(parts, rule);
      pending.push(...judged.pending);
      hasTurned ||= judged.hasTurned;
    } catch (error) {
      if (hasStopped()) return null;
      // The next time it is judged from where it stood; only time is lost.
      logger.warn('alert not judged', { ruleId: rule.id, error });
    }
  }
  return hasStopped() ? null : { pending, hasTurned };
}

async function judgeRule(parts: JudgeParts, rule: AlertRule): Promise<JudgedRules> {
  const { book, source, connections, now, noteLacking } = parts;
  const connection = connections.get(rule.connectionId);
  const checked = await checkRule(source, { rule, plans: connection.plans }, book.findState(rule.id), now());
  book.setState(checked.state);
  noteLacking(rule.id, checked.lackingMinutes);
  const name = nameConnection(connection, parts.readWords());
  return { pending: logTurns(parts, rule, name, checked), hasTurned: checked.turns.length > 0 };
}
