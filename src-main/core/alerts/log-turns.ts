import type { AlertRule } from '../../common/model/alerts/alert-rule.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import type { Words } from '../../common/words/words.ts';
import type { Destinations, OutgoingAlert } from '../destinations/create-destinations.ts';
import type { AlertBook } from './alert-book.ts';
import type { CheckedRule, CheckedTurn } from './check-rule.ts';
import { writeNote } from './note-words.ts';
import type { PendingNote } from './send-notes.ts';

export interface TurnParts {
  readonly book: Pick<AlertBook, 'readLog' | 'findMute' | 'addEntry' | 'setState'>;
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
  connectionName: string,
  checked: CheckedRule,
): { readonly pending: PendingNote[]; readonly outgoing: OutgoingAlert[] } {
  const { book, settings, destinations, readWords, now } = parts;
  const outgoing: OutgoingAlert[] = [];
  const { id: ruleId, connectionId, condition } = rule;
  // A rule begins with a minute that is over; nothing can have fired before it was made.
  const byHand = book.readLog(ruleId).findLast(({ kind }) => kind === 'made' || kind === 'changed');

  const logTurn = ({ turn, notice: reason }: CheckedTurn): PendingNote | null => {
    const { kind, sinceMs, figures } = turn;
    const atMs = Math.max(turn.atMs, byHand?.atMs ?? 0);
    const entry = { ruleId, atMs, kind, sinceMs, figures, condition };
    const words = readWords();
    const kept = reason ?? book.findMute(rule, now());
    if (kept === null && destinations.isFor(connectionId)) {
      const text = writeNote(words, condition, turn, '');
      const { name } = rule;
      outgoing.push({ ruleId, connectionId, kind, name, text, connection: connectionName, sinceMs, atMs });
      // Its end is sent too, also where this computer shows no notification.
      if (kind === 'fired') book.setState({ ...checked.state, wasTold: true });
    }
    const switchedOff = settings.get().alertNotes ? null : 'switched-off';
    const notice = kept ?? switchedOff;
    if (notice !== null) {
      book.addEntry({ ...entry, notice });
      return null;
    }
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
  const pending = checked.turns.map(logTurn).filter((note) => note !== null);
  return { pending, outgoing };
}
