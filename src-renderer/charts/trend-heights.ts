/** Heights of the mini bars, 0 to 1 of the highest; a value above zero never vanishes. */
export function toTrendHeights(trend: readonly number[]): number[] {
  const highest = Math.max(...trend, 0);
  return trend.map((value) => (highest === 0 || value <= 0 ? 0 : Math.max(0.08, value / highest)));
}
