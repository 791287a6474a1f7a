const DAY_HOURS = 24;
/** Hours on either side of an hour that show how busy its day is. */
const AROUND = 2;
/** With fewer hours than this, nothing is measured. */
const MIN_HOURS = 24;
/** This share of the hours, the most unusual ones, is left out: what stood out is not usual. */
const LEFT_OUT = 0.08;
/** An hour with fewer expected requests than this is left out. */
const LEAST_MEAN = 0.1;
/** An hour counts if at least this share of it is cached. */
const MIN_COVERED = 0.95;
/** The expected number varies too, since it follows from few other hours; this factor takes that out. */
const OF_EXPECTED = 1.3;

/**
 * Returns how much more than by chance the requests of hours vary: 1 for requests that come independently; for those
 * of sessions, which come together, about the number of requests in a session. An hour is compared with the same hour
 * of other days and with the hours around it, so that neither the time of day nor a busier day counts. `requests` and
 * `covered` (shares of 0 to 1) have a value for each hour. Returns 1 with too few hours.
 */
export function measureDispersion(requests: Float64Array, covered: Float64Array): number {
  const isCovered = (hour: number): boolean => (covered[hour] ?? 0) >= MIN_COVERED;
  const usual = Float64Array.from(requests, (_, hour) => toUsual(requests, isCovered, hour));
  const hours: { readonly squared: number; readonly mean: number }[] = [];
  for (let hour = 0; hour < requests.length; hour += 1) {
    const around = [-2, -1, 1, 2]
      .map((by) => hour + by)
      .filter((of) => of >= 0 && of < requests.length && isCovered(of));
    if (!isCovered(hour) || around.length < AROUND) continue;
    const sum = (values: Float64Array): number => around.reduce((total, of) => total + (values[of] ?? 0), 1);
    const mean = ((usual[hour] ?? 0) * sum(requests)) / sum(usual);
    if (mean >= LEAST_MEAN) hours.push({ squared: ((requests[hour] ?? 0) - mean) ** 2, mean });
  }
  if (hours.length < MIN_HOURS) return 1;
  hours.sort((a, b) => a.squared / a.mean - b.squared / b.mean);
  const kept = hours.slice(0, Math.ceil(hours.length * (1 - LEFT_OUT)));
  const squared = kept.reduce((total, hour) => total + hour.squared, 0);
  const mean = kept.reduce((total, hour) => total + hour.mean, 0);
  return Math.max(1, squared / mean / OF_EXPECTED);
}

/** The mean of the same hour on other days; 0 where there is none. */
function toUsual(requests: Float64Array, isCovered: (hour: number) => boolean, hour: number): number {
  let sum = 0;
  let days = 0;
  for (let other = hour % DAY_HOURS; other < requests.length; other += DAY_HOURS) {
    if (other === hour || !isCovered(other)) continue;
    sum += requests[other] ?? 0;
    days += 1;
  }
  return days === 0 ? 0 : sum / days;
}
