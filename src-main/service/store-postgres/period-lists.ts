import { splitPeriod } from '../store/split-period.ts';
import type { RecordPeriod } from '../store/record-store.ts';

/** A period as lists that a statement takes: whole rollups by size, and the spans of single records at its edges. */
export interface PeriodLists {
  /** Sizes, first starts, and starts that are not included any more. */
  readonly rollups: readonly [tiersMs: number[], fromMs: number[], toMs: number[]];
  readonly edges: readonly [fromMs: number[], toMs: number[]];
}

/** Cuts a period into whole rollups and single records. */
export function toPeriodLists({ fromMs, toMs }: RecordPeriod): PeriodLists {
  const parts = splitPeriod(fromMs, toMs);
  const whole = parts.filter(({ tierMs }) => tierMs > 0);
  const single = parts.filter(({ tierMs }) => tierMs === 0);
  return {
    rollups: [
      whole.map(({ tierMs }) => tierMs),
      whole.map((part) => part.fromMs),
      whole.map((part) => part.toMs),
    ],
    edges: [single.map((part) => part.fromMs), single.map((part) => part.toMs)],
  };
}
