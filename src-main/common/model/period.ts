import { type Static, Type } from 'typebox';
import { SECOND_MS } from '../time/durations.ts';

/** 1900 to 2200: wider than any service's records, and far from where dates and zones fail to compute. */
export const MIN_INSTANT_MS = Date.UTC(1900, 0, 1);
export const MAX_INSTANT_MS = Date.UTC(2200, 0, 1);

/** True for an instant that a period, a condition or a file may name. */
export function isSensibleInstant(instantMs: number): boolean {
  return instantMs >= MIN_INSTANT_MS && instantMs <= MAX_INSTANT_MS;
}

/**
 * A queried period: both ends in the text of the request (`YYYY-MM-DD HH:MM:SS`, service time zone, both
 * included at whole seconds) and as instants. `toMs` is the last whole second requested.
 */
export const Period = Type.Object({
  startDate: Type.String(),
  endDate: Type.String(),
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
  /** The zone that the texts are in. */
  zone: Type.String(),
});
export type Period = Static<typeof Period>;

/** The first instant after a period: its last second is included (decision 5). */
export function toEndMs(period: Period): number {
  return period.toMs + SECOND_MS;
}

/** Whose clock times are shown in: that of a connection's service, this computer's, or UTC. */
export const Clock = Type.Union([Type.Literal('service'), Type.Literal('local'), Type.Literal('utc')], {
  default: 'service',
});
export type Clock = Static<typeof Clock>;
