import type { AlertCondition } from '../../common/model/alerts/alert-rule.ts';
import { joinSpans, listPlannedSpans } from '../../common/model/connections/planned-spans.ts';
import type { ConnectionPlans, PlannedTime } from '../../common/model/connections/planned-time.ts';
import { listPlain } from '../../common/query/filter-tree.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';

/** The planned times that a rule heeds: in the first it isn't checked, in the others nobody is notified. */
export interface PlannedMinutes {
  readonly leftOut: readonly TimeSpan[];
  readonly muted: readonly TimeSpan[];
}

/** Whether a planned time keeps a condition from being notified of at a moment. */
export function isPlannedAt(
  plans: ConnectionPlans | undefined,
  condition: AlertCondition,
  atMs: number,
): boolean {
  const { leftOut, muted } = listPlannedMinutes(plans, condition, { fromMs: atMs, toMs: atMs + 1 });
  return leftOut.length > 0 || muted.length > 0;
}

/** Lists the planned times of a span that hold for all that a condition looks at. */
export function listPlannedMinutes(
  plans: ConnectionPlans | undefined,
  condition: AlertCondition,
  span: TimeSpan,
): PlannedMinutes {
  const found = listPlannedSpans(plans, span).filter(({ time }) => isFor(time, condition));
  const pick = (alerts: PlannedTime['leftOut']['alerts']): TimeSpan[] =>
    joinSpans(found.filter(({ time }) => time.leftOut.alerts === alerts));
  return { leftOut: pick('left-out'), muted: pick('muted') };
}

function isFor({ channels, services }: PlannedTime, condition: AlertCondition): boolean {
  const isWithin = (field: 'channel' | 'service', planned: readonly number[] | undefined): boolean => {
    if (planned === undefined) return true;
    if (condition.kind === 'down') return false;
    if (condition.kind === 'finding') {
      const own = condition[field];
      return own !== null && planned.includes(own);
    }
    return listPlain(condition.filter).some(
      ({ field: own, exclude, values }) =>
        own === field &&
        exclude !== true &&
        values !== undefined &&
        values.length > 0 &&
        values.every((value) => planned.some((one) => one === value)),
    );
  };
  return isWithin('channel', channels) && isWithin('service', services);
}
