import { isHitMeasure, toTimeMeasure, type AlertCondition } from '../../common/model/alerts/alert-rule.ts';
import type { PeriodScope } from '../../common/model/records/record-scope.ts';
import { DAY_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import { isRead } from '../coverage/coverage-spans.ts';
import type { Ledger } from '../coverage/create-ledger.ts';
import type { Minutes } from './evaluate/judge-minutes.ts';
import { toHealthMinutes } from './evaluate/to-health-minutes.ts';

/** Whole minutes. */
export interface MinuteSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a condition has to be judged by. */
export interface MinuteQuestion {
  readonly connectionId: string;
  readonly condition: AlertCondition;
  readonly span: MinuteSpan;
  /** Planned times that are not judged. */
  readonly leftOut?: readonly TimeSpan[];
}

/** The minutes of a condition, and as they are with other thresholds. */
export interface ReadMinutes {
  readonly own: Minutes;
  with(threshold: number): Minutes;
}

type RecordCondition = Exclude<AlertCondition, { kind: 'down' }>;

/** Before an error can be called new, a day must be cached in which it could have been seen. */
const LEARNING_MS = DAY_MS;
/** An answer from before the span may speak for its beginning. */
const BEFORE_MS = 900_000;

export type MinuteSource = {
  readonly cache: Pick<Cache, 'readHealth'>;
  readonly ledger: Pick<Ledger, 'read' | 'readExtent'>;
  readonly engine: Pick<Engine, 'countMinutes' | 'countHitMinutes' | 'findNewFamilies'>;
};

/** Returns the scope of a span for a condition on records. */
export function toScope(
  connectionId: string,
  { direction }: RecordCondition,
  { fromMs, toMs }: MinuteSpan,
): PeriodScope {
  return { connectionId, report: `${direction}-detail`, fromMs, toMs };
}

/**
 * Reads what a condition needs of a span, in one statement; `thresholds` are others that are asked for later. Where no
 * minute after `judgedToMs` is known, nothing is counted.
 */
export async function readMinutes(
  source: MinuteSource,
  { connectionId, condition, span, leftOut = [] }: MinuteQuestion,
  { thresholds = [], judgedToMs = span.fromMs }: { thresholds?: readonly number[]; judgedToMs?: number } = {},
): Promise<ReadMinutes> {
  if (condition.kind === 'down') {
    const minutes = await readHealth(source, connectionId, condition.part, span);
    forget(minutes.known, span, leftOut);
    return alike(minutes);
  }
  const { known, sinceMs } = await readKnown(source, connectionId, condition, span);
  forget(known, span, leftOut);
  const judgedMinutes = Math.max(0, Math.floor((judgedToMs - span.fromMs) / MINUTE_MS));
  if (!known.includes(1, judgedMinutes)) return alike(toMinutes(span, known));
  const scope = toScope(connectionId, condition, span);
  const { filter } = condition;
  if (condition.kind === 'new-family') {
    const learnt = Math.ceil((sinceMs + LEARNING_MS - span.fromMs) / MINUTE_MS);
    if (learnt > 0) known.fill(0, 0, learnt);
    const minutes = toMinutes(span, known);
    for (const atMs of await source.engine.findNewFamilies({ scope, filter, ...span })) {
      const place = Math.floor((atMs - span.fromMs) / MINUTE_MS);
      minutes.hits[place] = (minutes.hits[place] ?? 0) + 1;
      minutes.totals[place] = (minutes.totals[place] ?? 0) + 1;
    }
    return alike(minutes);
  }
  const { measure, threshold } =
    condition.kind === 'measure' ? condition : { measure: 'volume' as const, threshold: 0 };
  const timed = toTimeMeasure(measure);
  const isTimed = timed !== undefined;
  const limits = isTimed ? [...new Set([threshold, ...thresholds])] : [];
  const counted = await source.engine.countMinutes({
    scope,
    filter,
    ...span,
    limits,
    ...(timed === undefined ? {} : { timeOf: timed.field }),
  });
  const fill = (totals: readonly number[], hits: readonly number[]): Minutes => {
    const minutes = toMinutes(span, known);
    for (const [index, place] of counted.places.entries()) {
      minutes.totals[place] = totals[index] ?? 0;
      minutes.hits[place] = hits[index] ?? 0;
    }
    return minutes;
  };
  if (!isTimed) {
    const minutes = fill(counted.counts, counted.failures);
    if (!isHitMeasure(measure)) return alike(minutes);
    const question = { scope, filter, ...span, measure, minutes: condition.minutes };
    return alike({ ...minutes, windowed: fillWindows(await source.engine.countHitMinutes(question), known) });
  }
  const ofLimit = (limit: number): Minutes =>
    fill(counted.timed, counted.slower[limits.indexOf(limit)] ?? []);
  return { own: ofLimit(threshold), with: ofLimit };
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
async function readKnown(
  { ledger }: MinuteSource,
  connectionId: string,
  { direction }: RecordCondition,
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
