import type { LocationQuery, RouteLocationRaw } from 'vue-router';
import {
  ALERT_MEASURES,
  isHitMeasure,
  MAX_ALERT_MINUTES,
  MAX_ALERT_REQUESTS,
  isInboundOnly,
  toTimeMeasure,
  type AlertCondition,
  type AlertMeasure,
} from '../../src-main/common/model/alerts/alert-rule.ts';
import { ALERT_ORIGINS, type AlertOrigin } from '../../src-main/common/model/alerts/alert-state.ts';
import type {
  FieldCondition,
  FilterPart,
  RecordFilter,
} from '../../src-main/common/model/records/record-filter.ts';
import { isGroup, listLeaves, withoutField } from '../../src-main/common/query/filter-tree.ts';
import type { Direction } from '../../src-main/common/reporting/reports.ts';
import { toQueryText } from '../address/query-text.ts';
import { fromAddress, toAddress } from '../filters/filter-address.ts';

/** What an alert can watch, as an address names it. */
export const ALERT_SUBJECTS = [
  ...ALERT_MEASURES,
  'platform',
  'connector',
  'new-family',
  'silence',
  'finding',
] as const;
export type AlertSubject = (typeof ALERT_SUBJECTS)[number];

/** An alert that is about to be made. */
export interface AlertIdea {
  readonly subject: AlertSubject;
  readonly direction: Direction;
  readonly filter: RecordFilter;
  readonly origin: AlertOrigin;
  /** error-share: 0 to 1; times in milliseconds; else requests, sessions or clients in the minutes. */
  readonly threshold?: number;
  /** Minutes that are looked at together, and how many requests they must have; as usual where absent. */
  readonly minutes?: number;
  readonly minRequests?: number;
  /** The same is to be watched of the other direction too. */
  readonly isBoth?: boolean;
}

const MINUTES: Readonly<Record<Exclude<AlertSubject, 'finding'>, number>> = {
  'error-share': 10,
  median: 10,
  p90: 10,
  p95: 10,
  p99: 10,
  'bot-median': 10,
  'bot-p95': 10,
  volume: 10,
  'failed-sessions': 10,
  'failed-clients': 10,
  platform: 5,
  connector: 5,
  'new-family': 60,
  silence: 30,
};
export const MIN_REQUESTS = 20;
const SHARE = 0.05;
const VOLUME = 100;
const HIT = 10;
const TIME_MS = 5000;

/** The address that makes an alert of an idea: it opens with everything filled in, and is tested, not saved. */
export function toNewAlert({ subject, direction, filter, origin, ...numbers }: AlertIdea): RouteLocationRaw {
  const { threshold, minutes, minRequests, isBoth = false } = numbers;
  const given = Object.entries({ threshold, minutes, requests: minRequests }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return {
    name: 'alerts',
    params: { id: 'new' },
    query: {
      new: subject,
      direction,
      ...toAddress(filter),
      origin,
      ...Object.fromEntries(given),
      ...(isBoth ? { both: '1' } : {}),
    },
  };
}

/**
 * The address that makes an alert of a filter: how many requests it leaves where it is about codes or errors itself,
 * since all of them fail then; else the share of them that do. A chart says itself what it is about.
 */
export function toAlertOnFilter(
  direction: Direction,
  filter: RecordFilter,
  charted?: AlertSubject,
): RouteLocationRaw {
  // A span that has passed can't be watched.
  const lasting = withoutField(filter, 'dateMs');
  const isAboutErrors = listLeaves(lasting).some(({ field }) =>
    [
      'outcome',
      'responseCode',
      'error',
      'errorFamily',
      'responseTimeMs',
      'botLatencyMs',
      'anywhere',
    ].includes(field),
  );
  const subject = charted ?? (isAboutErrors ? 'volume' : 'error-share');
  const origin = charted === undefined ? 'filter' : 'chart';
  return toNewAlert({ subject, direction, filter: lasting, origin });
}

/** Reads the idea of an address; null where it has none. */
export function fromNewAlert(query: LocationQuery): AlertIdea | null {
  const subject = ALERT_SUBJECTS.find((name) => name === toQueryText(query, 'new'));
  if (subject === undefined) return null;
  const [threshold = 0, minutes = 0, minRequests = 0] = ['threshold', 'minutes', 'requests'].map((name) =>
    Number(toQueryText(query, name)),
  );
  return {
    subject,
    direction: toQueryText(query, 'direction') === 'outbound' ? 'outbound' : 'inbound',
    filter: fromAddress(query),
    origin: ALERT_ORIGINS.find((name) => name === toQueryText(query, 'origin')) ?? 'hand',
    ...(threshold > 0 && threshold <= 1e9 ? { threshold } : {}),
    ...(isCount(minutes, MAX_ALERT_MINUTES) ? { minutes } : {}),
    ...(isCount(minRequests, MAX_ALERT_REQUESTS) ? { minRequests } : {}),
    ...(toQueryText(query, 'both') === '1' ? { isBoth: true } : {}),
  };
}

function isCount(value: number, largest: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= largest;
}

/** Returns the condition that an idea begins with. */
export function toCondition({ subject, direction, filter, ...numbers }: AlertIdea): AlertCondition {
  if (subject === 'finding') {
    const [channel, service] = (['channel', 'service'] as const).map((field) => findPlace(filter, field));
    return {
      kind: 'finding',
      channel: channel ?? null,
      service: service ?? null,
      isFailuresOnly: false,
    };
  }
  const { threshold, minutes = MINUTES[subject], minRequests = MIN_REQUESTS } = numbers;
  if (subject === 'platform' || subject === 'connector') return { kind: 'down', part: subject, minutes };
  const records = { direction, filter, minutes };
  if (subject === 'new-family' || subject === 'silence') return { kind: subject, ...records };
  return {
    kind: 'measure',
    measure: subject,
    ...records,
    ...(isInboundOnly(subject) ? { direction: 'inbound' } : {}),
    comparison: 'above',
    threshold: threshold ?? toThreshold(subject),
    minRequests,
  };
}

/** Fields of a place that a rule can be kept to. */
export type PlaceField = 'channel' | 'service';

/** The one channel or service that a filter leaves; undefined where it says something else. */
export function findPlace(filter: RecordFilter, field: PlaceField): number | undefined {
  return filter.conditions
    .flatMap((one) => (isPlace(one) && one.field === field ? [findSingle(one)] : []))
    .find((value) => value !== undefined);
}

/** Whether a part of a filter is one channel or one service. */
export function isPlace(one: FilterPart): one is FieldCondition {
  return (
    !isGroup(one) && (one.field === 'channel' || one.field === 'service') && findSingle(one) !== undefined
  );
}

/** The one channel or service that a condition on it leaves; undefined where it says something else. */
export function findSingle(condition: FieldCondition): number | undefined {
  const { values = [], anyCase, exclude, classes, min, max, text } = condition;
  const [value] = values;
  const isPlain = [anyCase, classes, min, max, text].every((part) => part === undefined) && exclude !== true;
  return isPlain && values.length === 1 && typeof value === 'number' ? value : undefined;
}

/** Returns what a condition watches. */
export function toSubject(condition: AlertCondition): AlertSubject {
  if (condition.kind === 'down') return condition.part;
  return condition.kind === 'measure' ? condition.measure : condition.kind;
}

function toThreshold(measure: AlertMeasure): number {
  if (toTimeMeasure(measure) !== undefined) return TIME_MS;
  if (isHitMeasure(measure)) return HIT;
  return measure === 'volume' ? VOLUME : SHARE;
}
