import {
  GROUP_FIELDS,
  isGroupPath,
  type GroupKey,
  type GroupValue,
  type Latency,
  type MeasuredGroup,
} from '../../../../src-main/common/model/analysis/grouping.ts';
import { CODE_CLASSES, toShownClass } from '../../../../src-main/common/model/records/record.ts';
import type { DecideOutcome } from '../../../../src-main/common/reporting/outcome.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { type Interval, toWilsonInterval } from '../../../../src-main/common/statistics.ts';
import type { SummaryGroup } from '../../../../src-main/common/model/records/histogram.ts';

/** What is known of some requests, from either source. */
export type Figures = Pick<
  MeasuredGroup,
  'count' | 'classCounts' | 'failures' | 'response' | 'botLatency'
> & {
  /** Whom the failures hit, and how many of them tell as much as one; null where only their number is known. */
  readonly hit: Hit | null;
};
type Hit = Pick<MeasuredGroup, 'failedSessions' | 'failedClients' | 'perFailure'>;

/** Requests that have the same values of some fields. */
export interface Group extends Figures {
  readonly values: Readonly<Partial<Record<GroupKey, GroupValue>>>;
  /** Of a group by the report's own four fields. */
  readonly summary?: SummaryGroup;
}

/** What the service groups by; it reports neither actions nor errors. */
export const REPORTED_FIELDS: Readonly<Record<Direction, readonly GroupKey[]>> = {
  inbound: ['channel', 'service', 'origin', 'responseCode'],
  outbound: ['channel', 'service', 'responseCode'],
};

const NO_TIMES: Latency = {
  count: 0,
  averageMs: null,
  medianMs: null,
  p90Ms: null,
  p95Ms: null,
  p99Ms: null,
  maxMs: null,
};

function toAverage(averageMs: number | null, count: number): Latency {
  return averageMs === null ? NO_TIMES : { ...NO_TIMES, count, averageMs };
}

/**
 * Returns a group of a summary, which knows averages only. `decide` has the rules that look at nothing but what groups
 * have; see `splitForSummaries`.
 */
export function fromSummaryGroup(summary: SummaryGroup, decide: DecideOutcome): Group {
  const { channel, service, origin, responseCode, count } = summary;
  const outcome =
    decide({ channel, service, origin, responseCode, error: null, actionId: null }) ?? 'unknown';
  const codeClass = toShownClass(outcome, responseCode);
  return {
    values: { channel, service, origin, responseCode },
    summary,
    count,
    classCounts: CODE_CLASSES.map((one) => (one === codeClass ? count : 0)),
    failures: outcome === 'failed' ? count : 0,
    hit: null,
    response: toAverage(summary.averageResponseTimeMs, count),
    botLatency: toAverage(summary.averageBotLatencyMs, count),
  };
}

/** Returns a group that was measured by the fields. */
export function fromMeasuredGroup(group: MeasuredGroup, by: readonly GroupKey[]): Group {
  return {
    ...group,
    hit: group,
    values: Object.fromEntries(by.map((field, place) => [field, group.key[place] ?? null])),
  };
}

function joinTimes(parts: readonly Latency[]): Latency {
  const timed = parts.filter(({ averageMs }) => averageMs !== null);
  if (timed.length <= 1) return timed[0] ?? NO_TIMES;
  const count = timed.reduce((sum, part) => sum + part.count, 0);
  const sum = timed.reduce((total, part) => total + (part.averageMs ?? 0) * part.count, 0);
  const maxima = timed.flatMap(({ maxMs }) => (maxMs === null ? [] : [maxMs]));
  return {
    ...NO_TIMES,
    count,
    averageMs: count === 0 ? null : sum / count,
    maxMs: maxima.length === timed.length ? Math.max(...maxima) : null,
  };
}

/** Sessions of several groups may be the same ones; of those without a failure nobody is hit. */
function joinHit(parts: readonly Figures[]): Hit | null {
  if (parts.some(({ hit }) => hit === null)) return null;
  const failing = parts.filter(({ failures }) => failures > 0);
  if (failing.length > 1) return null;
  return failing[0]?.hit ?? { failedSessions: 0, failedClients: 0, perFailure: 1 };
}

/**
 * Returns the figures of some groups together. Averages are weighted by their counts; percentiles can't be joined, so
 * they are null where more than one group has times.
 */
