import { civilToUtcMs, LAST_DATE_MS, utcMsToCivil, type CivilTime } from './civil-time.ts';
import { DAY_MS, MINUTE_MS } from './durations.ts';

/** 2 January of the year 1 in UTC: in no zone a day of the year before. */
const YEAR_ONE_MS = -62_135_510_400_000;
/** The runtime knows no instant beyond the limits of a Date, though days around one may be asked for. */
const LAST_KNOWN_MS = LAST_DATE_MS - 2 * DAY_MS;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}

/** True for an IANA zone name or a fixed offset such as `-05:00` that this runtime knows. */
export function isTimeZone(zone: string): boolean {
  // A format takes 30 ms of a start; the list of zones has no other names of one, and no offsets.
  if (zone === 'UTC' || Intl.supportedValuesOf('timeZone').includes(zone)) return true;
  try {
    formatFor(zone);
    return true;
  } catch {
    return false;
  }
}

/** The civil time that a clock in the zone shows at this instant. Throws RangeError for an unknown zone. */
export function toCivilTime(epochMs: number, zone: string): CivilTime {
  if (zone === 'UTC') return utcMsToCivil(epochMs);
  // The runtime counts the years before 1 backwards, without a sign.
  if (epochMs < YEAR_ONE_MS) return utcMsToCivil(epochMs + toOffsetMs(YEAR_ONE_MS, zone));
  if (epochMs > LAST_KNOWN_MS) return utcMsToCivil(epochMs + toOffsetMs(LAST_KNOWN_MS, zone));
  const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const part of formatFor(zone).formatToParts(epochMs)) {
    if (part.type in parts) parts[part.type as keyof typeof parts] = Number(part.value);
  }
  return { ...parts, millisecond: ((epochMs % 1000) + 1000) % 1000 };
}

/** Offset of the zone from UTC at an instant, in milliseconds; east is positive. */
export function toOffsetMs(epochMs: number, zone: string): number {
  return zone === 'UTC' ? 0 : civilToUtcMs(toCivilTime(epochMs, zone)) - epochMs;
}

/**
 * The instant at which a clock in the zone shows this civil time. Where the clock shows it twice, the
 * earlier instant; where it never does (spring forward), the instant as if the clock had not been moved.
 */
export function fromCivilTime(civil: CivilTime, zone: string): number {
  const asUtc = civilToUtcMs(civil);
  if (zone === 'UTC') return asUtc;
  const before = toOffsetMs(asUtc - DAY_MS, zone);
  const after = toOffsetMs(asUtc + DAY_MS, zone);
  const candidates = [asUtc - before, asUtc - after].filter((at) => at + toOffsetMs(at, zone) === asUtc);
  return candidates.length > 0 ? Math.min(...candidates) : asUtc - before;
}

/** The instants at which the clock in the zone shows what it shows at this one, in order: two where it was set back over it. */
export function listInstants(epochMs: number, zone: string): number[] {
  if (zone === 'UTC') return [epochMs];
  const offset = toOffsetMs(epochMs, zone);
  const others = [epochMs - DAY_MS, epochMs + DAY_MS].flatMap((nearMs) => {
    // The instant that would be shown the same with the offset of the day before or after.
    const otherMs = epochMs + offset - toOffsetMs(nearMs, zone);
    return otherMs !== epochMs && otherMs + toOffsetMs(otherMs, zone) === epochMs + offset ? [otherMs] : [];
  });
  return [...new Set([epochMs, ...others])].sort((a, b) => a - b);
}

/** True when the clock in the zone was set back over this instant: it shows the same civil time twice. */
export function isShownTwice(epochMs: number, zone: string): boolean {
  return listInstants(epochMs, zone).length > 1;
}

/** The offset as people write it: `UTC`, `UTC−05:00`, `UTC+05:45`. */
export function toOffsetLabel(epochMs: number, zone: string): string {
  const minutes = Math.round(toOffsetMs(epochMs, zone) / MINUTE_MS);
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  const hours = String(Math.floor(size / 60)).padStart(2, '0');
  return `UTC${minutes < 0 ? '−' : '+'}${hours}:${String(size % 60).padStart(2, '0')}`;
}

/** Spans of more days than this are looked at in longer steps. */
const MAX_STEPS = 20_000;

/** How far a zone's clock is ahead of UTC from an instant on. */
export interface ZoneOffset {
  readonly fromMs: number;
  readonly offsetMs: number;
}

/**
 * Returns the offsets of a zone in [fromMs, toMs), the first one from `fromMs` on, each change to the millisecond. A
 * change that is undone within a day is not seen; of spans beyond 50 years, one that is undone within weeks or months.
 */
export function listZoneOffsets(fromMs: number, toMs: number, zone: string): ZoneOffset[] {
  const offsets: ZoneOffset[] = [{ fromMs, offsetMs: toOffsetMs(fromMs, zone) }];
  const stepMs = Math.max(DAY_MS, Math.ceil((toMs - fromMs) / MAX_STEPS));
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs) {
    const nextMs = Math.min(atMs + stepMs, toMs);
    const offsetMs = toOffsetMs(nextMs, zone);
    if (offsetMs !== offsets.at(-1)?.offsetMs)
      offsets.push({ fromMs: findChange(atMs, nextMs, zone), offsetMs });
  }
  return offsets;
}

/** The first instant of (fromMs, toMs] with the offset that `toMs` has. */
function findChange(fromMs: number, toMs: number, zone: string): number {
  const offsetMs = toOffsetMs(toMs, zone);
  let [before, after] = [fromMs, toMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (toOffsetMs(middle, zone) === offsetMs) after = middle;
    else before = middle;
  }
  return after;
}
