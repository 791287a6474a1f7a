import type { RouteLocationRaw } from 'vue-router';
import {
  isHitMeasure,
  isOnRecords,
  toTimeMeasure,
  withValue,
  type AlertCondition,
} from '../../../../src-main/common/model/alerts/alert-rule.ts';
import type { AlertFiring } from '../../../../src-main/common/model/alerts/alert-state.ts';
import type {
  FieldCondition,
  RecordFilter,
} from '../../../../src-main/common/model/records/record-filter.ts';
import { MINUTE_MS, SECOND_MS } from '../../../../src-main/common/time/durations.ts';
import { toIncident } from '../../../address/finding-address.ts';
import { toAddress } from '../../../filters/filter-address.ts';
import { toPeriodText } from '../../../period/period-query.ts';

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
