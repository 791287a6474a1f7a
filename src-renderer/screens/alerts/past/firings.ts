import type { RouteLocationRaw } from 'vue-router';
import {
  isHitMeasure,
  isOnRecords,
  toTimeMeasure,
  withValue,
  type AlertCondition,
} from '../../../../src-main/common/model/alerts/alert-rule.ts';
import type { AlertFiring, AlertTest } from '../../../../src-main/common/model/alerts/alert-state.ts';
import type {
  FieldCondition,
  RecordFilter,
} from '../../../../src-main/common/model/records/record-filter.ts';
import { MINUTE_MS, SECOND_MS, HOUR_MS } from '../../../../src-main/common/time/durations.ts';
import { toIncident } from '../../../address/record-links.ts';
import { type PlotArea, toStepPath } from '../../../charts/chart-marks.ts';
import { toAddress } from '../../../filters/filter.ts';
import { toPeriodText } from '../../../period/period-selection.ts';

/**
 * The address of the records that a rule fired for, with the minutes before it that it judged, or of the incident of a
 * finding; null for a rule that has none.
 */
export function toFiringRecords(
  rule: AlertCondition,
  { sinceMs, value, finding }: Pick<AlertFiring, 'sinceMs' | 'value' | 'finding'>,
  untilMs: number,
): RouteLocationRaw | null {
  if (finding !== undefined) return toIncident(finding, Date.now());
  const condition = rule.kind === 'finding' ? rule : withValue(rule, value);
  if (!isOnRecords(condition)) return null;
  const { direction, filter, minutes } = condition;
  const fromMs = sinceMs - minutes * MINUTE_MS;
  const period = toPeriodText({ kind: 'custom', fromMs, toMs: Math.max(sinceMs, untilMs) - SECOND_MS });
  const narrowed: RecordFilter = { conditions: [...filter.conditions, ...listCauses(condition)] };
  return { name: `${direction}-detail`, query: { period, ...toAddress(narrowed) } };
}

/** What the records have in common that a rule counts. */
function listCauses(condition: AlertCondition): FieldCondition[] {
  if (condition.kind === 'new-family') return [{ field: 'error', exclude: true, values: [null] }];
  if (condition.kind !== 'measure' || condition.comparison === 'below') return [];
  if (condition.measure === 'error-share' || isHitMeasure(condition.measure))
    return [{ field: 'outcome', values: ['failed'] }];
  const timed = toTimeMeasure(condition.measure);
  return timed === undefined ? [] : [{ field: timed.field, min: condition.threshold }];
}

/** Returns where a moment is, from left to right. */
export function toX(
  atMs: number,
  { fromMs, toMs }: Pick<AlertTest, 'fromMs' | 'toMs'>,
  box: PlotArea,
): number {
  const share = (atMs - fromMs) / Math.max(1, toMs - fromMs);
  return box.left + Math.min(1, Math.max(0, share)) * box.width;
}

/** Returns where a value is, from top to bottom; by its root, so that small ones can be told apart. */
export function toY(value: number, largest: number, box: PlotArea): number {
  return box.top + box.height * (1 - Math.sqrt(Math.min(1, Math.max(0, value) / Math.max(largest, 1e-9))));
}

/** Returns the end of the scale: the largest value that has to be drawn, rounded up to two digits, or all of a share. */
export function findLargest(test: AlertTest, threshold: number | null, isShare: boolean): number {
  if (isShare) return 1;
  const most = test.series.reduce(
    (top, { value }) => Math.max(top, value ?? 0),
    (threshold ?? 0) * 1.25 || 1,
  );
  const step = 10 ** Math.max(0, Math.floor(Math.log10(most)) - 1);
  return Math.ceil(most / step) * step;
}

/** Returns the values as a stepped line, with nothing drawn where nothing was measured. */
export function toPath(test: AlertTest, largest: number, box: PlotArea): string {
  return toStepPath(
    test.series.map(({ fromMs, value }) => ({
      left: toX(fromMs, test, box),
      right: toX(fromMs + HOUR_MS, test, box),
      y: value === null ? null : toY(value, largest, box),
    })),
  );
}

/** Returns whether a mark's date ends at it; near the left edge it begins there, so that it isn't cut off. */
export function endsAtMark(x: number, box: PlotArea, roomPx: number): boolean {
  return x - box.left > roomPx;
}

/** Returns the marks whose dates have room beside each other; the newest goes first. */
export function pickLabelled(places: readonly number[], box: PlotArea, roomPx: number): ReadonlySet<number> {
  const picked = new Set<number>();
  let leftmost = Infinity;
  for (const [index, x] of [...places.entries()].reverse()) {
    const left = endsAtMark(x, box, roomPx) ? x - roomPx : x;
    if (left + roomPx > leftmost) continue;
    picked.add(index);
    leftmost = left;
  }
  return picked;
}
