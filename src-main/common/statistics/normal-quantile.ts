/** Coefficients of Acklam's rational approximation; its relative error is below 1.2e-9. */
const CENTRE_TOP = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
  2.506628277459239,
];
const CENTRE_BOTTOM = [
  -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1,
];
const TAIL_TOP = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const TAIL_BOTTOM = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1];
const TAIL_BELOW = 0.02425;

function evaluate(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}

function toNormalQuantile(share: number): number {
  if (share > 0.5) return -toNormalQuantile(1 - share);
  if (share < TAIL_BELOW) {
    const x = Math.sqrt(-2 * Math.log(share));
    return evaluate(TAIL_TOP, x) / evaluate(TAIL_BOTTOM, x);
  }
  const x = share - 0.5;
  return (x * evaluate(CENTRE_TOP, x * x)) / evaluate(CENTRE_BOTTOM, x * x);
}

/** Returns how many standard deviations about its centre hold the given share of a normal distribution: 1.96 for 0.95. */
export function toDeviations(level: number): number {
  return -toNormalQuantile((1 - level) / 2);
}
