import { randomUUID } from 'node:crypto';
import { AppError } from '../../common/contract/errors.ts';
import {
  MAX_ALERT_RULES,
  type AlertDraft,
  type AlertMute,
  type AlertRule,
} from '../../common/model/alerts/alert-rule.ts';
import type { AlertBoard, AlertNote, AlertOrigin } from '../../common/model/alerts/alert-state.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import type { Words } from '../../common/words/words.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Events } from '../events.ts';
import type { Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import { createSaveQueue } from '../settings/save-queue.ts';
import type { AlertBook } from './alert-book.ts';
import { checkRule } from './check-rule.ts';
import { writeNote } from './note-words.ts';
import type { MinuteSource } from './read-minutes.ts';
import { createNoteSender, type PendingNote } from './send-notes.ts';
import { watchChanges } from './watch-changes.ts';

/** States that only went on are written this often; what fired or ended at once. */
const SAVE_EVERY_MS = 600_000;

export interface Alerts {
  readBoard(): AlertBoard;
  readonly book: Pick<AlertBook, 'readLog' | 'getRule'>;
  save(ruleId: string | null, draft: AlertDraft, origin: AlertOrigin): Promise<AlertRule>;
  remove(ruleId: string): Promise<void>;
  mute(ruleId: string, mute: AlertMute | null): Promise<void>;
  muteConnection(connectionId: string, mute: AlertMute | null): Promise<void>;
  sendTest(ruleId: string): 'computer' | 'page' | 'failed';
  confirmNote(noteId: string): Promise<void>;
  takeOpened(): AlertNote | null;
  /** Looks at all rules now. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/** Judges the rules as records and samples come, and once a minute; tells what fires and what ends. */
export function createAlerts(options: {
  readonly book: AlertBook;
  readonly source: MinuteSource;
  readonly connections: Pick<ConnectionStore, 'get' | 'list'>;
  readonly host: Pick<Host, 'showNote' | 'showBadge'>;
  readonly events: Pick<Events, 'emit' | 'on' | 'onAny'>;
  readonly settings: { get(): Pick<Settings, 'alertNotes' | 'alertBadge'> };
  readonly logger: Logger;
  /** What notifications are written in. */
  readWords(): Words;
  now(): number;
}): Alerts {
  const { book, source, connections, host, events, settings, logger, readWords, now } = options;
  const inTurn = createSaveQueue();
  const notes = createNoteSender(host, events.emit, readWords);
  const lackingOf = new Map<string, number>();
  let checkedAtMs: number | null = null;
  let savedAtMs = now();
  let isStopped = false;

  const readBoard = (): AlertBoard => book.toBoard(now(), checkedAtMs, lackingOf);
  const showBadge = (): void => {
    const firing = readBoard().rules.filter(({ state }) => state.firingSinceMs !== null);
    host.showBadge(settings.get().alertBadge ? firing.length : 0);
  };
  const announce = (): void => {
    showBadge();
    events.emit('alerts/changed', readBoard());
  };
  const save = async (): Promise<void> => {
    savedAtMs = now();
    await book.saveMemory();
  };

  /** Judges one rule; returns what it has to say. */
  const checkOne = async (rule: AlertRule): Promise<{ own: PendingNote[]; isTurn: boolean }> => {
    const checked = await checkRule(source, rule, book.findState(rule.id), now());
    book.setState(checked.state);
    lackingOf.set(rule.id, checked.lackingMinutes);
    const { name: connectionName } = connections.get(rule.connectionId);
    // A rule begins with a minute that is over; nothing can have fired before it was made.
    const byHand = book.readLog(rule.id).findLast(({ kind }) => kind === 'made' || kind === 'changed');
    const own = checked.turns.flatMap(({ turn, notice: reason }): PendingNote[] => {
      const { condition, connectionId } = rule;
      const { kind, sinceMs, figures } = turn;
      const atMs = Math.max(turn.atMs, byHand?.atMs ?? 0);
      const entry = { ruleId: rule.id, atMs, kind, sinceMs, figures, condition };
      const switchedOff = settings.get().alertNotes ? null : 'switched-off';
      const notice = reason ?? book.findMute(rule, now()) ?? switchedOff;
      if (notice !== null) {
        book.addEntry({ ...entry, notice });
        return [];
      }
      const words = readWords();
      const title = kind === 'fired' ? rule.name : words.t('notes.ended', { name: rule.name });
      const body = writeNote(words, condition, turn, connectionName);
      const note = { ruleId: rule.id, connectionId, title, body, atMs };
      return [
        {
          note,
          settle: (settled, noteId) => {
            book.addEntry({ ...entry, notice: settled, noteId });
            if (kind === 'fired') book.setState({ ...checked.state, wasTold: true });
          },
        },
      ];
    });
    return { own, isTurn: checked.turns.length > 0 };
  };

  /** It may change while anything is waited for. */
  const hasStopped = (): boolean => isStopped;

  const checkAll = async (isDue: (rule: AlertRule) => boolean): Promise<void> => {
    const there = new Set((await connections.list()).map(({ id }) => id));
    const pending: PendingNote[] = [];
    let hasTurned = false;
    for (const rule of book.listRules()) {
      if (!rule.isActive || !isDue(rule) || !there.has(rule.connectionId) || hasStopped()) continue;
      try {
        const { own, isTurn } = await checkOne(rule);
        pending.push(...own);
        hasTurned ||= isTurn;
      } catch (error) {
        if (hasStopped()) return;
        // It is judged from where it was the next time; nothing is lost but time.
        logger.warn('alert not judged', { ruleId: rule.id, error });
      }
    }
    if (hasStopped()) return;
    notes.sendAll(pending);
    checkedAtMs = now();
    if (hasTurned || now() - savedAtMs >= SAVE_EVERY_MS) await save();
    announce();
  };

  const stopBadge = events.on('settings/changed', showBadge);
  const watching = watchChanges({
    events,
    check: (isDue) =>
      inTurn(() => checkAll(isDue)).catch((error: unknown) => logger.error('alerts not checked', { error })),
    listConnections: () => connections.list(),
    forget: (connectionIds) =>
      inTurn(async () => {
        await book.removeConnections(connectionIds);
        await save();
        announce();
      }).catch((error: unknown) => logger.error('alerts not removed', { error })),
  });

  return {
    readBoard,
    book,
    save: (ruleId, draft, origin) =>
      inTurn(async () => {
        connections.get(draft.connectionId);
        const known = ruleId === null ? null : book.getRule(ruleId);
        if (known === null && book.listRules().length >= MAX_ALERT_RULES) {
          throw new AppError('alerts.too-many', 'There are too many rules.', { limit: MAX_ALERT_RULES });
        }
        const nowMs = now();
        const rule: AlertRule = {
          ...draft,
          id: known?.id ?? randomUUID(),
          name: draft.name.trim(),
          mute: known?.mute ?? null,
          madeAtMs: known?.madeAtMs ?? nowMs,
          savedAtMs: nowMs,
        };
        await book.saveRule(rule);
        const { condition } = rule;
        const isOther = known !== null && JSON.stringify(known.condition) !== JSON.stringify(condition);
        const wasStopped = known !== null && known.isActive !== rule.isActive;
        // What another condition found says nothing of this one; nobody looked while it was off.
        if (isOther || wasStopped) book.forgetState(rule.id);
        const entry = { ruleId: rule.id, atMs: nowMs, notice: 'by-hand' as const, origin, condition };
        if (known === null) book.addEntry({ ...entry, kind: 'made' });
        else if (isOther) book.addEntry({ ...entry, kind: 'changed', before: known.condition });
        await save();
        announce();
        watching.request(rule.connectionId);
        return rule;
      }),
    remove: (ruleId) =>
      inTurn(async () => {
        book.getRule(ruleId);
        await book.removeRule(ruleId);
        await save();
        announce();
      }),
    mute: (ruleId, mute) =>
      inTurn(async () => {
        await book.saveRule({ ...book.getRule(ruleId), mute });
        announce();
      }),
    muteConnection: (connectionId, mute) =>
      inTurn(async () => {
        connections.get(connectionId);
        await book.muteConnection(connectionId, mute);
        announce();
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
        announce();
      }),
    takeOpened: notes.takeOpened,
    check: () => inTurn(() => checkAll(() => true)),
    async stop() {
      isStopped = true;
      stopBadge();
      watching.stop();
      // A check under way may wait for the engine, which ends next: what it finds is found again.
      await save();
    },
  };
}
