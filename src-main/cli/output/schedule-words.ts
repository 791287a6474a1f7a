import type { ScheduleState } from '../../common/model/schedules/schedule-run.ts';
import { WEEKDAYS, type Schedule } from '../../common/model/schedules/schedule.ts';

/** Returns a schedule as a line of JSON has it; times in UTC. */
export function toScheduleLine({ schedule, nextAtMs, lastRun }: ScheduleState, connection: string): object {
  const { id, name, report, period, zone, query, choices, folder, times, isActive } = schedule;
  return {
    id,
    name,
    connection,
    report,
    period,
    zone,
    query,
    format: choices.format,
    folder,
    times,
    isActive,
    nextAt: nextAtMs === null ? null : new Date(nextAtMs).toISOString(),
    lastRun:
      lastRun === null
        ? null
        : {
            startedAt: new Date(lastRun.startedAtMs).toISOString(),
            state: lastRun.state,
            file: lastRun.file,
            records: lastRun.records,
            missingSeconds: lastRun.missingMs === null ? null : Math.ceil(lastRun.missingMs / 1_000),
            error: lastRun.error?.code ?? null,
          },
  };
}

/** Returns when a schedule is due, such as `07:00 mon,fri Europe/Berlin`. */
export function toTimesWords({ times, zone }: Pick<Schedule, 'times' | 'zone'>): string {
  if (times.kind === 'hourly') return `every ${times.hours} h ${zone}`;
  const isDaily = times.weekdays.length === WEEKDAYS.length;
  const days = isDaily ? 'daily' : times.weekdays.map((day) => day.slice(0, 3)).join(',');
  return `${times.time} ${days} ${zone}`;
}
