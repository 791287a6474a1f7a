/** Coefficients of Lanczos' approximation with g = 7; its relative error is below 1e-14. */
const LANCZOS = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
  12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];
const MAX_STEPS = 100_000;
const PRECISION = 1e-14;
const TINY = 1e-300;

/** The logarithm of the gamma function, for x of 0.5 or more. */
function toLogGamma(x: number): number {
  const sum = LANCZOS.reduce((total, coefficient, place) =>
    place === 0 ? coefficient : total + coefficient / (x - 1 + place),
  );
  const shifted = x + 6.5;
  return Math.log(2 * Math.PI) / 2 + (x - 0.5) * Math.log(shifted) - shifted + Math.log(sum);
}

/** The regularised incomplete beta function, by its continued fraction (Lentz' method). */
function toIncompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast on one side of the mean only.
  if (x > (a + 1) / (a + b + 2)) return 1 - toIncompleteBeta(1 - x, b, a);
  const front = Math.exp(
    toLogGamma(a + b) - toLogGamma(a) - toLogGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  let c = 1;
  let d = 1 / keepFromZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= MAX_STEPS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const term of [even, odd]) {
      d = 1 / keepFromZero(1 + term * d);
      c = keepFromZero(1 + term / c);
      step = c * d;
      fraction *= step;
    }
    if (Math.abs(step - 1) < PRECISION) break;
  }
  return (front * fraction) / a;
}

function keepFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

/** Returns the chance of at least so many successes in so many trials, each with the same chance. */
export function toBinomialTail(successes: number, trials: number, chance: number): number {
  if (successes <= 0) return 1;
  return successes > trials ? 0 : toIncompleteBeta(chance, successes, trials - successes + 1);
}

/**
 * Returns the chance that a value of `inside + outside` records falls at least as unevenly on two sides of so many records
 * if it has nothing to do with them: twice the smaller tail. Exact for rare values, too large for frequent ones.
 */
export function toUnevenChance(
  value: { readonly inside: number; readonly outside: number },
  sides: { readonly inside: number; readonly outside: number },
): number {
  const all = sides.inside + sides.outside;
  const having = value.inside + value.outside;
  // Of a value that most records have, the records without it tell more.
  const isRare = having <= all / 2;
  const count = isRare ? having : all - having;
  const inside = isRare ? value.inside : sides.inside - value.inside;
  const share = sides.inside / all;
  const more = toBinomialTail(inside, count, share);
  const fewer = toBinomialTail(count - inside, count, 1 - share);
  return Math.min(1, 2 * Math.min(more, fewer));
}

/**
 * Returns the share of Student's distribution beyond so many deviations about its centre, which is wider than the normal
 * one the fewer degrees of freedom their size was estimated with: 0.05 for 2.571 and 5.
 */
export function toStudentTails(deviations: number, freedom: number): number {
  return Math.min(1, toIncompleteBeta(freedom / (freedom + deviations * deviations), freedom / 2, 0.5));
}
