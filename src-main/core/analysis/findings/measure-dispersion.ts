const DAY_HOURS = 24;
/** Hours on either side of one that say how busy its day is. */
const AROUND = 2;
/** Of fewer hours nothing is said. */
const MIN_HOURS = 24;
/** Such a part of the hours, the most unusual ones, is left out: what stood out in them is not what is usual. */
const LEFT_OUT = 0.08;
/** An hour in which so little is expected has no share in what is measured. */
const LEAST_MEAN = 0.1;
/** An hour counts if so much of it is cached. */
const MIN_COVERED = 0.95;
/** What is expected of an hour varies itself, as it follows from few others. */
const OF_EXPECTED = 1.3;

/**
 * Returns by how much the requests of hours vary beyond chance: 1 for requests that come each by itself; for those of
 * sessions, which come together, about as many as a session has. An hour is held against the same hour of other days and
 * the hours around it, so that neither the time of day nor a busier day counts. `requests` and `covered` (shares of 0 to 1)
 * have a value for each hour; 1 where there are too few of them.
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
