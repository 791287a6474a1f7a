import { isTimeZone } from '../../src-main/common/time/time-zones.ts';
import type { DateFormats } from '../../src-main/common/words/dates.ts';
import { readFormats } from './formats.ts';

export const formatClock: DateFormats['formatClock'] = (...given) => readFormats().formatClock(...given);
export const formatClockSeconds: DateFormats['formatClockSeconds'] = (...given) =>
  readFormats().formatClockSeconds(...given);
export const formatDay: DateFormats['formatDay'] = (...given) => readFormats().formatDay(...given);
export const formatDayClock: DateFormats['formatDayClock'] = (...given) =>
  readFormats().formatDayClock(...given);
export const formatExact: DateFormats['formatExact'] = (...given) => readFormats().formatExact(...given);
export const formatFullDay: DateFormats['formatFullDay'] = (...given) =>
  readFormats().formatFullDay(...given);
export const formatMonth: DateFormats['formatMonth'] = (...given) => readFormats().formatMonth(...given);
export const formatMonthName: DateFormats['formatMonthName'] = (...given) =>
  readFormats().formatMonthName(...given);
export const formatMonths: DateFormats['formatMonths'] = (...given) => readFormats().formatMonths(...given);
export const formatOffsets: DateFormats['formatOffsets'] = (...given) =>
  readFormats().formatOffsets(...given);
export const formatRange: DateFormats['formatRange'] = (...given) => readFormats().formatRange(...given);
export const formatRecentClock: DateFormats['formatRecentClock'] = (...given) =>
  readFormats().formatRecentClock(...given);

/** The zone of this computer. */
export function getLocalZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  // A computer without a known zone has a name that no clock can be asked for.
  return isTimeZone(timeZone) ? timeZone : 'UTC';
}
