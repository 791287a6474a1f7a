/** Sizes of the rollups in milliseconds, largest first; each divides the one before. */
export const ROLLUP_TIERS_MS = [691_200_000, 86_400_000, 3_600_000, 300_000] as const;

/** A part [fromMs, toMs) of a period; `tierMs` 0 means single records. */
export interface PeriodPart {
  readonly tierMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Cuts [fromMs, toMs) into whole rollups, the largest in the middle, and single records at the two edges.
 * The parts are in order, don't overlap and leave nothing out.
 */
export function splitPeriod(
  fromMs: number,
  toMs: number,
  tiersMs: readonly number[] = ROLLUP_TIERS_MS,
): PeriodPart[] {
  if (fromMs >= toMs) return [];
  const [tierMs, ...smaller] = tiersMs;
  if (tierMs === undefined) return [{ tierMs: 0, fromMs, toMs }];
  const firstMs = Math.ceil(fromMs / tierMs) * tierMs;
  const lastMs = Math.floor(toMs / tierMs) * tierMs;
  if (firstMs >= lastMs) return splitPeriod(fromMs, toMs, smaller);
  return [
    ...splitPeriod(fromMs, firstMs, smaller),
    { tierMs, fromMs: firstMs, toMs: lastMs },
    ...splitPeriod(lastMs, toMs, smaller),
  ];
}