export function joinFigures(parts: readonly Figures[]): Figures {
  return {
    count: parts.reduce((sum, part) => sum + part.count, 0),
    classCounts: CODE_CLASSES.map((_, place) =>
      parts.reduce((sum, part) => sum + (part.classCounts[place] ?? 0), 0),
    ),
    failures: parts.reduce((sum, part) => sum + part.failures, 0),
    hit: joinHit(parts),
    response: joinTimes(parts.map(({ response }) => response)),
    botLatency: joinTimes(parts.map(({ botLatency }) => botLatency)),
  };
}

/** Returns the groups joined by one field, in the order of first appearance. */
export function joinBy(groups: readonly Group[], field: GroupKey): readonly (Group & { members: Group[] })[] {
  const collected = new Map<GroupValue, Group[]>();
  for (const group of groups) {
    const value = group.values[field] ?? null;
    const members = collected.get(value);
    if (members === undefined) collected.set(value, [group]);
    else members.push(group);
  }
  return [...collected].map(([value, members]) => ({
    ...joinFigures(members),
    values: { [field]: value },
    members,
  }));
}

/** Returns the share of requests that failed, 0 to 1. */
export function toErrorShare({ count, failures }: Pick<Figures, 'count' | 'failures'>): number {
  return count === 0 ? 0 : failures / count;
}

/** Returns where the share of failures lies at 95 %, 0 to 1; null where it isn't known whose they are. */
export function toErrorInterval({ count, failures, hit }: Figures): Interval | null {
  if (hit === null) return null;
  return toWilsonInterval({ part: failures / hit.perFailure, whole: count / hit.perFailure });
}

/** Returns the fields of a group in their fixed order, paths after them. */
export function listFields(group: Group): readonly GroupKey[] {
  const paths = Object.keys(group.values).filter((field) => isGroupPath(field));
  return [...GROUP_FIELDS.filter((field) => group.values[field] !== undefined), ...paths];
}

/** Columns of figures that are always there, in their order. */
type FixedColumn = 'count' | 'errors' | 'response' | 'latency';
/** Columns of failures that the person chooses; only computed summaries have them. */
export const FAILURE_COLUMNS = ['interval', 'sessions', 'clients'] as const;
/** All of those. */
export const CHOSEN_COLUMNS = [
  ...FAILURE_COLUMNS,
  'median',
  'p90',
  'p95',
  'p99',
  'max',
  'latencyMedian',
  'latencyP95',
] as const;
export type ChosenColumn = (typeof CHOSEN_COLUMNS)[number];
export type FigureColumn = FixedColumn | ChosenColumn;

const READ: Readonly<Record<FigureColumn, (figures: Figures) => number | null>> = {
  count: ({ count }) => count,
  errors: toErrorShare,
  interval: (figures) => toErrorInterval(figures)?.high ?? null,
  sessions: ({ hit }) => hit?.failedSessions ?? null,
  clients: ({ hit }) => hit?.failedClients ?? null,
  response: ({ response }) => response.averageMs,
  median: ({ response }) => response.medianMs,
  p90: ({ response }) => response.p90Ms,
  p95: ({ response }) => response.p95Ms,
  p99: ({ response }) => response.p99Ms,
  max: ({ response }) => response.maxMs,
  latency: ({ botLatency }) => botLatency.averageMs,
  latencyMedian: ({ botLatency }) => botLatency.medianMs,
  latencyP95: ({ botLatency }) => botLatency.p95Ms,
};

/** Returns the figure of a column; null where it is not known. */
export function readFigure(column: FigureColumn, figures: Figures): number | null {
  return READ[column](figures);
}

/** Returns the columns of times, in their order. */
export function listTimeColumns(
  hasLatency: boolean,
  chosen: readonly ChosenColumn[],
): readonly FigureColumn[] {
  const isLatency = (column: FigureColumn): boolean => column.startsWith('latency');
  const isTime = (column: ChosenColumn): boolean => !FAILURE_COLUMNS.some((one) => one === column);
  return [
    'response',
    ...CHOSEN_COLUMNS.filter((column) => isTime(column) && !isLatency(column) && chosen.includes(column)),
    ...(hasLatency
      ? ([
          'latency',
          ...CHOSEN_COLUMNS.filter((column) => isLatency(column) && chosen.includes(column)),
        ] as const)
      : []),
  ];
}
