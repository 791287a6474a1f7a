import { useI18n } from 'vue-i18n';
import {
  WEEKDAYS,
  type ScheduleState,
  type ScheduleTimes,
  type Weekday,
} from '../../../src-main/common/model/schedules/schedule.ts';
import { toCivilTime } from '../../../src-main/common/time/time-zones.ts';
import { formatDay, formatDayClock, formatRange } from '../../format/dates.ts';
import { formatCount } from '../../format/numbers.ts';

/** How a schedule stands, for its mark. */
export type ScheduleLook = 'off' | 'running' | 'failed' | 'incomplete' | 'fine';

/** Returns how a schedule stands: what its newest run left counts until it is made again. */
export function toLook({ schedule, lastRun, taskId }: ScheduleState): ScheduleLook {
  if (taskId !== null) return 'running';
  if (!schedule.isActive) return 'off';
  if (lastRun?.state === 'failed') return 'failed';
  return lastRun?.state === 'incomplete' ? 'incomplete' : 'fine';
}

/** Puts schedules into words. */
export function useScheduleWords() {
  const { t } = useI18n();

  /** Days that follow one another as a range: `Mon–Fri`. */
  function toDays(weekdays: readonly Weekday[]): string {
    const chosen = WEEKDAYS.filter((day) => weekdays.includes(day));
    if (chosen.length === WEEKDAYS.length) return t('schedules.everyDay');
    const [first] = chosen;
    const last = chosen.at(-1);
    if (first === undefined || last === undefined) return '';
    const isRow = WEEKDAYS.indexOf(last) - WEEKDAYS.indexOf(first) === chosen.length - 1;
    if (chosen.length > 2 && isRow) {
      const names = { first: t(`schedules.days.${first}`), last: t(`schedules.days.${last}`) };
      return t('schedules.dayRange', names);
    }
    return chosen.map((day) => t(`schedules.days.${day}`)).join(', ');
  }

  function toTimes(times: ScheduleTimes): string {
    if (times.kind === 'hourly') {
      const hours = t('schedules.hours', { count: formatCount(times.hours) }, times.hours);
      return t('schedules.every', { hours });
    }
    return t('schedules.at', { days: toDays(times.weekdays), time: times.time });
  }

  /** A period as short as it can be told: whole days without their times. */
  function toPeriod(fromMs: number, toMs: number, zone: string): string {
    const isMidnight = (atMs: number): boolean => {
      const { hour, minute, second } = toCivilTime(atMs, zone);
      return hour + minute + second === 0;
    };
    if (!isMidnight(fromMs) || !isMidnight(toMs)) return formatRange(fromMs, toMs, zone);
    const [first, last] = [formatDay(fromMs, zone), formatDay(toMs - 1, zone)];
    return first === last ? first : `${first} – ${last}`;
  }

  function toState(state: ScheduleState): string {
    const { schedule, nextAtMs, lastRun } = state;
    const look = toLook(state);
    if (look === 'off' || look === 'running') return t(`schedules.state.${look}`);
    if (look !== 'fine' && lastRun !== null) {
      return t(`schedules.state.${look}`, { time: formatDayClock(lastRun.startedAtMs, schedule.zone) });
    }
    return nextAtMs === null
      ? ''
      : t('schedules.state.next', { time: formatDayClock(nextAtMs, schedule.zone) });
  }

  return { toTimes, toPeriod, toState };
}
