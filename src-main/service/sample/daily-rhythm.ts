/**
 * Traffic by hour of the day in UTC: a peak before and one after lunch, and nights that stay at a fifth of
 * it, as customers in other zones are awake then.
 */
const HOUR_WEIGHTS = [
  24, 22, 20, 19, 20, 23, 31, 44, 64, 84, 97, 100, 89, 86, 95, 98, 91, 80, 67, 58, 49, 41, 34, 28,
] as const;
const PEAK_WEIGHT = 100;

/** Sunday first. */
const WEEKDAY_WEIGHTS = [0.55, 1.08, 1.05, 1, 1.02, 0.96, 0.62] as const;

const HOUR_MS = 3_600_000;

/** Relative traffic at an instant by day of the week and hour, smooth between the hours. */
export function weighTraffic(epochMs: number): number {
  return weighHour(epochMs) * (WEEKDAY_WEIGHTS[new Date(epochMs).getUTCDay()] ?? 1);
}

/** Traffic at an instant as a share of the day's peak, 0 to 1. */
export function toPeakShare(epochMs: number): number {
  return weighHour(epochMs) / PEAK_WEIGHT;
}

function weighHour(epochMs: number): number {
  const hour = new Date(epochMs).getUTCHours();
  const share = (epochMs % HOUR_MS) / HOUR_MS;
  const here = HOUR_WEIGHTS[hour] ?? 0;
  const next = HOUR_WEIGHTS[(hour + 1) % 24] ?? 0;
  return here + (next - here) * share;
}
