import {
  COMPARED_MEASURES,
  COMPARED_QUANTILES,
  type ComparedMeasure,
  type ComparedQuantile,
} from '../../../../src-main/common/model/analysis/comparison.ts';
import { listGroupFields, type GroupField } from '../../../../src-main/common/model/analysis/grouping.ts';
import { DIRECTIONS, type Direction } from '../../../../src-main/common/reporting/reports.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { toQueryText } from '../../../address/query-text.ts';
import { fromPeriodText, toPeriodText } from '../../../period/period-query.ts';

/** Periods that are found from the one that is looked at. */
export const SHIFTS = ['week-before', 'day-before', 'period-before'] as const;
export type Shift = (typeof SHIFTS)[number];

/** Begins what an address says of another connection. */
const CONNECTION = 'connection-';

/** What a period is compared with. */
export type Partner =
  | { readonly kind: 'shift'; readonly shift: Shift }
  | { readonly kind: 'custom'; readonly fromMs: number; readonly toMs: number }
  | { readonly kind: 'snapshot'; readonly snapshotId: number }
  /** The same period of another connection. */
  | { readonly kind: 'connection'; readonly connectionId: string };

/** Everything that is chosen on the screen but the period, which all screens share. */
export interface CompareChoice {
  /** A snapshot that is looked at in place of that period; null for the period. */
  readonly ownSnapshotId: number | null;
  readonly direction: Direction;
  readonly measure: ComparedMeasure;
  readonly quantile: ComparedQuantile;
  readonly by: GroupField;
  /** Null for one level. */
  readonly then: GroupField | null;
  readonly partner: Partner;
  /** The partner is what came after. */
  readonly isSwapped: boolean;
  /** A part of both periods, from the beginning of each; null for the whole. */
  readonly part: TimeSpan | null;
}

/** Fields that the records of a direction can be grouped by. */
export const GROUP_CHOICES: Readonly<Record<Direction, readonly GroupField[]>> = {
  inbound: listGroupFields('inbound'),
  outbound: listGroupFields('outbound'),
};

/** Reads what an address says; what it lacks, or can't be read, is as it is at first. */
export function readChoice(query: Parameters<typeof toQueryText>[0]): CompareChoice {
  const text = (name: string): string => toQueryText(query, name);
  const direction = DIRECTIONS.find((one) => one === text('direction')) ?? 'inbound';
  const fields = GROUP_CHOICES[direction];
  const by = fields.find((one) => one === text('by')) ?? 'service';
  const then = text('then') === '' ? (by === 'channel' ? 'service' : 'channel') : text('then');
  return {
    ownSnapshotId: readSnapshotId(text('of')),
    direction,
    measure: COMPARED_MEASURES.find((one) => one === text('measure')) ?? 'error-share',
    quantile: COMPARED_QUANTILES.find((one) => one === text('time')) ?? 'median',
    by,
    then: fields.find((one) => one === then && one !== by) ?? null,
    partner: readPartner(text('with')),
    isSwapped: text('swapped') === 'yes',
    part: readPart(text('part')),
  };
}

/** Writes a choice as an address carries it. */
export function writeChoice(choice: CompareChoice): Record<string, string | undefined> {
  const { ownSnapshotId, direction, measure, quantile, by, then, partner, isSwapped, part } = choice;
  return {
    of: ownSnapshotId === null ? undefined : `snapshot-${ownSnapshotId}`,
    direction,
    measure,
    time: measure === 'response' ? quantile : undefined,
    by,
    then: then ?? 'nothing',
    with: writePartner(partner),
    swapped: isSwapped ? 'yes' : undefined,
    part: part === null ? undefined : `${part.fromMs / 1000}-${part.toMs / 1000}`,
  };
}

function readPartner(text: string): Partner {
  const shift = SHIFTS.find((one) => one === text);
  if (shift !== undefined) return { kind: 'shift', shift };
  const snapshotId = readSnapshotId(text);
  if (snapshotId !== null) return { kind: 'snapshot', snapshotId };
  if (text.startsWith(CONNECTION)) return { kind: 'connection', connectionId: text.slice(CONNECTION.length) };
  const custom = fromPeriodText(text);
  return custom?.kind === 'custom' ? custom : { kind: 'shift', shift: 'week-before' };
}

function readSnapshotId(text: string): number | null {
  const found = /^snapshot-(\d{1,12})$/.exec(text);
  return found === null ? null : Number(found[1]);
}

function writePartner(partner: Partner): string {
  if (partner.kind === 'shift') return partner.shift;
  if (partner.kind === 'connection') return `${CONNECTION}${partner.connectionId}`;
  return partner.kind === 'snapshot' ? `snapshot-${partner.snapshotId}` : toPeriodText(partner);
}

function readPart(text: string): TimeSpan | null {
  const found = /^(\d{1,9})-(\d{1,9})$/.exec(text);
  const [fromMs, toMs] = [Number(found?.[1]) * 1000, Number(found?.[2]) * 1000];
  return fromMs < toMs ? { fromMs, toMs } : null;
}
