import { isCounted, type AlertMeasure } from './alert-rule.ts';

const SHARES = [0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8];
const TIMES_MS = [100, 200, 500, 1000, 2000, 3000, 5000, 10_000, 20_000, 30_000, 60_000];
const VOLUMES = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
];

/** Thresholds shown on either side of the chosen one. */
const NEIGHBOURS = 2;

/** Returns the thresholds that a measure is offered with, and the chosen one among them, rising. */
export function listThresholds(measure: AlertMeasure, chosen: number): number[] {
  return [...new Set([...listSteps(measure), chosen])].sort((a, b) => a - b);
}

function listSteps(measure: AlertMeasure): readonly number[] {
  if (measure === 'error-share') return SHARES;
  return isCounted(measure) ? VOLUMES : TIMES_MS;
}

/** Returns the chosen threshold and those next to it, five where there are as many. */
export function listNearThresholds(measure: AlertMeasure, chosen: number): number[] {
  const all = listThresholds(measure, chosen);
  const first = Math.max(0, Math.min(all.indexOf(chosen) - NEIGHBOURS, all.length - 1 - 2 * NEIGHBOURS));
  return all.slice(first, first + 2 * NEIGHBOURS + 1);
}
