import type { AlertRule } from '../../common/model/alerts/alert-rule.ts';
import type { ValueName } from '../../common/model/records/value-name.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import type { Words } from '../../common/words/words.ts';
import type { Destinations, OutgoingAlert } from '../destinations/create-destinations.ts';
import type { AlertBook } from './alert-book.ts';
import type { CheckedRule, CheckedTurn } from './check-rule.ts';
import { nameValue, writeNote, writeTitle } from './note-words.ts';
import type { PendingNote } from './send-notes.ts';

export interface TurnParts {
  readonly book: Pick<AlertBook, 'readLog' | 'findMute' | 'addEntry' | 'markTold'>;
  readonly settings: { get(): Pick<Settings, 'alertNotes'> };
  readonly destinations: Pick<Destinations, 'isFor'>;
  readWords(): Words;
  now(): number;
}

/** What notes say of a connection. */
export interface NotedConnection {
  readonly name: string;
  readonly valueNames: readonly ValueName[];
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

  const logTurn = ({ turn, value, notice: reason }: CheckedTurn): PendingNote | null => {
    const { kind, level, sinceMs, figures } = turn;
    const atMs = Math.max(turn.atMs, byHand?.atMs ?? 0);
    const own = { ...(value === undefined ? {} : { value }), ...(level === null ? {} : { level }) };
    const entry = { ruleId, atMs, kind, ...own, sinceMs, figures, condition };
    const words = readWords();
    const name = nameValue(words, rule, value, connection.valueNames);
    const kept = reason ?? book.findMute(rule, now(), value);
    if (kept === null && destinations.isFor(connectionId)) {
      const text = writeNote(words, condition, turn, '');
      const about = { ruleId, connectionId, connection: connection.name, ...own };
      outgoing.push({ ...about, kind, name, text, sinceMs, atMs });
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
    const body = writeNote(words, condition, turn, connection.name);
    return {
      note: { ruleId, connectionId, title, body, atMs },
      settle: (settled, noteId) => {
        book.addEntry({ ...entry, notice: settled, noteId });
        if (kind !== 'ended') book.markTold(ruleId, value);
      },
    };
  };
  const pending = checked.turns.map(logTurn).filter((note) => note !== null);
  return { pending, outgoing };
}
