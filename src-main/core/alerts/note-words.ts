import {
  SLOWER_SHARES,
  type AlertCondition,
  type AlertMeasure,
  type MeasureCondition,
} from '../../common/model/alerts/alert-rule.ts';
import type { Turn } from './evaluate/judge-minutes.ts';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 1440;
const NUMBERS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

const TIME_NAMES: Readonly<Partial<Record<AlertMeasure, string>>> = {
  median: 'Median response time',
  p90: '90th percentile of response time',
  p95: '95th percentile of response time',
  p99: '99th percentile of response time',
};

/** Returns what a notification says under its title: what was measured, or how long it lasted, and of which connection. */
export function writeNote(condition: AlertCondition, turn: Turn, connectionName: string): string {
  const words = turn.kind === 'fired' ? writeFired(condition, turn) : writeEnded(condition, turn);
  return connectionName === '' ? words : `${words} ${connectionName}.`;
}

/** Returns a time in its two largest units: `1 h 6 min`. */
function writeSpan(spanMs: number): string {
  const minutes = Math.round(spanMs / MINUTE_MS);
  if (minutes < HOUR_MINUTES) return `${minutes} min`;
  if (minutes < DAY_MINUTES) {
    return joinUnits(Math.floor(minutes / HOUR_MINUTES), 'h', minutes % HOUR_MINUTES, 'min');
  }
  const hours = Math.floor((minutes % DAY_MINUTES) / HOUR_MINUTES);
  return joinUnits(Math.floor(minutes / DAY_MINUTES), 'd', hours, 'h');
}

function joinUnits(large: number, largeName: string, small: number, smallName: string): string {
  return small === 0 ? `${large} ${largeName}` : `${large} ${largeName} ${small} ${smallName}`;
}

function writeFired(condition: AlertCondition, { figures }: Turn): string {
  const { hits, total } = figures;
  const minutes = writeMinutes(condition.minutes);
  switch (condition.kind) {
    case 'down':
      return `${condition.part === 'platform' ? 'Platform' : 'Connector'} reported down for ${minutes}.`;
    case 'silence':
      return `Nothing received ${condition.direction} for ${minutes}.`;
    case 'new-family':
      return hits === 1
        ? 'An error of a kind that no cached record had before.'
        : `${writeNumber(hits)} kinds of errors that no cached record had before.`;
    case 'measure':
      return writeMeasured(condition, hits, total, minutes);
  }
}

function writeMeasured(condition: MeasureCondition, hits: number, total: number, minutes: string): string {
  const { measure, comparison, threshold } = condition;
  if (measure === 'volume') {
    const limit = `${comparison === 'above' ? 'more' : 'fewer'} than ${writeNumber(threshold)}`;
    return `${writeCount(total)} in ${minutes}, ${limit}.`;
  }
  if (SLOWER_SHARES[measure] === undefined) {
    const share = total === 0 ? 0 : hits / total;
    return `Error share ${writeNumber(share * 100)}% for ${minutes}, ${writeNumber(hits)} of ${writeCount(total)}.`;
  }
  const what = `${TIME_NAMES[measure] ?? ''} ${comparison} ${writeTime(threshold)} for ${minutes}`;
  return `${what}: ${writeNumber(hits)} of ${writeCount(total)} took longer.`;
}

function writeEnded(condition: AlertCondition, { atMs, sinceMs, figures }: Turn): string {
  const lasted = `It lasted ${writeSpan(atMs - sinceMs)}`;
  if (condition.kind === 'measure' && condition.measure === 'error-share') {
    const word = condition.comparison === 'above' ? 'highest' : 'lowest';
    return `${lasted}, ${word} ${writeNumber(figures.peak * 100)}%.`;
  }
  return `${lasted}.`;
}

function writeNumber(value: number): string {
  return NUMBERS.format(value);
}

function writeCount(count: number): string {
  return count === 1 ? '1 request' : `${writeNumber(count)} requests`;
}

/** In hours where they are whole, as a rule is written. */
function writeMinutes(minutes: number): string {
  const [count, unit] = minutes % HOUR_MINUTES === 0 ? [minutes / HOUR_MINUTES, 'hour'] : [minutes, 'minute'];
  return count === 1 ? `1 ${unit}` : `${writeNumber(count)} ${unit}s`;
}

function writeTime(timeMs: number): string {
  return timeMs < 1000 ? `${writeNumber(timeMs)} ms` : `${writeNumber(timeMs / 1000)} s`;
}
