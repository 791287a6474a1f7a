import type { DateFormats } from './dates.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/durations.ts';
import type { TimeSpan } from '../time/time-span.ts';
import { toCivilTime, toOffsetMs } from '../time/time-zones.ts';

const STEPS_MS: readonly number[] = [
  1_000,
  5_000,
  15_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  2 * DAY_MS,
  7 * DAY_MS,
  14 * DAY_MS,
  28 * DAY_MS,
];
/** From this step on a day without its year would be ambiguous; from that one on only the year counts. */
const MONTHS_STEP_MS = 28 * DAY_MS;
const YEARS_STEP_MS = 364 * DAY_MS;

interface TimeTick {
  readonly atMs: number;
  readonly label: string;
}

/** How ticks of a step are labelled; midnight is told apart. */
function chooseLabel(
  stepMs: number,
  zone: string,
  formats: DateFormats,
): (atMs: number, isMidnight: boolean) => string {
  if (stepMs >= YEARS_STEP_MS) return (atMs) => String(toCivilTime(atMs, zone).year);
  if (stepMs >= MONTHS_STEP_MS) {
    return (atMs) => {
      const { month, year } = toCivilTime(atMs, zone);
      return formats.formatMonth(month, year);
    };
  }
  const formatTime = stepMs < MINUTE_MS ? formats.formatClockSeconds : formats.formatClock;
  return (atMs, isMidnight) => (isMidnight ? formats.formatDay(atMs, zone) : formatTime(atMs, zone));
}

/** Ticks at round times of the zone, at most `maxTicks`; midnight shows its day instead of 00:00. */
export function toTimeTicks(
  { fromMs, toMs }: TimeSpan,
  zone: string,
  maxTicks: number,
  formats: DateFormats,
): readonly TimeTick[] {
  const spanMs = toMs - fromMs;
  if (!(spanMs > 0) || maxTicks < 1) return [];
  const stepMs =
    STEPS_MS.find((step) => spanMs / step <= maxTicks) ?? Math.ceil(spanMs / maxTicks / DAY_MS) * DAY_MS;
  const toLabel = chooseLabel(stepMs, zone, formats);
  const ticks: TimeTick[] = [];
  let localMs = Math.ceil((fromMs + toOffsetMs(fromMs, zone)) / stepMs) * stepMs;
  for (;;) {
    const atMs = localMs - toOffsetMs(localMs - toOffsetMs(localMs, zone), zone);
    if (atMs > toMs || ticks.length > maxTicks) return ticks;
    const isMidnight = localMs % DAY_MS === 0;
    if (atMs >= fromMs) ticks.push({ atMs, label: toLabel(atMs, isMidnight) });
    localMs += stepMs;
  }
}
