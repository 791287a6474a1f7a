const MIN_SECONDS_FORM_MS = 100_000;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Created once: a scroll formats hundreds of numbers, and a format costs more to create than to use. */
const COUNT_FORMATS: readonly Intl.NumberFormat[] = [0, 1, 2, 3].map(
  (digits) =>
    new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);

/** A number with thousands separators: `412,331`. */
export function formatCount(value: number, digits = 0): string {
  return COUNT_FORMATS[digits]?.format(value) ?? value.toFixed(digits);
}

/** A number as it was given, with thousands separators: `1,000.5`; of a fraction at most three digits are shown. */
export function formatMeasure(value: number): string {
  return formatCount(value, 3).replace(/\.?0+$/, '');
}

/** A measured time: milliseconds up to five digits, then seconds. */
export function formatDuration(durationMs: number): string {
  const rounded = Math.round(durationMs);
  if (Math.abs(rounded) < MIN_SECONDS_FORM_MS) return `${formatCount(rounded)} ms`;
  return `${formatCount(durationMs / SECOND_MS, 1)} s`;
}

/** A share from 0 to 1 as a percentage; a share that is not zero never reads as zero. */
export function formatPercent(share: number, digits = 1): string {
  const percent = share * 100;
  const smallest = 10 ** -digits;
  if (percent > 0 && percent < smallest / 2) return `<${smallest.toFixed(digits)}%`;
  if (percent < 100 && percent > 100 - smallest / 2) return `>${(100 - smallest).toFixed(digits)}%`;
  return `${percent.toFixed(digits)}%`;
}

/** A size in decimal units, as disks are sold: `386 MB`, `4.6 GB`. */
export function formatBytes(sizeBytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = sizeBytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${formatCount(value, digits)} ${units[unit] ?? 'B'}`;
}

/** Units a second: `41,200/s`; below ten with one digit. */
export function formatRate(perSecond: number): string {
  return `${formatCount(perSecond, perSecond > 0 && perSecond < 9.95 ? 1 : 0)}/s`;
}

/** A span of time in its two largest units: `7 s`, `5 min 20 s`, `9 h 24 min`, `3 d 4 h`. */
export function formatSpan(spanMs: number): string {
  const span = Math.max(0, spanMs);
  if (span < MINUTE_MS) return `${Math.floor(span / SECOND_MS)} s`;
  if (span < HOUR_MS) return joinUnits(span, MINUTE_MS, 'min', SECOND_MS, 's');
  if (span < DAY_MS) return joinUnits(span, HOUR_MS, 'h', MINUTE_MS, 'min');
  return joinUnits(span, DAY_MS, 'd', HOUR_MS, 'h');
}

/** How old something is, in its largest unit: `12 s`, `5 min`, `3 h`, `2 d`. Future times count as now. */
export function formatAge(thenMs: number, nowMs: number): string {
  const age = Math.max(0, nowMs - thenMs);
  if (age < MINUTE_MS) return `${Math.floor(age / SECOND_MS)} s`;
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h`;
  return `${Math.floor(age / DAY_MS)} d`;
}

function joinUnits(span: number, largeMs: number, large: string, smallMs: number, small: string): string {
  const whole = Math.floor(span / largeMs);
  const rest = Math.floor((span - whole * largeMs) / smallMs);
  return rest === 0 ? `${whole} ${large}` : `${whole} ${large} ${rest} ${small}`;
}
