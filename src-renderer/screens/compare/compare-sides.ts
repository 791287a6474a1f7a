import type { FieldCondition } from '../../../src-main/common/model/records/record-filter.ts';
import type { PeriodScope, RecordScope } from '../../../src-main/common/model/records/record-scope.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { SECOND_MS } from '../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { toAddress } from '../../filters/filter-address.ts';
import { toPeriodText } from '../../period/period-query.ts';
import type { PeriodEnds } from '../../period/period-selection.ts';

/** One of the two sides: a period of a connection or a snapshot, or the part of it that is looked at. */
export interface CompareSide {
  readonly scope: RecordScope;
  /** All of the period, whatever part is looked at; null of a snapshot, which has its own. */
  readonly period: PeriodScope | null;
  readonly whole: TimeSpan;
  /** What of it is looked at. */
  readonly shown: TimeSpan;
  readonly conditions: readonly FieldCondition[];
  readonly lengthMs: number;
}

/** Returns a side of a comparison: a period, or a snapshot; `part` counts from its beginning. */
export function toSide(
  source: {
    readonly connectionId: string;
    readonly direction: Direction;
    readonly ends: PeriodEnds;
    readonly snapshot: Snapshot | null;
  },
  part: TimeSpan | null,
): CompareSide {
  const { connectionId, direction, ends, snapshot } = source;
  const whole = { fromMs: ends.fromMs, toMs: ends.toMs + SECOND_MS };
  const period = { connectionId, report: `${direction}-detail` as const, ...whole };
  const from = part === null ? whole.fromMs : Math.min(whole.toMs - SECOND_MS, whole.fromMs + part.fromMs);
  const to = part === null ? whole.toMs : Math.min(whole.toMs, whole.fromMs + part.toMs);
  return {
    scope: snapshot === null ? period : { snapshotId: snapshot.id },
    period: snapshot === null ? period : null,
    whole,
    shown: { fromMs: from, toMs: to },
    conditions: part === null ? [] : [{ field: 'dateMs', min: from, max: to }],
    lengthMs: Math.max(SECOND_MS, to - from),
  };
}

/** Returns where the records of a side are shown that meet the conditions. */
export function toRecordsAddress(
  { scope, period: own, whole, conditions }: CompareSide,
  direction: Direction,
  group: readonly FieldCondition[],
) {
  const filter = toAddress({ conditions: [...conditions, ...group] });
  const name = `${direction}-detail`;
  const period = toPeriodText({ kind: 'custom', fromMs: whole.fromMs, toMs: whole.toMs - SECOND_MS });
  const params = 'snapshotId' in scope ? { snapshotId: String(scope.snapshotId) } : {};
  // Each side is shown in its own connection.
  const connection = own === null ? {} : { connection: own.connectionId };
  return { name, params, query: { ...filter, ...connection, period } };
}
