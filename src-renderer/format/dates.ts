import { isTimeZone } from '../../src-main/common/time/time-zones.ts';

/** Times read the same in the window and in the files that the core writes. */
export {
  formatClock,
  formatClockSeconds,
  formatDay,
  formatDayClock,
  formatExact,
  formatFullDay,
  formatMonth,
  formatOffsets,
  formatRange,
  formatRecentClock,
} from '../../src-main/common/words/dates.ts';

/** The zone of this computer. */
export function getLocalZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  // A computer without a known zone has a name that no clock can be asked for.
  return isTimeZone(timeZone) ? timeZone : 'UTC';
}
