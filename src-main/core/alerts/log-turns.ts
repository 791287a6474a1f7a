import type { AlertRule } from '../../common/model/alerts/alert-rule.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import type { Words } from '../../common/words/words.ts';
import type { AlertBook } from './alert-book.ts';
import type { CheckedRule, CheckedTurn } from './check-rule.ts';
import { writeNote } from './note-words.ts';
import type { PendingNote } from './send-notes.ts';

export interface TurnParts {
  readonly book: Pick<AlertBook, 'readLog' | 'findMute' | 'addEntry' | 'setState'>;
  readonly settings: { get(): Pick<Settings, 'alertNotes'> };
  readWords(): Words;
  now(): number;
}

/**
 * Writes the turns of a rule into its log: those that nobody is notified of at once, each other one when its note is
 * settled. Returns these notes.
 */
export function logTurns(
  parts: TurnParts,
  rule: AlertRule,
  connectionName: string,
  checked: CheckedRule,
): PendingNote[] {
  const { book, settings, readWords, now } = parts;
  const { id: ruleId, connectionId, condition } = rule;
  // A rule begins with a minute that is over; nothing can have fired before it was made.
  const byHand = book.readLog(ruleId).findLast(({ kind }) => kind === 'made' || kind === 'changed');

  const logTurn = ({ turn, notice: reason }: CheckedTurn): PendingNote | null => {
    const { kind, sinceMs, figures } = turn;
    const atMs = Math.max(turn.atMs, byHand?.atMs ?? 0);
    const entry = { ruleId, atMs, kind, sinceMs, figures, condition };
    const switchedOff = settings.get().alertNotes ? null : 'switched-off';
    const notice = reason ?? book.findMute(rule, now()) ?? switchedOff;
    if (notice !== null) {
      book.addEntry({ ...entry, notice });
      return null;
    }
    const words = readWords();
    const title = kind === 'fired' ? rule.name : words.t('notes.ended', { name: rule.name });
    const body = writeNote(words, condition, turn, connectionName);
    return {
      note: { ruleId, connectionId, title, body, atMs },
      settle: (settled, noteId) => {
        book.addEntry({ ...entry, notice: settled, noteId });
        if (kind === 'fired') book.setState({ ...checked.state, wasTold: true });
      },
    };
  };
  return checked.turns.map(logTurn).filter((note) => note !== null);
}
