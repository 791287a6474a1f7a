import type { GroupValue } from '../../common/model/analysis/grouping.ts';
import type { AlertDraft, AlertMute, AlertRule } from '../../common/model/alerts/alert-rule.ts';
import type { Following } from '../../common/contract/operations/unattended/following.ts';
import type { AlertBoard, AlertNote, AlertOrigin, AlertRest } from '../../common/model/alerts/alert-state.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import type { Words } from '../../common/words/words.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Destinations } from '../destinations/create-destinations.ts';
import type { Events } from '../events.ts';
import type { Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import { createSaveQueue } from '../documents/save-queue.ts';
import type { AlertBook } from './alert-book.ts';
import { findRest } from './find-rest.ts';
import { judgeRules } from './judge-rules.ts';
import { createMinuteFindings } from './check-findings.ts';
import type { AlertSource } from './check-rule.ts';
import { saveDraft, type SavedDraft } from './save-draft.ts';
import { createNoteSender } from './send-notes.ts';
import { showBoard } from './show-board.ts';
import { watchChanges } from './watch-changes.ts';

/** How often states that merely continue are written; a rule that fires or ends is written at once. */
const SAVE_EVERY_MS = 600_000;

export interface Alerts {
  readBoard(): AlertBoard;
  readonly book: Pick<AlertBook, 'readLog' | 'getRule' | 'listRules'>;
  save(ruleId: string | null, draft: AlertDraft, origin: AlertOrigin): Promise<AlertRule>;
  remove(ruleId: string): Promise<void>;
  /**
   * Saves, adds or deletes the rule of an id, by what `change` returns of it as it is when its turn comes: undefined for a
   * rule that is not to be.
   */
  change(
    ruleId: string,
    change: (rule: AlertRule | undefined) => AlertDraft | undefined,
    origin: AlertOrigin,
  ): Promise<void>;
  /** Of all that a rule watches, or of one value of it. */
  mute(ruleId: string, mute: AlertMute | null, value?: GroupValue): Promise<void>;
  muteConnection(connectionId: string, mute: AlertMute | null): Promise<void>;
  sendTest(ruleId: string): 'computer' | 'page' | 'failed';
  confirmNote(noteId: string): Promise<void>;
  takeOpened(): AlertNote | null;
  /** Looks at all rules now. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

export interface AlertParts {
  readonly book: AlertBook;
  readonly source: AlertSource;
  readonly connections: Pick<ConnectionStore, 'get' | 'list' | 'listNames' | 'listSaved'>;
  readonly host: Pick<Host, 'showNote' | 'showBadge'>;
  readonly events: Pick<Events, 'emit' | 'on' | 'onAny'>;
  readonly settings: { get(): Pick<Settings, 'alertNotes' | 'alertBadge'> };
  readonly destinations: Pick<Destinations, 'isFor' | 'note' | 'remind'>;
  readonly following: { list(): readonly Pick<Following, 'connectionId' | 'state'>[] };
  readonly logger: Logger;
  /** What notifications are written in. */
  readWords(): Words;
  now(): number;
}

/** Judges the rules as records and samples come, and once a minute; tells what fires and what ends. */
export function createAlerts(parts: AlertParts): Alerts {
  const { book, connections, destinations, host, events, logger, readWords, now } = parts;
  const inTurn = createSaveQueue();
  const findRestOf = (rule: AlertRule): AlertRest | null => {
    const followed = parts.following.list().find((each) => each.connectionId === rule.connectionId);
    // A rule goes with its connection, a moment after it.
    const saved = connections.listSaved().find(({ id }) => id === rule.connectionId);
    return saved === undefined ? null : findRest(rule, saved, followed);
  };
  const board = showBoard({ ...parts, findRest: findRestOf });
  const notes = createNoteSender({
    host,
    emit: events.emit,
    readWords,
    onRefused: (note, reason) => {
      logger.warn('a notification was refused', { reason });
      events.emit('alerts/refused', note);
      void inTurn(async () => {
        book.markRefused(note.id);
        board.noteRefused();
        await save();
        board.announce();
      }).catch((error: unknown) => logger.error('alerts not saved', { error }));
    },
  });
  let savedAtMs = now();
  let isStopped = false;

  const save = async (): Promise<void> => {
    savedAtMs = now();
    await book.saveMemory();
  };
  const source = { ...parts.source, ...createMinuteFindings(parts.source, now) };
  const judgeParts = { ...parts, source, noteLacking: board.noteLacking, hasStopped: () => isStopped };
  const check = async (isDue: (rule: AlertRule) => boolean): Promise<void> => {
    const judged = await judgeRules(judgeParts, isDue);
    if (judged === null) return;
    // Before anything remembers that it was sent: after a crash it is judged again, and noted under the same id.
    await destinations
      .note(judged.outgoing)
      .then(() => destinations.remind(judged.reminders))
      .catch((error: unknown) => logger.error('alert messages not noted', { error }));
    notes.sendAll(judged.pending);
    board.noteChecked(now());
    if (judged.hasTurned || now() - savedAtMs >= SAVE_EVERY_MS) await save();
    board.announce();
  };

  const watching = watchChanges({
    events,
    check: (isDue) =>
      inTurn(() => check(isDue)).catch((error: unknown) => logger.error('alerts not checked', { error })),
    listConnections: () => connections.list(),
    forget: (connectionIds) =>
      inTurn(async () => {
        await book.removeConnections(connectionIds);
        await save();
        board.announce();
      }).catch((error: unknown) => logger.error('alerts not removed', { error })),
  });

  const saveNow = async (saved: SavedDraft): Promise<AlertRule> => {
    connections.get(saved.draft.connectionId);
    const rule = await saveDraft(book, saved, now());
    await save();
    board.announce();
    watching.request(rule.connectionId);
    return rule;
  };
  const removeNow = async (ruleId: string): Promise<void> => {
    book.getRule(ruleId);
    await book.removeRule(ruleId);
    await save();
    board.announce();
  };
  return {
    readBoard: board.read,
    book,
    save: (ruleId, draft, origin) => inTurn(() => saveNow({ ruleId, draft, origin })),
    remove: (ruleId) => inTurn(() => removeNow(ruleId)),
    change: (ruleId, change, origin) =>
      inTurn(async () => {
        const known = book.listRules().find(({ id }) => id === ruleId);
        const draft = change(known);
        if (draft === undefined) {
          if (known !== undefined) await removeNow(ruleId);
        } else await saveNow({ ruleId: known?.id ?? null, newId: ruleId, draft, origin });
      }),
    mute: (ruleId, mute, value) =>
      inTurn(async () => {
        const rule = book.getRule(ruleId);
        await book.saveRule(value === undefined ? { ...rule, mute } : withValueMute(rule, value, mute));
        board.announce();
      }),
    muteConnection: (connectionId, mute) =>
      inTurn(async () => {
        connections.get(connectionId);
        await book.muteConnection(connectionId, mute);
        board.announce();
      }),
    sendTest: (ruleId) => {
      const { name, connectionId } = book.getRule(ruleId);
      const body = readWords().t('notes.test');
      return notes.send({ ruleId, connectionId, title: name, body, atMs: now() }).shown;
    },
    confirmNote: (noteId) =>
      inTurn(async () => {
        if (!book.markShown(noteId)) return;
        await save();
        board.announce();
      }),
    takeOpened: notes.takeOpened,
    check: () => inTurn(() => check(() => true)),
    async stop() {
      isStopped = true;
      board.stop();
      watching.stop();
      // A check under way may wait for the engine, which ends next: its minutes are judged at the next start.
      await save();
    },
  };
}

function withValueMute(rule: AlertRule, value: GroupValue, mute: AlertMute | null): AlertRule {
  const others = (rule.valueMutes ?? []).filter((one) => one.value !== value);
  return { ...rule, valueMutes: mute === null ? others : [...others, { value, mute }] };
}
