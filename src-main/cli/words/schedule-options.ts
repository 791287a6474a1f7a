import {
  HOUR_STEPS,
  SCHEDULE_PERIODS,
  WEEKDAYS,
  type ScheduleTimes,
  type Weekday,
} from '../../common/model/schedules/schedule.ts';
import { toUsageError } from './arguments.ts';
import type { CommandContext } from './command.ts';
import type { OptionSpec } from './option.ts';

const TIME = /^(?:[01]?\d|2[0-3]):[0-5]\d$/;

/** Options that say when a schedule is due, and for which period. */
export const SCHEDULE_OPTIONS: readonly OptionSpec[] = [
  { name: 'period', value: 'PERIOD', summary: 'period', choices: SCHEDULE_PERIODS },
  { name: 'at', value: 'HH:MM', summary: 'the time of day' },
  { name: 'days', value: 'DAYS', summary: 'with --at, the days: mon-fri or mon,thu; left out, every day' },
  {
    name: 'every',
    value: 'HOURS',
    summary: 'in place of --at, every so many hours from midnight on',
    choices: HOUR_STEPS.map(String),
  },
];

/** Reads when a schedule is due. Throws a CommandError for what is no time. */
export function readTimes({ args }: Pick<CommandContext, 'args'>): ScheduleTimes {
  const at = args.find('at');
  const every = args.find('every');
  if (every !== null) {
    if (at !== null) throw toUsageError('--at and --every exclude each other.', '');
    const hours = HOUR_STEPS.find((step) => String(step) === every);
    if (hours !== undefined) return { kind: 'hourly', hours };
    throw toUsageError(`--every is one of ${HOUR_STEPS.join(', ')}; not "${every}".`);
  }
  const time = args.require('at');
  if (!TIME.test(time)) throw toUsageError(`--at is a time of day such as 07:00; not "${time}".`, '');
  return { kind: 'daily', time: time.padStart(5, '0'), weekdays: readDays(args.find('days')) };
}

function readDays(text: string | null): Weekday[] {
  if (text === null) return [...WEEKDAYS];
  const chosen = new Set<Weekday>();
  for (const part of text.toLowerCase().split(',')) {
    const [first, last = first] = part.split('-').map(findDay);
    if (first === undefined || last === undefined || part.split('-').length > 2) {
      throw toUsageError(`--days is a list such as mon-fri or mon,thu; not "${text}".`, '');
    }
    for (let day = first; ; day = (day + 1) % WEEKDAYS.length) {
      chosen.add(WEEKDAYS[day] ?? 'monday');
      if (day === last) break;
    }
  }
  return WEEKDAYS.filter((day) => chosen.has(day));
}

function findDay(text: string): number | undefined {
  const typed = text.trim();
  const place = WEEKDAYS.findIndex((day) => typed.length >= 2 && day.startsWith(typed));
  return place < 0 ? undefined : place;
}
