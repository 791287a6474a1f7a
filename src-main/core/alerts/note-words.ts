import {
  atLevel,
  isCounted,
  isHitMeasure,
  toEach,
  type AlertCondition,
  type AlertRule,
  type MinuteCondition,
  type MeasureCondition,
} from '../../common/model/alerts/alert-rule.ts';
import { MINUTE_MS, SECOND_MS } from '../../common/time/durations.ts';
import type { Words } from '../../common/words/words.ts';
import { createFindingSentences, type FindingSentences } from '../../common/words/finding-words.ts';
import { toVisible } from '../../common/words/visible-text.ts';
import type { ToldFinding } from '../../common/model/analysis/finding.ts';
import type { GroupValue } from '../../common/model/analysis/grouping.ts';
import type { ValueName } from '../../common/model/records/value-name.ts';
import { toNamedText } from '../exports/report/sections/value-names.ts';
import type { LevelTurn } from './evaluate/judge-levels.ts';

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
export function writeTitle(words: Words, name: string, { kind, level }: LevelTurn): string {
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
