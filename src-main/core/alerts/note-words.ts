import {
  isHitMeasure,
  type AlertCondition,
  type MeasureCondition,
} from '../../common/model/alerts/alert-rule.ts';
import { MINUTE_MS, SECOND_MS } from '../../common/time/durations.ts';
import type { Words } from '../../common/words/words.ts';
import type { Turn } from './evaluate/judge-minutes.ts';

const HOUR_MINUTES = 60;

/** Returns what a notification says under its title: what was measured, or how long it lasted, and of which connection. */
export function writeNote(
  words: Words,
  condition: AlertCondition,
  turn: Turn,
  connectionName: string,
): string {
  const said =
    turn.kind === 'fired' ? writeFired(words, condition, turn) : writeEnded(words, condition, turn);
  return connectionName === '' ? said : `${said} ${connectionName}.`;
}

function writeFired(words: Words, condition: AlertCondition, { figures }: Turn): string {
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

function writeMeasured(words: Words, condition: MeasureCondition, { hits, total }: Turn['figures']): string {
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

function writeEnded(words: Words, condition: AlertCondition, { atMs, sinceMs, figures }: Turn): string {
  const span = words.formats.formatSpan(Math.round((atMs - sinceMs) / MINUTE_MS) * MINUTE_MS);
  if (condition.kind === 'measure' && condition.measure === 'error-share') {
    const share = writeShare(words, figures.peak);
    return words.t(`notes.lastedPeak.${condition.comparison}`, { span, share });
  }
  return words.t('notes.lasted', { span });
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
