import type { Deprecation } from './read-deprecations.ts';

export interface DeprecationCounts {
  readonly total: number;
  readonly inEffect: number;
  /** Not in effect under every reading of its date. */
  readonly upcoming: number;
  /** Applicable-from dates with two readings. */
  readonly ambiguous: number;
  /** Applicable-from dates that do not exist. */
  readonly impossible: number;
}

/** Counts the announcements. One that is in effect under one reading only still counts as upcoming. */
export function countDeprecations(deprecations: readonly Deprecation[]): DeprecationCounts {
  const count = (isCounted: (item: Deprecation) => boolean): number => deprecations.filter(isCounted).length;
  return {
    total: deprecations.length,
    inEffect: count((item) => item.state === 'in-effect'),
    upcoming: count((item) => item.state !== 'in-effect'),
    ambiguous: count((item) => item.applicable.kind === 'ambiguous'),
    impossible: count((item) => item.applicable.kind === 'impossible'),
  };
}
