import { isRealCivilTime, type CivilTime } from '../time/civil-time.ts';
import { fromCivilTime, toCivilTime } from '../time/time-zones.ts';

const WIRE_DATE = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/;

/** Why a text is not a date of a report request. */
export type WireDateFault = 'misformed' | 'impossible';

/**
 * Reads `YYYY-MM-DD HH:MM:SS` (specification, "Report request body") field by field: 31 June is an
 * error, never 1 July.
 */
export function parseWireDate(text: string): CivilTime | WireDateFault {
  const match = WIRE_DATE.exec(text);
  if (match === null) return 'misformed';
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const civil = { year, month, day, hour, minute, second, millisecond: 0 };
  return isRealCivilTime(civil) ? civil : 'impossible';
}

/** Writes a civil time as `YYYY-MM-DD HH:MM:SS`; milliseconds are cut. */
export function formatWireDate(time: CivilTime): string {
  const pad = (value: number, length: number): string => String(value).padStart(length, '0');
  const date = `${pad(time.year, 4)}-${pad(time.month, 2)}-${pad(time.day, 2)}`;
  return `${date} ${pad(time.hour, 2)}:${pad(time.minute, 2)}:${pad(time.second, 2)}`;
}

/** The request date for an instant, in the zone of the service (decision 4). */
export function toWireDate(epochMs: number, zone: string): string {
  return formatWireDate(toCivilTime(epochMs, zone));
}

/** The instant that a valid request date names in the zone of the service, or why it names none. */
export function fromWireDate(text: string, zone: string): number | WireDateFault {
  const civil = parseWireDate(text);
  return typeof civil === 'string' ? civil : fromCivilTime(civil, zone);
}
