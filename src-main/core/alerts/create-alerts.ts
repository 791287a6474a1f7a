import { randomUUID } from 'node:crypto';
import { AppError } from '../../common/contract/errors.ts';
import type { Following } from '../../common/contract/operations/cache.ts';
import {
  isInboundOnly,
  isOnRecords,
  MAX_ALERT_RULES,
  toCritical,
  toEach,
  withValue,
  type AlertDraft,
  type AlertMute,
  type AlertRule,
  type AlertCondition,
} from '../../common/model/alerts/alert-rule.ts';
import type { AlertBoard, AlertNote, AlertOrigin, AlertRest } from '../../common/model/alerts/alert-state.ts';
import { listGroupFields, type GroupValue } from '../../common/model/analysis/grouping.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import { isTooLarge } from '../../common/query/filter-tree.ts';
import type { Words } from '../../common/words/words.ts';
import { createWorkQueue } from '../../node/gate.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Destinations } from '../destinations/create-destinations.ts';
import type { Events, Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { AlertBook } from './alert-book.ts';
import { createMinuteFindings } from './check-findings.ts';
import type { AlertSource } from './check-rule.ts';
import { judgeRules, watchChanges } from './judge-rules.ts';
import { createNoteSender } from './send-notes.ts';

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
  const inTurn = createWorkQueue();
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

/** How following a connection is going, as rests are called. */
const RESTS: Readonly<Record<Following['state'], AlertRest | null>> = {
  off: 'not-followed',
  starting: null,
  following: null,
  'catching-up': null,
  paused: 'paused',
  refused: 'refused',
  unreachable: 'unreachable',
  failing: 'failing',
};

/**
 * Returns why nothing new comes of a rule's connection; null where it does. What the service reports of its parts is
 * looked up whether records are followed or not.
 */
function findRest(
  { condition }: Pick<AlertRule, 'condition'>,
  { kind }: Pick<Connection, 'kind'>,
  following: Pick<Following, 'state'> | undefined,
): AlertRest | null {
  if (kind === 'imported') return 'imported';
  if (condition.kind === 'down' || following === undefined) return null;
  return RESTS[following.state];
}

/** What is shown of the rules: the board in the window, and the number of firing ones on the application's badge. */
interface ShownBoard {
  read(): AlertBoard;
  /** Minutes of a rule's last check that lacked records. */
  noteLacking(ruleId: string, minutes: number): void;
  /** When all that was due had been judged. */
  noteChecked(atMs: number): void;
  /** The system shows no notifications: from now on the badge has the number, whatever is set. */
  noteRefused(): void;
  /** Shows what has changed. */
  announce(): void;
  stop(): void;
}

/** Also follows the setting of the badge. */
function showBoard(options: {
  readonly book: Pick<AlertBook, 'toBoard'>;
  readonly host: Pick<Host, 'showBadge'>;
  readonly events: Pick<Events, 'emit' | 'on'>;
  readonly settings: { get(): Pick<Settings, 'alertBadge'> };
  findRest(rule: AlertRule): AlertRest | null;
  now(): number;
}): ShownBoard {
  const { book, host, events, settings, findRest, now } = options;
  const lackingOf = new Map<string, number>();
  let checkedAtMs: number | null = null;
  let isRefused = false;

  const read = (): AlertBoard => book.toBoard({ nowMs: now(), checkedAtMs, lackingOf, findRest });
  const showBadge = (): void => {
    const firing = read().rules.filter(({ state }) => state.firingSinceMs !== null);
    host.showBadge(settings.get().alertBadge || isRefused ? firing.length : 0);
  };
  const stopBadge = events.on('settings/changed', showBadge);
  const listRests = (): string => JSON.stringify(read().rules.map(({ state }) => state.rests));
  let shownRests = '';
  // Each turn of following says how it went; few of them change what is shown.
  const stopRests = events.on('following/changed', () => {
    if (listRests() !== shownRests) announce();
  });
  const announce = (): void => {
    shownRests = listRests();
    showBadge();
    events.emit('alerts/changed', read());
  };

  return {
    read,
    noteLacking: (ruleId, minutes) => void lackingOf.set(ruleId, minutes),
    noteChecked: (atMs) => {
      checkedAtMs = atMs;
    },
    noteRefused: () => {
      isRefused = true;
    },
    announce,
    stop: () => {
      stopBadge();
      stopRests();
    },
  };
}

/** A rule as it is to be, and who or what asks for it. */
interface SavedDraft {
  /** Null for a new rule. */
  readonly ruleId: string | null;
  /** Of a new rule that has one already, on another computer. */
  readonly newId?: string;
  readonly draft: AlertDraft;
  readonly origin: AlertOrigin;
}

/**
 * Makes a rule, or changes one, and notes it in the rule's log. Throws `alerts.not-found`, `alerts.too-many` for a new
 * rule beyond MAX_ALERT_RULES, and `app.invalid-input` for what can never fire, or not as it says: a measure or a field
 * that outbound requests don't have, a critical threshold that isn't beyond the other, a filter that is too long.
 */
async function saveDraft(
  book: Pick<AlertBook, 'getRule' | 'listRules' | 'saveRule' | 'forgetState' | 'addEntry'>,
  { ruleId, newId, draft, origin }: SavedDraft,
  nowMs: number,
): Promise<AlertRule> {
  const { condition } = draft;
  if (
    condition.kind === 'measure' &&
    condition.direction === 'outbound' &&
    isInboundOnly(condition.measure)
  ) {
    throw new AppError('app.invalid-input', 'Only inbound requests have a bot latency.', {
      field: 'direction',
    });
  }
  checkThresholds(condition);
  checkEach(condition);
  const known = ruleId === null ? null : book.getRule(ruleId);
  if (known === null && book.listRules().length >= MAX_ALERT_RULES) {
    throw new AppError('alerts.too-many', 'There are too many rules.', { limit: MAX_ALERT_RULES });
  }
  const rule: AlertRule = {
    ...draft,
    id: known?.id ?? newId ?? randomUUID(),
    name: draft.name.trim(),
    mute: known?.mute ?? null,
    // Values of another field are none of this one's.
    ...(known?.valueMutes === undefined || toEach(known.condition) !== toEach(condition)
      ? {}
      : { valueMutes: known.valueMutes }),
    madeAtMs: known?.madeAtMs ?? nowMs,
    savedAtMs: nowMs,
  };
  await book.saveRule(rule);
  const isOther = known !== null && JSON.stringify(known.condition) !== JSON.stringify(condition);
  const wasSwitched = known !== null && known.isActive !== rule.isActive;
  // What another condition found says nothing of this one; nobody looked while it was off.
  if (isOther || wasSwitched) book.forgetState(rule.id);
  const entry = { ruleId: rule.id, atMs: nowMs, notice: 'by-hand' as const, origin, condition };
  if (known === null) book.addEntry({ ...entry, kind: 'made' });
  else if (isOther) book.addEntry({ ...entry, kind: 'changed', before: known.condition });
  return rule;
}

function checkThresholds(condition: AlertCondition): void {
  const critical = toCritical(condition);
  if (condition.kind !== 'measure' || critical === undefined) return;
  const { comparison, threshold } = condition;
  if (comparison === 'above' ? critical > threshold : critical < threshold) return;
  throw new AppError('app.invalid-input', 'The critical threshold must be beyond the warning threshold.', {
    field: 'critical',
  });
}

function checkEach(condition: AlertCondition): void {
  if (!isOnRecords(condition) || condition.each === undefined) return;
  if (!listGroupFields(condition.direction).includes(condition.each)) {
    throw new AppError('app.invalid-input', 'Requests of this direction do not have the field.', {
      field: 'each',
    });
  }
  const own = withValue(condition, null);
  if (isOnRecords(own) && isTooLarge(own.filter)) {
    throw new AppError('app.invalid-input', 'The filter has too many conditions.', { field: 'filter' });
  }
}
