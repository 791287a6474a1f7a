import { randomUUID } from 'node:crypto';
import type { Emit } from '../../common/contract/index.ts';
import {
  type AlertCondition,
  type AlertRule,
  atLevel,
  isCounted,
  isHitMeasure,
  type MeasureCondition,
  type MinuteCondition,
  toEach,
} from '../../common/model/alerts/alert-rule.ts';
import type { AlertNote, AlertNotice } from '../../common/model/alerts/alert-state.ts';
import type { ToldFinding } from '../../common/model/analysis/finding.ts';
import type { GroupValue } from '../../common/model/analysis/grouping.ts';
import type { ValueName } from '../../common/model/records/body-path.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import { MINUTE_MS, SECOND_MS } from '../../common/time/durations.ts';
import { createFindingSentences, type FindingSentences } from '../../common/words/finding-words.ts';
import { toVisible } from '../../common/words/visible-text.ts';
import type { Words } from '../../common/words/words.ts';
import type { Destinations, OutgoingAlert } from '../destinations/create-destinations.ts';
import { toNamedText } from '../exports/report/report-content.ts';
import type { Host, ShownNote } from '../host.ts';
import type { AlertBook, RuleMemory } from './alert-book.ts';
import type { LevelTurn } from './judge-levels.ts';

/** More notifications than this at once are joined into one. */
const MAX_AT_ONCE = 3;

/** A note that waits for the others of its round. */
export interface PendingNote {
  readonly note: Omit<AlertNote, 'id'>;
  /** Says what became of it. */
  readonly settle: (notice: AlertNotice, noteId: string) => void;
}

