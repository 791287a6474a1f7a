import { AppError } from '../../common/contract/errors.ts';
import { isSensibleInstant, type Period } from '../../common/model/period.ts';
import { fromWireDate, toWireDate } from '../../common/reporting/wire-dates.ts';
import { HOUR_MS, SECOND_MS } from '../../common/time/durations.ts';
import { isShownTwice, isTimeZone } from '../../common/time/time-zones.ts';

/** Throws `app.invalid-input` for a period whose texts and instants are not the same times, or whose end is before its beginning. */
export function requireAgreement({ startDate, endDate, fromMs, toMs, zone }: Period): void {
  if (isAgreed(startDate, fromMs, zone) && isAgreed(endDate, toMs, zone) && fromMs <= toMs) return;
  throw new AppError('app.invalid-input', 'The texts and the instants of the period disagree.', {
    startDate,
    endDate,
    fromMs,
    toMs,
    zone,
  });
}

/** A time that a clock skips or shows twice may stand for either of two instants. */
function isAgreed(text: string, atMs: number, zone: string): boolean {
  if (!isSensibleInstant(atMs) || !isTimeZone(zone)) return false;
  return fromWireDate(text, zone) === atMs || toWireDate(atMs, zone) === text;
}

/** An inclusive span at whole seconds. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The beginning that a request which fills a gap asks for: the second before it (decision 5). What is cached before the
 * gap ends there, and left out what lay at the gap's first instant: a service that excludes the beginning would leave
 * it out a second time.
 */
export function toAskedStart({ fromMs, toMs, zone }: Period): string {
  return toPeriod({ fromMs: fromMs - SECOND_MS, toMs }, zone).startDate;
}

/**
 * The period of a request that holds the span. Where the service's clock shows an end twice, the period is made an hour
 * longer there, whichever of the two the service takes it for: a record twice in the cache counts once, one left out is
 * lost.
 */
export function toPeriod({ fromMs, toMs }: Span, zone: string): Period {
  const isExact = (ms: number): boolean => fromWireDate(toWireDate(ms, zone), zone) === ms;
  const from = isShownTwice(fromMs, zone) ? fromMs - HOUR_MS : fromMs;
  const to = isExact(toMs) ? toMs : toMs + HOUR_MS;
  return {
    startDate: toWireDate(from, zone),
    endDate: toWireDate(to, zone),
    fromMs: from,
    toMs: to,
    zone,
  };
}
