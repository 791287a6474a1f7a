import { civilToUtcMs, isRealCivilTime } from '../../common/time/civil-time.ts';

const IMF_DATE = /^[A-Za-z]{3}, (\d{2}) ([A-Za-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Epoch milliseconds of a date in an HTTP header (RFC 9110, IMF-fixdate), or null. */
export function parseHttpDate(text: string | null): number | null {
  const match = IMF_DATE.exec(text?.trim() ?? '');
  if (match === null) return null;
  const civil = {
    year: Number(match[3]),
    month: MONTHS.indexOf((match[2] ?? '').toLowerCase()) + 1,
    day: Number(match[1]),
    hour: Number(match[4]),
    minute: Number(match[5]),
    second: Number(match[6]),
    millisecond: 0,
  };
  return isRealCivilTime(civil) ? civilToUtcMs(civil) : null;
}

/**
 * Milliseconds that a `Retry-After` header asks to wait: whole seconds, or a date compared with the server's own
 * clock. Null for none, for no time at all, for a date in the past and for anything not understood.
 */
export function parseRetryAfterMs(text: string | null, serverNowMs: number): number | null {
  const value = text?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) > 0 ? Number(value) * 1000 : null;
  const atMs = parseHttpDate(value);
  return atMs === null || atMs <= serverNowMs ? null : atMs - serverNowMs;
}
