import {
  isHitMeasure,
  isOnRecords,
  toTimeMeasure,
  withValue,
  type MinuteCondition,
  type RecordCondition,
  type AlertCondition,
} from '../../common/model/alerts/alert-rule.ts';
import type { GroupValue } from '../../common/model/analysis/grouping.ts';
import {
  type ConnectionPlans,
  joinSpans,
  listPlannedSpans,
  type PlannedTime,
} from '../../common/model/connections/planned.ts';
import type { HealthState } from '../../common/model/connections/status.ts';
import type { PeriodScope } from '../../common/model/records/record-filter.ts';
import { listPlain } from '../../common/query/filter-tree.ts';
import { DAY_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import { isRead } from '../coverage/read-holdings.ts';
import type { Ledger } from '../coverage/ledger.ts';
import type { Minutes } from './judge-minutes.ts';

/** Whole minutes. */
export interface MinuteSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a condition has to be judged by. */
export interface MinuteQuestion {
  readonly connectionId: string;
  readonly condition: MinuteCondition;
  readonly span: MinuteSpan;
  /** Values that are judged by themselves, of a condition that watches each. */
  readonly values?: readonly GroupValue[];
  /** Planned times that are not judged, of the condition of one value. */
  toLeftOut?(condition: MinuteCondition): readonly TimeSpan[];
}

/** The minutes of a condition, and as they are with other thresholds. */
export interface ReadMinutes {
  readonly own: Minutes;
  with(threshold: number): Minutes;
}

/** Before an error can be called new, a day must be cached in which it could have been seen. */
const LEARNING_MS = DAY_MS;
/** An answer from before the span may speak for its beginning. */
const BEFORE_MS = 900_000;
/** Most values that are looked for in a span: more than a rule watches, so that those it watches are among them. */
const MAX_LISTED_VALUES = 1000;

export type MinuteSource = {
  readonly cache: Pick<Cache, 'readHealth'>;
  readonly ledger: Pick<Ledger, 'read' | 'readExtent'>;
  readonly engine: Pick<Engine, 'countMinutes' | 'countHitMinutes' | 'findNewFamilies' | 'listMinuteValues'>;
};

/** Returns the scope of a span for a condition on records. */
export function toScope(
  connectionId: string,
  { direction }: RecordCondition,
  { fromMs, toMs }: MinuteSpan,
): PeriodScope {
  return { connectionId, report: `${direction}-detail`, fromMs, toMs };
}

/** A value that records have, and the last of them. */
interface SeenValue {
  readonly value: GroupValue;
  readonly seenMs: number;
}

/** Lists the values that a condition which watches each finds in a span, the most frequent first. */
export async function readValues(
  { engine }: Pick<MinuteSource, 'engine'>,
  { connectionId, condition, span }: Pick<MinuteQuestion, 'connectionId' | 'condition' | 'span'>,
): Promise<SeenValue[]> {
  if (!isOnRecords(condition) || condition.each === undefined) return [];
  const { filter, each } = condition;
  const scope = toScope(connectionId, condition, span);
  const found = await engine.listMinuteValues({
    scope,
    filter,
    ...span,
    field: each,
    limit: MAX_LISTED_VALUES,
  });
  return found.map(([value, seenMs]) => ({ value, seenMs }));
}

/** Returns the end of the last minute of a span that is cached; null where none that ends after `judgedToMs` is. */
export async function findKnownEnd(
  source: MinuteSource,
  { connectionId, condition, span }: Pick<MinuteQuestion, 'connectionId' | 'condition' | 'span'>,
  judgedToMs: number,
): Promise<number | null> {
  if (condition.kind === 'down') return null;
  const { known } = await readKnownMinutes(source, connectionId, condition, span);
  const endMs = span.fromMs + (known.lastIndexOf(1) + 1) * MINUTE_MS;
  return endMs > judgedToMs ? endMs : null;
}

/**
 * Reads what a condition needs of a span, in one statement: of each value by itself, in their order, or of all records.
 * `thresholds` are others that are asked for later. Where no minute after `judgedToMs` is known, nothing is counted.
 */
export async function readMinutes(
  source: MinuteSource,
  { connectionId, condition, span, values, toLeftOut = () => [] }: MinuteQuestion,
  { thresholds = [], judgedToMs = span.fromMs }: { thresholds?: readonly number[]; judgedToMs?: number } = {},
): Promise<ReadMinutes[]> {
  if (condition.kind === 'down') {
    const minutes = await readHealth(source, connectionId, condition.part, span);
    forget(minutes.known, span, toLeftOut(condition));
    return [alike(minutes)];
  }
  const { known: cached, sinceMs } = await readKnownMinutes(source, connectionId, condition, span);
  if (condition.kind === 'new-family') {
    const learnt = Math.ceil((sinceMs + LEARNING_MS - span.fromMs) / MINUTE_MS);
    if (learnt > 0) cached.fill(0, 0, learnt);
  }
  const knownOf = (values ?? [undefined]).map((value) => {
    const known = cached.slice();
    forget(known, span, toLeftOut(withValue(condition, value)));
    return known;
  });
  const judgedMinutes = Math.max(0, Math.floor((judgedToMs - span.fromMs) / MINUTE_MS));
  if (!knownOf.some((known) => known.includes(1, judgedMinutes)))
    return knownOf.map((known) => alike(toMinutes(span, known)));
  const { each } = condition;
  const isParted = each !== undefined && values !== undefined;
  const question = {
    scope: toScope(connectionId, condition, span),
    filter: isParted
      ? { conditions: [...condition.filter.conditions, { field: each, values: [...values] }] }
      : condition.filter,
    each: isParted ? { field: each, values } : undefined,
    ...span,
  };
  if (condition.kind === 'new-family') {
    const found = await source.engine.findNewFamilies(question);
    return knownOf.map((known, index) => {
      const minutes = toMinutes(span, known);
      for (const atMs of found[index] ?? []) {
        const place = Math.floor((atMs - span.fromMs) / MINUTE_MS);
        minutes.hits[place] = (minutes.hits[place] ?? 0) + 1;
        minutes.totals[place] = (minutes.totals[place] ?? 0) + 1;
      }
      return alike(minutes);
    });
  }
  const { measure, threshold } =
    condition.kind === 'measure' ? condition : { measure: 'volume' as const, threshold: 0 };
  const timed = toTimeMeasure(measure);
  const limits = timed === undefined ? [] : [...new Set([threshold, ...thresholds])];
  const counted = await source.engine.countMinutes({
    ...question,
    limits,
    ...(timed === undefined ? {} : { timeOf: timed.field }),
  });
  const hit = isHitMeasure(measure)
    ? await source.engine.countHitMinutes({ ...question, measure, minutes: condition.minutes })
    : null;
  return knownOf.map((known, index) => {
    const own = counted[index];
    const fill = (totals: readonly number[] = [], hits: readonly number[] = []): Minutes => {
      const minutes = toMinutes(span, known);
      for (const [row, place] of (own?.places ?? []).entries()) {
        minutes.totals[place] = totals[row] ?? 0;
        minutes.hits[place] = hits[row] ?? 0;
      }
      return minutes;
    };
    if (timed === undefined) {
      const minutes = fill(own?.counts, own?.failures);
      return alike(hit === null ? minutes : { ...minutes, windowed: fillWindows(hit[index] ?? [], known) });
    }
    const ofLimit = (limit: number): Minutes => fill(own?.timed, own?.slower[limits.indexOf(limit)]);
    return { own: ofLimit(threshold), with: ofLimit };
  });
}

/** Adds up how many more there are in the minutes that end with each. */
function fillWindows(
  changes: readonly (readonly [place: number, more: number])[],
  known: Uint8Array,
): Float64Array {
  const windowed = new Float64Array(known.length);
  for (const [place, more] of changes) if (place < known.length) windowed[place] = more;
  for (let place = 1; place < windowed.length; place += 1)
    windowed[place] = (windowed[place] ?? 0) + (windowed[place - 1] ?? 0);
  return windowed;
}

function forget(known: Uint8Array, { fromMs }: MinuteSpan, leftOut: readonly TimeSpan[]): void {
  for (const span of leftOut) {
    const first = Math.max(0, Math.floor((span.fromMs - fromMs) / MINUTE_MS));
    known.fill(0, first, Math.max(first, Math.ceil((span.toMs - fromMs) / MINUTE_MS)));
  }
}

function alike(own: Minutes): ReadMinutes {
  return { own, with: () => own };
}

function toMinutes({ fromMs }: MinuteSpan, known: Uint8Array): Minutes {
  return { fromMs, known, totals: new Float64Array(known.length), hits: new Float64Array(known.length) };
}

async function readHealth(
  { cache }: MinuteSource,
  connectionId: string,
  part: 'platform' | 'connector',
  { fromMs, toMs }: MinuteSpan,
): Promise<Minutes> {
  const samples = await cache.readHealth({ connectionId, fromMs: fromMs - BEFORE_MS, untilMs: toMs });
  return toHealthMinutes(
    samples.map(({ checkedAtMs, [part]: state }) => ({ checkedAtMs, state })),
    { fromMs, toMs },
  );
}

/**
 * Marks the whole minutes of which all that the service had was fetched; what may still come late counts as fetched.
 * Returns since when anything is cached as well.
 */
export async function readKnownMinutes(
  { ledger }: Pick<MinuteSource, 'ledger'>,
  connectionId: string,
  { direction }: Pick<RecordCondition, 'direction'>,
  { fromMs, toMs }: MinuteSpan,
): Promise<{ known: Uint8Array<ArrayBuffer>; sinceMs: number }> {
  const subject = { connectionId, report: `${direction}-detail` as const };
  const [{ spans }, extent] = await Promise.all([
    ledger.read(subject, { fromMs, toMs }),
    ledger.readExtent(subject),
  ]);
  const known = new Uint8Array(Math.max(0, Math.floor((toMs - fromMs) / MINUTE_MS))).fill(1);
  for (const span of spans) {
    if (isRead(span)) continue;
    known.fill(
      0,
      Math.floor((span.fromMs - fromMs) / MINUTE_MS),
      Math.ceil((span.toMs - fromMs) / MINUTE_MS),
    );
  }
  return { known, sinceMs: extent?.fromMs ?? Infinity };
}

/** What a check found of one part. */
interface PartSample {
  readonly checkedAtMs: number;
  readonly state: HealthState;
}

/** How long an answer counts when no other one comes. */
const SPOKEN_MS = 120_000;
/** Two answers that agree, no further apart than this, count for the time between them too. */
const BRIDGED_MS = 900_000;

/**
 * Returns the minutes of [fromMs, toMs) in which a part was reported as up or down: `hits` are those that were down.
 * What could not be reached, or was not checked, is not known. Samples are oldest first, and may begin earlier.
 */
function toHealthMinutes(samples: readonly PartSample[], { fromMs, toMs }: TimeSpan): Minutes {
  const length = Math.max(0, Math.floor((toMs - fromMs) / MINUTE_MS));
  const known = new Uint8Array(length);
  const hits = new Float64Array(length);
  const mark = (sinceMs: number, untilMs: number, isDown: boolean): void => {
    const first = Math.max(0, Math.floor((sinceMs - fromMs) / MINUTE_MS));
    const last = Math.min(length - 1, Math.ceil((untilMs - fromMs) / MINUTE_MS) - 1);
    for (let place = first; place <= last; place += 1) {
      known[place] = 1;
      // In a minute with two answers the later one counts.
      hits[place] = isDown ? 1 : 0;
    }
  };
  const isReport = ({ state }: PartSample): boolean => state === 'up' || state === 'down';
  for (const [place, sample] of samples.entries()) {
    if (!isReport(sample)) continue;
    const { checkedAtMs, state } = sample;
    const next = samples[place + 1];
    const agrees = next !== undefined && next.state === state && next.checkedAtMs - checkedAtMs <= BRIDGED_MS;
    const spokenMs = checkedAtMs + SPOKEN_MS;
    const untilMs = agrees ? next.checkedAtMs : Math.min(spokenMs, next?.checkedAtMs ?? spokenMs, toMs);
    // An answer always counts for the minute in which it came.
    mark(checkedAtMs, Math.max(untilMs, checkedAtMs + 1), state === 'down');
  }
  return { fromMs, known, totals: Float64Array.from(known), hits };
}

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
