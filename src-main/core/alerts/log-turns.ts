import type { AlertRule } from '../../common/model/alerts/alert-rule.ts';
import type { AlertNotice } from '../../common/model/alerts/alert-state.ts';
import type { ToldFinding } from '../../common/model/analysis/finding.ts';
import type { GroupValue } from '../../common/model/analysis/grouping.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import type { Words } from '../../common/words/words.ts';
import type { Destinations, OutgoingAlert } from '../destinations/create-destinations.ts';
import type { AlertBook } from './alert-book.ts';
import type { RuleMemory } from './alert-file.ts';
import type { LevelTurn } from './evaluate/judge-levels.ts';
import { nameValue, writeTitle, writeTurn, type NotedConnection } from './note-words.ts';
import type { PendingNote } from './send-notes.ts';

/** What a turn of a rule leads to: `notice` null stands for a notification. */
export interface CheckedTurn {
  readonly turn: LevelTurn;
  /** Of which value, of a rule that watches each. */
  readonly value?: GroupValue;
  /** Which one, of a rule on findings. */
  readonly finding?: ToldFinding;
  readonly notice: AlertNotice | null;
}

export interface CheckedRule {
  /** Null as long as it stands nowhere. */
  readonly state: RuleMemory | null;
  readonly turns: readonly CheckedTurn[];
  readonly lackingMinutes: number;
}

export interface TurnParts {
  readonly book: Pick<AlertBook, 'readLog' | 'findMute' | 'addEntry' | 'markTold'>;
  readonly settings: { get(): Pick<Settings, 'alertNotes'> };
  readonly destinations: Pick<Destinations, 'isFor'>;
  readWords(): Words;
  now(): number;
}

/**
 * Writes the turns of a rule into its log: those that nobody is notified of at once, each other one when its note is
 * settled. Returns these notes, and what destinations get.
 */
export function logTurns(
  parts: TurnParts,
  rule: AlertRule,
  connection: NotedConnection,
  checked: CheckedRule,
): { readonly pending: PendingNote[]; readonly outgoing: OutgoingAlert[] } {
  const { book, settings, destinations, readWords, now } = parts;
  const outgoing: OutgoingAlert[] = [];
  const { id: ruleId, connectionId, condition } = rule;
  // A rule begins with a minute that is over; nothing can have fired before it was made.
  const byHand = book.readLog(ruleId).findLast(({ kind }) => kind === 'made' || kind === 'changed');

  const logTurn = ({ turn, value, finding, notice: reason }: CheckedTurn): PendingNote | null => {
    const { kind, level, sinceMs, figures } = turn;
    const atMs = Math.max(turn.atMs, byHand?.atMs ?? 0);
    const own = { ...(value === undefined ? {} : { value }), ...(level === null ? {} : { level }) };
    const about = finding === undefined ? {} : { finding };
    const entry = { ruleId, atMs, kind, ...own, ...about, sinceMs, figures, condition };
    const noted = { condition, finding, connection };
    const words = readWords();
    const name = nameValue(words, rule, { value, finding }, connection.valueNames);
    const kept = reason ?? book.findMute(rule, now(), value);
    if (kept === null && destinations.isFor(connectionId)) {
      const text = writeTurn(words, noted, turn, '');
      const place = { ruleId, connectionId, connection: connection.name, ...own };
      outgoing.push({ ...place, kind, name, text, sinceMs, atMs });
      // Its end is sent too, also where this computer shows no notification.
      if (kind !== 'ended') book.markTold(ruleId, value);
    }
    const switchedOff = settings.get().alertNotes ? null : 'switched-off';
    const notice = kept ?? switchedOff;
    if (notice !== null) {
      book.addEntry({ ...entry, notice });
      return null;
    }
    const title = writeTitle(words, name, turn);
    const body = writeTurn(words, noted, turn, connection.name);
    return {
      note: { ruleId, connectionId, title, body, atMs, ...about },
      settle: (settled, noteId) => {
        book.addEntry({ ...entry, notice: settled, noteId });
        if (kind !== 'ended') book.markTold(ruleId, value);
      },
    };
  };
  const pending = checked.turns.map(logTurn).filter((note) => note !== null);
  return { pending, outgoing };
}
