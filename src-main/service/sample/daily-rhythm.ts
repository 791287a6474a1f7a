/** Traffic by hour of the day in UTC: quiet nights, a peak before and one after lunch. */
const HOUR_WEIGHTS = [
  9, 6, 5, 4, 5, 9, 18, 34, 58, 82, 96, 100, 88, 84, 94, 97, 90, 78, 64, 54, 44, 34, 24, 15,
] as const;

/** Sunday first. */
const WEEKDAY_WEIGHTS = [0.42, 1.08, 1.05, 1, 1.02, 0.96, 0.55] as const;

const HOUR_MS = 3_600_000;

/** Relative traffic at an instant, smooth between the hours. */
export function weighTraffic(epochMs: number): number {
  const date = new Date(epochMs);
  const hour = date.getUTCHours();
  const share = (epochMs % HOUR_MS) / HOUR_MS;
  const here = HOUR_WEIGHTS[hour] ?? 0;
  const next = HOUR_WEIGHTS[(hour + 1) % 24] ?? 0;
  return (here + (next - here) * share) * (WEEKDAY_WEIGHTS[date.getUTCDay()] ?? 1);
}
