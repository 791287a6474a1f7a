import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import {
  DEFAULT_LEFT_OUT,
  listOccurrences,
  type MonthDay,
  NO_PLANS,
  PLANNED_ALERTS,
  PLANNED_KINDS,
  type PlannedTime,
  type PlannedTimeDraft,
  type PlannedTimes,
  TIME_MARK_KINDS,
  type TimeMark,
  toPlansFile,
} from '../../common/model/connections/planned.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import { WEEKDAYS, type Weekday } from '../../common/model/schedules/schedule.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { formatMoment, isTimeZone } from '../../common/time/civil-time.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import { CONNECTION_OPTION, findConnection } from '../session/find-connections.ts';
import { toUsageError, type Command, type CommandContext } from '../words/command.ts';

const SHOWN_MS = 400 * DAY_MS;

/** Reads `Thursday 21:00-24:00`, `last friday 18:00-23:00`, `cron 0 2 * * 0 +90` or `2026-12-24T14:00 to 2026-12-25T00:00`. */
function readPlannedTimes(text: string): PlannedTimes | null {
  const cron = /^cron ((?:\S+ ){4}\S+) \+(\d{1,5})$/u.exec(text);
  if (cron !== null) return { repeats: 'cron', cron: cron[1] ?? '', minutes: Number(cron[2]) };
  const dates =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?(?: (?:to|-) (\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?)?$/iu.exec(
      text,
    );
  if (dates !== null) {
    const [, first = '', from, last = first, to] = dates;
    if (from !== undefined && to === undefined) return null;
    const end = to === undefined ? `${toNextDay(last)}T00:00` : `${last}T${to}`;
    return { repeats: 'dates', dates: [{ from: `${first}T${from ?? '00:00'}`, to: end }] };
  }
  const repeated = /^(.+) (\d\d:\d\d) ?- ?(\d\d:\d\d)$/u.exec(text);
  if (repeated === null) return null;
  const [, days = '', from = '', until = ''] = repeated;
  const toMinute = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
  const length = toMinute(until) - toMinute(from);
  const minutes = length > 0 ? length : length + 1_440;
  if (toMinute(from) >= 1_440 || toMinute(until) > 1_440) return null;
  const on = readMonthDay(days.toLowerCase());
  if (on !== null) return { repeats: 'monthly', on, from, minutes };
  const weekdays = days
    .toLowerCase()
    .split(/[ ,]+/u)
    .map((day) => WEEKDAYS.find((own) => own === day.replace(/s$/u, '')));
  if (!weekdays.every((day) => day !== undefined)) return null;
  return { repeats: 'weekly', weekdays: WEEKDAYS.filter((day) => weekdays.includes(day)), from, minutes };
}

function readMonthDay(words: string): MonthDay | null {
  if (words === 'last working day') return { workingDay: 'last' };
  if (words === 'last day') return { day: 'last' };
  const day = /^day (\d{1,2})$/u.exec(words);
  if (day !== null) return { day: Number(day[1]) };
  const [, nth = '', weekday = ''] = /^(first|second|third|fourth|fifth|last) (\w+)$/u.exec(words) ?? [];
  const own = WEEKDAYS.find((each): each is Weekday => each === weekday);
  if (own === undefined) return null;
  return {
    nth: nth === 'last' ? 'last' : ['first', 'second', 'third', 'fourth', 'fifth'].indexOf(nth) + 1,
    weekday: own,
  };
}

function toNextDay(day: string): string {
  const atMs = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(atMs) ? day : new Date(atMs + DAY_MS).toISOString().slice(0, 10);
}

function readDraft({ args }: CommandContext, connection: Connection, text: string): PlannedTimeDraft {
  const times = readPlannedTimes(text.trim());
  if (times === null)
    throw toUsageError(`"${text}" is no time that --add understands.`, '--help shows examples.');
  const kind = args.find('kind') === null ? 'planned' : args.choose('kind', PLANNED_KINDS);
  const zone = args.find('zone') ?? connection.serviceZone;
  if (!isTimeZone(zone)) throw toUsageError(`There is no time zone "${zone}".`, 'An example: Europe/Madrid.');
  const alerts = args.find('alerts') === null ? null : args.choose('alerts', PLANNED_ALERTS);
  const readValues = (name: string): number[] | null => {
    const given = args.find(name);
    if (given === null) return null;
    const values = given.split(',').map(Number);
    if (!values.every(Number.isInteger)) throw toUsageError(`--${name} takes numbers, such as 1,2.`);
    return values;
  };
  const [channels, services] = [readValues('channels'), readValues('services')];
  return {
    name: args.find('name') ?? text,
    kind,
    zone,
    times,
    leftOut: { ...DEFAULT_LEFT_OUT[kind], ...(alerts === null ? {} : { alerts }) },
    ...(channels === null ? {} : { channels }),
    ...(services === null ? {} : { services }),
  };
}

async function print(context: CommandContext, connection: Connection): Promise<void> {
  const { out, now } = context;
  const { times, marks } = connection.plans ?? NO_PLANS;
  const next = (time: PlannedTime): string => {
    const found = listOccurrences(time, { fromMs: now(), toMs: now() + SHOWN_MS })[0];
    return found === undefined ? 'over' : formatMoment(found.fromMs, time.zone);
  };
  for (const time of times) await out.json({ ...time, type: 'planned', next: next(time) });
  for (const mark of marks) await out.json({ ...mark, type: 'mark', at: new Date(mark.atMs).toISOString() });
  if (times.length + marks.length === 0) return out.text('Nothing is planned.');
  if (times.length > 0) {
    await out.table(
      ['id', 'name', 'kind', 'repeats', 'next'],
      times.map((time) => [time.id, time.name, time.kind, toTimesWords(time.times), next(time)]),
    );
  }
  if (marks.length > 0) {
    await out.table(
      ['id', 'mark', 'kind', 'at'],
      marks.map((mark: TimeMark) => [
        mark.id,
        mark.text,
        mark.kind,
        formatMoment(mark.atMs, connection.serviceZone),
      ]),
    );
  }
}

function toTimesWords(times: PlannedTimes): string {
  if (times.repeats === 'dates') {
    const [first] = times.dates;
    return times.dates.length === 1
      ? `${first?.from ?? ''} to ${first?.to ?? ''}`
      : countWords(times.dates.length, 'date');
  }
  const length = `${times.minutes} min`;
  if (times.repeats === 'cron') return `${times.cron}, ${length}`;
  if (times.repeats === 'weekly') return `${times.weekdays.join(', ')} ${times.from}, ${length}`;
  const { on } = times;
  const day =
    'day' in on ? `day ${on.day}` : 'workingDay' in on ? 'last working day' : `${on.nth} ${on.weekday}`;
  return `monthly, ${day} ${times.from}, ${length}`;
}

export const plannedCommand: Command = {
  name: 'planned',
  summary: 'lists and changes planned times and marks of a connection',
  operands: '',
  maxOperands: 0,
  options: [
    CONNECTION_OPTION,
    { name: 'add', value: 'TIME', summary: 'adds a planned time' },
    { name: 'mark', value: 'MOMENT', summary: 'adds a mark at a moment, such as 2026-11-26T12:30Z' },
    { name: 'import', value: 'FILE', summary: 'imports an .ics or .json file', isPath: true },
    { name: 'remove', value: 'ID', summary: 'removes a planned time or a mark' },
    { name: 'export', value: null, summary: 'prints all as JSON for --import' },
    { name: 'suggest', value: null, summary: 'suggests times that are quiet every week; changes nothing' },
    { name: 'name', value: 'NAME', summary: 'name of the new entry' },
    {
      name: 'kind',
      value: 'KIND',
      summary: 'kind of time or mark',
      choices: [...PLANNED_KINDS, ...TIME_MARK_KINDS],
    },
    { name: 'zone', value: 'ZONE', summary: "time zone (default: the service's)" },
    { name: 'channels', value: 'LIST', summary: 'only these channels, such as 1,2' },
    { name: 'services', value: 'LIST', summary: 'only these services' },
    {
      name: 'alerts',
      value: 'HOW',
      summary: 'left-out (not checked), muted (no notifications) or on',
      choices: [...PLANNED_ALERTS],
    },
  ],
  about: `Planned times are excluded from baselines, findings, uptime and, as chosen, alerts. Special times still count
for alerts and uptime. TIME is one of:
  "thursday 21:00-24:00"              each week; several weekdays with commas
  "last friday 18:00-23:00"           each month; also "first monday", "day 15", "last day",
                                      "last working day"
  "cron 0 2 * * 0 +90"                minute, hour, day, month, weekday; 90 minutes each
  "2026-12-24T14:00 to 2026-12-25T00:00"    once; "2026-12-25" for a whole day`,
  async run(context): Promise<ExitCode> {
    const { args, out } = context;
    const wanted = args.require('connection');
    const acts = (['add', 'mark', 'import', 'remove', 'export', 'suggest'] as const).filter(
      (name) => args.has(name) || args.find(name) !== null,
    );
    if (acts.length > 1) throw toUsageError(`--${acts.join(' and --')} exclude each other.`);
    const [act] = acts;
    const session = await context.open();
    const connection = await findConnection(session, wanted);
    const { id: connectionId } = connection;
    if (act === 'add') {
      const draft = readDraft(context, connection, args.require('add'));
      await print(context, await session.call('planned/save-time', { connectionId, timeId: null, draft }));
    } else if (act === 'mark') {
      const text = args.require('mark');
      const atMs = Date.parse(text);
      if (!/(?:Z|[+-]\d\d:?\d\d)$/iu.test(text) || Number.isNaN(atMs))
        throw toUsageError(`"${text}" is no moment.`, 'An example: 2026-11-26T12:30Z.');
      const kind = args.find('kind') === null ? 'note' : args.choose('kind', TIME_MARK_KINDS);
      const draft = { kind, atMs, text: args.find('name') ?? kind };
      await print(context, await session.call('planned/save-mark', { connectionId, markId: null, draft }));
    } else if (act === 'import') {
      const name = args.require('import');
      const text = await readFile(resolve(context.workFolder, name), 'utf8').catch((error: unknown) => {
        throw new CommandError(EXIT.notFound, `${name} can't be read: ${(error as Error).message}`);
      });
      const found = await session.call('planned/import', { connectionId, fileName: basename(name), text });
      for (const event of found.leftOut) out.note(`Left out: ${event.name} (${event.reason})`);
      out.note(`Added ${countWords(found.times, 'planned time')} and ${countWords(found.marks, 'mark')}.`);
      await print(context, found.connection);
    } else if (act === 'remove') {
      const id = args.require('remove');
      const isMark = connection.plans?.marks.some((mark) => mark.id === id) === true;
      await print(
        context,
        isMark
          ? await session.call('planned/remove-mark', { connectionId, markId: id })
          : await session.call('planned/remove-time', { connectionId, timeId: id }),
      );
    } else if (act === 'export') await out.raw(`${JSON.stringify(toPlansFile(connection.plans), null, 2)}\n`);
    else if (act === 'suggest') {
      for (const found of await session.call('planned/suggest', { connectionId })) {
        await out.json(found);
        await out.text(
          `Quiet on ${found.spans.length} ${found.weekday}s from ${found.from} for ${found.minutes} min` +
            `${found.channel === undefined ? '' : ` on channel ${found.channel}`}: ` +
            `${found.requests} requests, about ${found.usual} expected.`,
        );
      }
    } else await print(context, connection);
    return EXIT.done;
  },
};
