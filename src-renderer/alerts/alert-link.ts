import type { LocationQuery, RouteLocationRaw } from 'vue-router';
import {
  ALERT_MEASURES,
  type AlertCondition,
  type AlertMeasure,
  isCounted,
  isHitMeasure,
  isInboundOnly,
  MAX_ALERT_MINUTES,
  MAX_ALERT_REQUESTS,
  toTimeMeasure,
} from '../../src-main/common/model/alerts/alert-rule.ts';
import { ALERT_ORIGINS, type AlertOrigin } from '../../src-main/common/model/alerts/alert-state.ts';
import { toKindRow } from '../../src-main/common/model/analysis/finding-kinds.ts';
import type { Finding } from '../../src-main/common/model/analysis/finding.ts';
import type {
  FieldCondition,
  FilterPart,
  RecordFilter,
} from '../../src-main/common/model/records/record-filter.ts';
import { isGroup, listLeaves, listPlain, withoutField } from '../../src-main/common/query/filter-tree.ts';
import type { Direction } from '../../src-main/common/reporting/reports.ts';
import { MINUTE_MS } from '../../src-main/common/time/durations.ts';
import { toQueryText } from '../address/window-address.ts';
import { fromAddress, toAddress } from '../filters/filter.ts';

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
const MIN_REQUESTS = 20;
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

const TEN_MINUTES_MS = 10 * MINUTE_MS;
/** Where few requests come, more minutes are looked at together. */
const WATCHED_MINUTES = [10, 15, 30, 60, 120, 240] as const;
const LONGEST_MINUTES = 240;
/** Requests come in bursts: twice as many as are needed are to be expected. */
const RESERVE = 2;
const FEWEST_REQUESTS = 5;
/** So many requests are never all left out by chance. */
const MISSED_REQUESTS = 15;
const SHORTEST_SILENCE_MINUTES = 30;
const LONGEST_SILENCE_MINUTES = 720;

/** Returns whether an alert can watch for the same: none watches whether the service can be reached, for one. */
export function canAlert({ kind }: Pick<Finding, 'kind'>): boolean {
  return toKindRow(kind).alert !== null;
}

/** Returns the address that makes an alert which tells when the same happens at the same place again. */
export function toFindingAlert(finding: Finding): RouteLocationRaw {
  const conditions = listPlain(finding.filter).filter(
    ({ field }) => field === 'channel' || field === 'service',
  );
  const direction = finding.directions[0] ?? 'inbound';
  const isBoth = finding.directions.length > 1;
  return toNewAlert({ direction, filter: { conditions }, origin: 'finding', isBoth, ...toWatched(finding) });
}

type Watched = Pick<AlertIdea, 'subject' | 'threshold' | 'minutes' | 'minRequests'>;

function toWatched(finding: Finding): Watched {
  const { kind, part, recent, usual, sinceMs, endedMs, untilMs } = finding;
  // Halfway between what is usual and what came instead: neither the one nor the other is missed.
  const halfway = (recent + usual) / 2;
  const { alert } = toKindRow(kind);
  // Nothing watches it: what the service reports is the next best.
  if (alert === null || alert === 'status') return { subject: part ?? 'platform' };
  if (alert === 'new-family') return { subject: alert };
  if (alert === 'silence') return { subject: alert, minutes: toSilence(finding) };
  if (!isCounted(alert)) return { subject: alert, threshold: round(halfway), ...toWindow(finding) };
  const spans = Math.max(1, ((endedMs ?? untilMs) - sinceMs) / TEN_MINUTES_MS);
  return { subject: alert, threshold: Math.max(1, round(halfway / spans)) };
}

function toMinutes({ sinceMs, endedMs, untilMs }: Finding): number {
  return Math.max(1, ((endedMs ?? untilMs) - sinceMs) / MINUTE_MS);
}

/** Returns so many minutes, and so many requests in them, that the finding itself would have been told. */
function toWindow(finding: Finding): Pick<Watched, 'minutes' | 'minRequests'> {
  // One direction is watched, and those of all are counted.
  const perMinute = finding.requests / finding.directions.length / toMinutes(finding);
  const enough = WATCHED_MINUTES.find((count) => count * perMinute >= RESERVE * MIN_REQUESTS);
  if (enough !== undefined) return { minutes: enough, minRequests: MIN_REQUESTS };
  const expected = Math.floor((LONGEST_MINUTES * perMinute) / RESERVE);
  return {
    minutes: LONGEST_MINUTES,
    minRequests: Math.min(MIN_REQUESTS, Math.max(FEWEST_REQUESTS, expected)),
  };
}

/** Returns after how many minutes without a request that can be no chance. */
function toSilence(finding: Finding): number {
  const needed = MISSED_REQUESTS / Math.max(finding.usual / toMinutes(finding), 1e-6);
  const rounded = Math.ceil(needed / SHORTEST_SILENCE_MINUTES) * SHORTEST_SILENCE_MINUTES;
  return Math.min(LONGEST_SILENCE_MINUTES, rounded);
}

/** Rounds to one digit, so that it reads as a limit that somebody chose. */
function round(value: number): number {
  return Number(value.toPrecision(1));
}
