import {
  COMPARED_MEASURES,
  COMPARED_QUANTILES,
  type ComparedMeasure,
  type ComparedQuantile,
  type ComparedGroup,
  type Comparison,
} from '../../../src-main/common/model/analysis/comparison.ts';
import { listGroupFields, type GroupField } from '../../../src-main/common/model/analysis/grouping.ts';
import { DIRECTIONS, type Direction } from '../../../src-main/common/reporting/reports.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { toQueryText } from '../../address/window-address.ts';
import { fromPeriodText, toPeriodText, type PeriodEnds } from '../../period/period-selection.ts';
import { useI18n } from 'vue-i18n';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { toVisible } from '../../../src-main/common/words/visible-text.ts';
import type {
  FieldCondition,
  PeriodScope,
  RecordScope,
} from '../../../src-main/common/model/records/record-filter.ts';
import { SECOND_MS } from '../../../src-main/common/time/durations.ts';
import { toAddress } from '../../filters/filter.ts';

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

/** Returns what a snapshot is called where it is compared. */
export function useSnapshotName(): (snapshot: Pick<Snapshot, 'name'>) => string {
  const { t } = useI18n();
  return ({ name }) => (name === '' ? t('comparison.snapshot') : toVisible(name));
}

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

/** How much of what is looked at of a side is cached. */
type SideCache = 'whole' | 'partly' | 'none';
export type SideCaches = Readonly<Record<'before' | 'after', SideCache>>;

/** Returns how much of a side is cached, by what its period lacks; a snapshot is cached as it is. */
export function judgeCache(
  { period, whole, shown }: CompareSide,
  recordCount: number,
  lacks: {
    readonly gaps: readonly (TimeSpan & { readonly state: string })[];
    readonly cachedUntilMs: number | null;
  },
): SideCache {
  if (period === null) return 'whole';
  const sumUp = (spans: readonly TimeSpan[]): number =>
    spans
      .map(({ fromMs, toMs }) => Math.min(toMs, shown.toMs) - Math.max(fromMs, shown.fromMs))
      .reduce((sum, lengthMs) => sum + Math.max(0, lengthMs), 0);
  const { gaps, cachedUntilMs } = lacks;
  const missing = gaps.filter(({ state }) => state === 'missing');
  const tail = cachedUntilMs === null ? [] : [{ fromMs: cachedUntilMs, toMs: whole.toMs }];
  if (recordCount === 0 && sumUp([...missing, ...tail]) >= shown.toMs - shown.fromMs) return 'none';
  return sumUp(gaps) > 0 ? 'partly' : 'whole';
}

/** Returns a comparison without the differences from a side of which nothing is cached: nobody knows them. */
export function hideUnknown(comparison: Comparison, cached: SideCaches): Comparison {
  if (cached.before !== 'none' && cached.after !== 'none') return comparison;
  const nothing = { difference: null, interval: null, contribution: null, rate: null, mix: null };
  const hide = (group: ComparedGroup): ComparedGroup => ({ ...group, ...nothing });
  const { total, groups, parts } = comparison;
  return { ...comparison, total: hide(total), groups: groups.map(hide), parts: parts.map(hide) };
}
