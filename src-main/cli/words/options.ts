import { findNamed, type ValueName } from '../../common/model/records/body-path.ts';
import type { RecordFilter } from '../../common/model/records/record-filter.ts';
import { parseQuery } from '../../common/query/parse-query.ts';
import { createQueryClock } from '../../common/query/query-values.ts';
import {
  civilToUtcMs,
  fromCivilTime,
  isRealCivilTime,
  isTimeZone,
  toCivilTime,
  utcMsToCivil,
} from '../../common/time/civil-time.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { type CommandContext, type OptionSpec, toUsageError } from './command.ts';

const ZONE_OPTION: OptionSpec = {
  name: 'zone',
  value: 'ZONE',
  summary: "time zone of input and output (default: the connection's)",
};

export const PERIOD_OPTIONS: readonly OptionSpec[] = [
  { name: 'from', value: 'TIME', summary: 'beginning: 2026-11-20, 2026-11-20T10:15Z, yesterday, now-24h' },
  { name: 'to', value: 'TIME', summary: 'end, itself not included: today, now, 2026-11-21T00:00:00+01:00' },
  ZONE_OPTION,
];

/** A span at whole seconds, with the zone that it was written in. */
export interface GivenPeriod {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly zone: string;
}

/** Reads `--zone`; the zone of the connection's service where it is left out. */
export function readZone({ args }: Pick<CommandContext, 'args'>, serviceZone: string): string {
  const zone = args.find('zone') ?? serviceZone;
  if (!isTimeZone(zone)) throw toUsageError(`--zone: "${zone}" is no time zone.`, '');
  return zone;
}

/** Reads `--from` and `--to`. */
export function readPeriod(context: Pick<CommandContext, 'args' | 'now'>, serviceZone: string): GivenPeriod {
  const zone = readZone(context, serviceZone);
  const nowMs = context.now();
  const read = (name: string): number => {
    const text = context.args.require(name);
    const atMs = readMoment(text, zone, nowMs);
    if (atMs !== null) return atMs;
    throw toUsageError(`--${name}: "${text}" is no time.`, 'Write 2026-11-20, 2026-11-20T10:15Z or now-24h.');
  };
  const [fromMs, toMs] = [read('from'), read('to')];
  if (toMs <= fromMs) throw toUsageError('--to must be later than --from.', '');
  return { fromMs, toMs, zone };
}

const RELATIVE = /^(now|today|yesterday|tomorrow)(?:([+-])(\d{1,6})([smhdw]))?$/;
const OFFSET = /^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([+-]\d{2}):?(\d{2})$/;
const SHIFT_DAYS: Readonly<Record<string, number>> = { today: 0, yesterday: -1, tomorrow: 1 };
const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const UNIT_DAYS: Readonly<Record<string, number>> = { d: 1, w: 7 };

/**
 * Returns the instant, at a whole second, of a moment as a person writes it: ISO 8601 (`2026-11-20`,
 * `2026-11-20T10:15Z`, `2026-11-20T10:15+01:00`) or relative to the clock (`yesterday`, `now-24h`, `today-7d`). Where it
 * names no offset it is read in the zone. Null for anything else.
 */
export function readMoment(text: string, zone: string, nowMs: number): number | null {
  const written = text.trim();
  const relative = RELATIVE.exec(written);
  const found = relative === null ? readWritten(written, zone) : readRelative(relative, zone, nowMs);
  return found === null ? null : Math.floor(found / 1_000) * 1_000;
}

function readWritten(text: string, zone: string): number | null {
  const offset = OFFSET.exec(text);
  if (offset === null) return createQueryClock(zone).read(text);
  const [, civil = '', hours = '', minutes = ''] = offset;
  const atMs = createQueryClock('UTC').read(civil.replace(/(\.\d{3})\d+$/, '$1'));
  const shift = Math.abs(Number(hours)) * 60 + Number(minutes);
  if (atMs === null || Number(minutes) > 59 || shift > 24 * 60) return null;
  return atMs - (hours.startsWith('-') ? -shift : shift) * 60_000;
}

function readRelative(
  [, word = '', sign = '', amount = '0', unit = 's']: RegExpExecArray,
  zone: string,
  nowMs: number,
): number | null {
  const steps = Number(amount) * (sign === '-' ? -1 : 1);
  const base = word === 'now' ? nowMs : toMidnight(nowMs, zone, SHIFT_DAYS[word] ?? 0);
  const unitMs = UNITS_MS[unit];
  return unitMs === undefined ? shiftDays(base, zone, steps * (UNIT_DAYS[unit] ?? 1)) : base + steps * unitMs;
}

function toMidnight(atMs: number, zone: string, days: number): number {
  const civil = { ...toCivilTime(atMs, zone), hour: 0, minute: 0, second: 0, millisecond: 0 };
  return fromCivilTime(utcMsToCivil(civilToUtcMs(civil) + days * DAY_MS), zone);
}

/** Days of the calendar: the clock's time stays where a day has 23 or 25 hours. */
function shiftDays(atMs: number, zone: string, days: number): number | null {
  const civil = utcMsToCivil(civilToUtcMs(toCivilTime(atMs, zone)) + days * DAY_MS);
  return isRealCivilTime(civil) ? fromCivilTime(civil, zone) : null;
}

export const QUERY_OPTION: OptionSpec = {
  name: 'query',
  value: 'QUERY',
  summary: 'only matching records, as in the window: "code:>=500"',
};

/** Reads `--query`; without it, a filter that every record meets. */
export function readQuery(
  { args }: Pick<CommandContext, 'args'>,
  zone: string,
  names: readonly ValueName[],
): RecordFilter {
  const query = args.find('query');
  if (query === null) return { conditions: [] };
  const { filter, error, hint } = parseQuery(query, createQueryClock(zone), (field, text) =>
    findNamed(names, field, text),
  );
  const [offer] = (error ?? hint)?.offers ?? [];
  const meant =
    offer === undefined ? '' : ` Write ${query.slice(0, offer.from)}${offer.text}${query.slice(offer.to)}?`;
  if (error !== null) {
    const words = error.fault.replaceAll('-', ' ');
    throw toUsageError(`--query: ${words} at character ${error.from + 1}: "${error.text}".${meant}`, '');
  }
  // Nobody sees here that what was meant to join conditions is searched for.
  if (hint?.kind === 'operator' || hint?.kind === 'comparison')
    throw toUsageError(`--query: "${hint.text}" would be searched as text.${meant}`, '');
  return filter;
}
