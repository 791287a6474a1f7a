import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import type { Logger } from '../../logging/logger.ts';
import { openListFile } from '../../documents/list-file.ts';

/** How long one export took. */
const Sample = Type.Object({
  /** Exports of one kind take the same time for as many rows, about. */
  kind: Type.String({ maxLength: 100 }),
  rows: Type.Integer({ minimum: 0 }),
  ms: Type.Integer({ minimum: 0 }),
});
type Sample = Static<typeof Sample>;

const KEPT_OF_KIND = 8;
/** Beyond this many times the largest export that was measured, there is no estimate. */
const MAX_GROWTH = 50;
/** Below this, starting takes most of the time, which says nothing about more rows. */
const MIN_TELLING_ROWS = 1_000;

/** How fast this computer writes files, as measured by those that it wrote. */
export interface ExportPace {
  note(sample: Sample): Promise<void>;
  /** Milliseconds that so many rows take, about; null where no earlier export tells. */
  estimate(kind: string, rows: number): number | null;
}

/** Opens the measured times in the data folder. */
export async function openExportPace(options: {
  readonly folder: string;
  readonly logger: Logger;
  now(): number;
}): Promise<ExportPace> {
  const path = join(options.folder, 'export-times.json');
  const file = await openListFile({ ...options, path, schema: Sample });
  let samples = file.entries;
  return {
    note: async (sample) => {
      const same = samples.filter(({ kind }) => kind === sample.kind);
      const others = samples.filter(({ kind }) => kind !== sample.kind);
      samples = [...others, ...same.slice(1 - KEPT_OF_KIND), sample];
      const unfit = await file.save(samples);
      samples = samples.filter((one) => !unfit.includes(one));
    },
    estimate: (kind, rows) =>
      estimateMs(
        samples.filter((sample) => sample.kind === kind),
        rows,
      ),
  };
}

/**
 * Returns about how long so many rows take: between two exports that were measured in proportion, above the largest at
 * its speed. Null where none is near enough.
 */
export function estimateMs(samples: readonly Pick<Sample, 'rows' | 'ms'>[], rows: number): number | null {
  const sorted = samples.toSorted((a, b) => a.rows - b.rows);
  const smallest = sorted[0];
  const largest = sorted.at(-1);
  if (smallest === undefined || largest === undefined) return null;
  if (rows > largest.rows) {
    if (largest.rows < MIN_TELLING_ROWS || rows > largest.rows * MAX_GROWTH) return null;
    return Math.round((largest.ms * rows) / largest.rows);
  }
  const above = sorted.find((sample) => sample.rows >= rows) ?? largest;
  const below = sorted.findLast((sample) => sample.rows <= rows) ?? { rows: 0, ms: 0 };
  if (above.rows === below.rows) return median(sorted.filter((sample) => sample.rows === rows));
  const share = (rows - below.rows) / (above.rows - below.rows);
  return Math.round(below.ms + share * (above.ms - below.ms));
}

function median(samples: readonly Pick<Sample, 'ms'>[]): number {
  const times = samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? 0;
}
