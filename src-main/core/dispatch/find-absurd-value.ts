import { isSensibleInstant, MAX_INSTANT_MS, MIN_INSTANT_MS } from '../../common/model/period.ts';
import { isTimeZone } from '../../common/time/time-zones.ts';

const MAX_SPAN_MS = MAX_INSTANT_MS - MIN_INSTANT_MS;

/**
 * Returns the path of a value that has the declared type and still can't be meant: an instant outside 1900 to 2200, a
 * period that ends before it begins, an unknown time zone. Null when there is none. `input` met its schema.
 */
export function findAbsurdValue(input: unknown, path = ''): string | null {
  if (typeof input !== 'object' || input === null) return null;
  const { fromMs, toMs } = input as { fromMs?: unknown; toMs?: unknown };
  if (typeof fromMs === 'number' && typeof toMs === 'number' && toMs < fromMs) return `${path}/toMs`;
  const isDate = (input as { field?: unknown }).field === 'dateMs';
  for (const [name, value] of Object.entries(input)) {
    const place = `${path}/${name}`;
    const isInstant = name === 'fromMs' || name === 'toMs' || (isDate && (name === 'min' || name === 'max'));
    if (isInstant && typeof value === 'number' && !isSensibleInstant(value)) return place;
    if (name === 'spanMs' && typeof value === 'number' && value > MAX_SPAN_MS) return place;
    if (name === 'zone' && typeof value === 'string' && !isTimeZone(value)) return place;
    const inside = findAbsurdValue(value, place);
    if (inside !== null) return inside;
  }
  return null;
}
