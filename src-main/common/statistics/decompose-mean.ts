/** What a group adds to a mean: so many, and the sum of their values. Of a share, those that count are the sum. */
export interface Weighed {
  readonly weight: number;
  readonly sum: number;
}

export interface BeforeAndAfter {
  readonly before: Weighed;
  readonly after: Weighed;
}

/** A group's part of the change of a mean; `rate` and `mix` add up to it. */
export interface Contribution {
  readonly sum: number;
  /** Because the group's own mean changed. */
  readonly rate: number;
  /** Because the group became a larger or smaller part of the whole. */
  readonly mix: number;
}

function divide(sum: number, weight: number): number {
  return weight === 0 ? 0 : sum / weight;
}

/**
 * Returns what a group contributes to the change of the mean of `total`; null where either side of it has no weight. Over
 * all groups the sums make up the change exactly, and those of a group's own parts make up its own. Both sides are
 * weighed alike, so that swapping them turns every sign and nothing else; moving weight to a group whose mean is that of
 * all changes nothing.
 */
export function decomposeMean(group: BeforeAndAfter, total: BeforeAndAfter): Contribution | null {
  if (total.before.weight <= 0 || total.after.weight <= 0) return null;
  const [shareBefore, shareAfter] = [
    group.before.weight / total.before.weight,
    group.after.weight / total.after.weight,
  ];
  // A group that one side lacks came or went: its mean changed nothing.
  const meanBefore = divide(...(group.before.weight > 0 ? toPair(group.before) : toPair(group.after)));
  const meanAfter = divide(...(group.after.weight > 0 ? toPair(group.after) : toPair(group.before)));
  const middle = (divide(...toPair(total.before)) + divide(...toPair(total.after))) / 2;
  const rate = ((shareBefore + shareAfter) / 2) * (meanAfter - meanBefore);
  const mix = (shareAfter - shareBefore) * ((meanBefore + meanAfter) / 2 - middle);
  return { sum: rate + mix, rate, mix };
}

function toPair({ sum, weight }: Weighed): [number, number] {
  return [sum, weight];
}