interface NoteSender {
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

const HOUR_MINUTES = 60;
/** The kind of an error can be a whole text. */
const MAX_VALUE_CHARACTERS = 80;

/** What notes say of a connection. */
export interface NotedConnection {
  readonly name: string;
  readonly valueNames: readonly ValueName[];
  /** That of its service. */
  readonly zone: string;
}

/** Returns what a notification of any rule says under its title; of a rule on findings, of one of them. */
export function writeTurn(
  words: Words,
  {
    condition,
    finding,
    connection,
  }: {
    readonly condition: AlertCondition;
    readonly finding: ToldFinding | undefined;
    readonly connection: NotedConnection;
  },
  turn: LevelTurn,
  connectionName: string,
): string {
  if (condition.kind !== 'finding') return writeNote(words, condition, turn, connectionName);
  if (finding === undefined) return connectionName;
  const { zone, valueNames } = connection;
  const { toDetail, toDirections } = speakOfFindings(words, valueNames);
  const { formatDay, formatClock } = words.formats;
  const time = `${formatDay(turn.sinceMs, zone)} ${formatClock(turn.sinceMs, zone)} (${zone})`;
  const since = words.t('findings.when.sinceIn', { time, direction: toDirections(finding) });
  const said = turn.kind === 'ended' ? writeLasted(words, turn) : `${toDetail(finding)}.`;
  return [said, `${since}.`, ...(connectionName === '' ? [] : [`${connectionName}.`])].join(' ');
}

function speakOfFindings(words: Words, valueNames: readonly ValueName[]): FindingSentences {
  const toText: Parameters<typeof createFindingSentences>[0]['toText'] = (field, value) =>
    toNamedText(valueNames, field, value);
  return createFindingSentences({ t: words.t, formats: words.formats, toText });
}

/** Returns what a notification says under its title: what was measured, or how long it lasted, and of which connection. */
export function writeNote(
  words: Words,
  condition: MinuteCondition,
  turn: LevelTurn,
  connectionName: string,
): string {
  const said =
    turn.kind === 'ended'
      ? writeEnded(words, condition, turn)
      : turn.kind === 'lowered'
        ? writeLowered(words, condition)
        : writeFired(words, atLevel(condition, turn.level), turn);
  return connectionName === '' ? said : `${said} ${connectionName}.`;
}

/** Returns the title of a notification: what it is of, and what became of it. */
function writeTitle(words: Words, name: string, { kind, level }: LevelTurn): string {
  if (kind === 'ended') return words.t('notes.ended', { name });
  if (level === null) return name;
  return words.t(kind === 'lowered' ? 'notes.levels.lowered' : `notes.levels.${level}`, { name });
}

/** Returns the name of a rule with the value or finding that is meant; by itself where it watches all records together. */
export function nameValue(
  words: Words,
  { name, condition }: Pick<AlertRule, 'name' | 'condition'>,
  { value, finding }: { readonly value: GroupValue | undefined; readonly finding?: ToldFinding | undefined },
  valueNames: readonly ValueName[],
): string {
  if (finding !== undefined) {
    return words.t('notes.valueOf', { name, value: speakOfFindings(words, valueNames).toTitle(finding) });
  }
  const each = toEach(condition);
  if (each === undefined || value === undefined) return name;
  if (value === null) return words.t('notes.valueOf', { name, value: words.t(`notes.noValue.${each}`) });
  const own = valueNames.find((one) => one.field === each && one.value === String(value));
  const text = toVisible(String(value));
  const cut = text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
  const shown = own === undefined ? cut : `${own.name} ${value}`;
  return words.t('notes.valueOf', { name, value: words.t(`notes.values.${each}`, { value: shown }) });
}

function writeLowered(words: Words, condition: MinuteCondition): string {
  const limit = writeLimit(words, condition);
  return words.t(
    condition.kind === 'measure' && condition.comparison === 'below' ? 'notes.backAbove' : 'notes.backBelow',
    { limit },
  );
}

function writeLimit(words: Words, condition: MinuteCondition): string {
  if (condition.kind !== 'measure') return '';
  const { measure, threshold, critical = threshold } = condition;
  if (measure === 'error-share') return writeShare(words, critical);
  return isCounted(measure) ? writeNumber(words, critical) : writeTime(words, critical);
}

function writeFired(words: Words, condition: MinuteCondition, { figures }: LevelTurn): string {
  const minutes = writeMinutes(words, condition.minutes);
  switch (condition.kind) {
    case 'down':
      return words.t(`notes.down.${condition.part}`, { minutes });
    case 'silence':
      return words.t(`notes.silence.${condition.direction}`, { minutes });
    case 'new-family':
      return words.t('notes.newFamily', { count: writeNumber(words, figures.hits) }, figures.hits);
    case 'measure':
      return writeMeasured(words, condition, figures);
  }
}

function writeMeasured(
  words: Words,
  condition: MeasureCondition,
  { hits, total }: LevelTurn['figures'],
): string {
  const { measure, comparison, threshold } = condition;
  const minutes = writeMinutes(words, condition.minutes);
  const requests = words.t('notes.requests', { count: writeNumber(words, total) }, total);
  if (measure === 'volume') {
    const limit = writeNumber(words, threshold);
    return words.t(`notes.volume.${comparison}`, { requests, minutes, limit });
  }
  if (isHitMeasure(measure)) {
    const count = writeNumber(words, hits);
    const who = words.t(`notes.${measure === 'failed-sessions' ? 'sessions' : 'clients'}`, { count }, hits);
    return words.t(`notes.hit.${comparison}`, { who, minutes, limit: writeNumber(words, threshold) });
  }
  const values = { minutes, requests, hits: writeNumber(words, hits) };
  if (measure === 'error-share') {
    const share = writeShare(words, total === 0 ? 0 : hits / total);
    return words.t('notes.errorShare', { ...values, share });
  }
  return words.t(`notes.slower.${comparison}`, {
    ...values,
    measure: words.t(`notes.measures.${measure}`),
    limit: writeTime(words, threshold),
  });
}

function writeEnded(words: Words, condition: MinuteCondition, turn: LevelTurn): string {
  if (condition.kind === 'measure' && condition.measure === 'error-share') {
    const share = writeShare(words, turn.figures.peak);
    return words.t(`notes.lastedPeak.${condition.comparison}`, { span: writeSpan(words, turn), share });
  }
  return writeLasted(words, turn);
}

function writeLasted(words: Words, turn: LevelTurn): string {
  return words.t('notes.lasted', { span: writeSpan(words, turn) });
}

function writeSpan({ formats }: Words, { atMs, sinceMs }: LevelTurn): string {
  return formats.formatSpan(Math.round((atMs - sinceMs) / MINUTE_MS) * MINUTE_MS);
}

/** With one decimal where it is not zero. */
function writeNumber({ formats }: Words, value: number): string {
  return formats.formatMeasure(Math.round(value * 10) / 10);
}

function writeShare({ formats }: Words, share: number): string {
  const tenths = Math.round(share * 1000);
  return formats.formatRoundPercent(tenths / 1000, tenths % 10 === 0 ? 0 : 1);
}

/** In hours where they are whole, as a rule is written. */
function writeMinutes(words: Words, minutes: number): string {
  const isWhole = minutes % HOUR_MINUTES === 0;
  const count = isWhole ? minutes / HOUR_MINUTES : minutes;
  return words.t(isWhole ? 'notes.hours' : 'notes.minutes', { count: writeNumber(words, count) }, count);
}

function writeTime(words: Words, timeMs: number): string {
  return timeMs < SECOND_MS
    ? `${writeNumber(words, timeMs)} ms`
    : `${writeNumber(words, timeMs / SECOND_MS)} s`;
}
