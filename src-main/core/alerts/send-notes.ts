import { randomUUID } from 'node:crypto';
import type { Emit } from '../../common/contract/index.ts';
import type { AlertNote, AlertNotice } from '../../common/model/alerts/alert-state.ts';
import type { Words } from '../../common/words/words.ts';
import type { Host, ShownNote } from '../host.ts';

/** More notifications than this at once are joined into one. */
const MAX_AT_ONCE = 3;

/** A note that waits for the others of its round. */
export interface PendingNote {
  readonly note: Omit<AlertNote, 'id'>;
  /** Says what became of it. */
  readonly settle: (notice: AlertNotice, noteId: string) => void;
}

export interface NoteSender {
  /** Sends what one round of checks has to say. */
  sendAll(pending: readonly PendingNote[]): void;
  send(note: Omit<AlertNote, 'id'>): { shown: ShownNote; noteId: string };
  /** The notification that was clicked last, once. */
  takeOpened(): AlertNote | null;
}

/** Shows notifications through the host, or has the page show them where the host can't. */
export function createNoteSender(parts: {
  readonly host: Pick<Host, 'showNote'>;
  readonly emit: Emit;
  readonly readWords: () => Words;
  /** Called where the system turns out to show a notification not at all. */
  readonly onRefused: (note: AlertNote, reason: string) => void;
}): NoteSender {
  const { host, emit, readWords, onRefused } = parts;
  let opened: AlertNote | null = null;

  const send: NoteSender['send'] = (words) => {
    const note = { id: randomUUID(), ...words };
    const shown = host.showNote(
      { title: note.title, body: note.body },
      () => {
        opened = note;
        emit('alerts/opened', note);
      },
      (reason) => onRefused(note, reason),
    );
    if (shown === 'page') emit('alerts/noted', note);
    return { shown, noteId: note.id };
  };
  const toNotice = (shown: ShownNote): AlertNotice => (shown === 'page' ? 'no-window' : shown);

  return {
    send,
    sendAll: (pending) => {
      if (pending.length <= MAX_AT_ONCE) {
        for (const { note, settle } of pending) {
          const { shown, noteId } = send(note);
          settle(toNotice(shown), noteId);
        }
        return;
      }
      const { t, formats } = readWords();
      const count = formats.formatCount(pending.length);
      const { shown, noteId } = send({
        ruleId: null,
        connectionId: null,
        title: t('notes.several', { count }, pending.length),
        body: pending.map(({ note }) => note.title).join(', '),
        atMs: Math.max(...pending.map(({ note }) => note.atMs)),
      });
      for (const { settle } of pending) settle(shown === 'computer' ? 'together' : toNotice(shown), noteId);
    },
    takeOpened: () => {
      const note = opened;
      opened = null;
      return note;
    },
  };
}
