import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  DATASET_REPORTS,
  type DatasetUpdate,
  findByName,
  isDocumentFormat,
} from '../../common/model/exports/export-options.ts';
import {
  HOUR_STEPS,
  MAX_SCHEDULE_NAME_CHARACTERS,
  type Schedule,
  SCHEDULE_FORMATS,
  SCHEDULE_PERIODS,
  type ScheduleDraft,
  type ScheduleState,
  type ScheduleTimes,
  type Weekday,
  WEEKDAYS,
} from '../../common/model/schedules/schedule.ts';
import { DETAIL_KINDS, isDetailKind, REPORT_KINDS } from '../../common/reporting/reports.ts';
import { CommandError, EXIT, type ExitCode, toExitCode } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import {
  CONNECTION_OPTION,
  findConnection,
  prepareConnection,
  SECRET_OPTIONS,
} from '../session/find-connections.ts';
import { checkChoiceOptions, CHOICE_OPTIONS, GAPS_OPTION, readChoices } from '../session/find-records.ts';
import type { Session } from '../session/session.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import { type Command, type CommandContext, type OptionSpec, toUsageError } from '../words/command.ts';
import { QUERY_OPTION, readQuery, readZone } from '../words/options.ts';

const NAME_OPTION = { name: 'name', value: 'NAME', summary: 'name of the connection' } as const;

/** The option and the operand name the same schedule. */
function readName({ args }: CommandContext): string {
  return args.operands[0] ?? args.require('name');
}

async function listStates(session: Session): Promise<readonly ScheduleState[]> {
  return (await session.call('schedules/list', null)).schedules;
}

async function findState(context: CommandContext, session: Session): Promise<ScheduleState> {
  const name = readName(context);
  const states = await listStates(session);
  const named = states.map((state) => ({ name: state.schedule.name, state }));
  const found = states.find(({ schedule }) => schedule.id === name) ?? findByName(named, name)?.state;
  if (found !== undefined) return found;
  const names = named.map((each) => `"${each.name}"`).join(', ');
  throw new CommandError(
    EXIT.notFound,
    `There is no schedule "${name}".`,
    names === '' ? 'Add one with "schedule add".' : `There are: ${names}.`,
  );
}

const list: Command = {
  name: 'schedule list',
  summary: 'lists schedules with their next and last run',
  operands: '',
  maxOperands: 0,
  options: [],
  async run({ out, open }) {
    const session = await open();
    const states = await listStates(session);
    const connections = await session.call('connections/list', null);
    const toConnection = (id: string): string =>
      connections.find((each) => each.id === id)?.name ?? 'removed';
    for (const state of states)
      await out.json(toScheduleLine(state, toConnection(state.schedule.connectionId)));
    await out.table(
      ['name', 'connection', 'report', 'period', 'due', 'format', 'on', 'last run'],
      states.map(({ schedule, lastRun }) => [
        schedule.name,
        toConnection(schedule.connectionId),
        schedule.report,
        schedule.period,
        toTimesWords(schedule),
        schedule.choices.format,
        schedule.isActive ? 'yes' : 'no',
        lastRun === null ? 'never' : lastRun.state,
      ]),
    );
    return EXIT.done;
  },
};

/** Where the files go. Fails for what is no folder. */
function readFolder({ args, workFolder }: CommandContext): string {
  const folder = resolve(workFolder, args.require('out'));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new CommandError(EXIT.disk, `There is no folder ${folder}.`);
}

/** Options that say when a schedule is due, and for which period. */
const SCHEDULE_OPTIONS: readonly OptionSpec[] = [
  { name: 'period', value: 'PERIOD', summary: 'period', choices: SCHEDULE_PERIODS },
  { name: 'at', value: 'HH:MM', summary: 'the time of day' },
  { name: 'days', value: 'DAYS', summary: 'with --at, the days: mon-fri or mon,thu (default: every day)' },
  {
    name: 'every',
    value: 'HOURS',
    summary: 'instead of --at, every so many hours from midnight',
    choices: HOUR_STEPS.map(String),
  },
];

const TIME = /^(?:[01]?\d|2[0-3]):[0-5]\d$/;

const add: Command = {
  name: 'schedule add',
  summary: 'creates a schedule that repeats an export into a folder',
  operands: '',
  maxOperands: 0,
  options: [
    NAME_OPTION,
    CONNECTION_OPTION,
    { name: 'report', value: 'REPORT', summary: 'the report', choices: REPORT_KINDS },
    ...SCHEDULE_OPTIONS,
    { name: 'zone', value: 'ZONE', summary: "time zone of its times and period (default: the connection's)" },
    QUERY_OPTION,
    {
      name: 'format',
      value: 'FORMAT',
      summary: 'format of the file',
      choices: SCHEDULE_FORMATS,
    },
    { name: 'out', value: 'FOLDER', summary: 'folder for its files', isPath: true },
    ...CHOICE_OPTIONS,
    {
      name: 'cached-only',
      value: null,
      summary: 'fetch nothing: write what is cached, and report gaps',
    },
    { name: 'off', value: null, summary: "don't switch it on" },
    { name: 'replace', value: null, summary: 'change an existing schedule of this name' },
  ],
  about: `Summaries are computed from cached records. It runs while Channelscope does; "schedule run" runs one now. With
--json it writes what "schedule list" does.`,
  async run(context) {
    const { args, out } = context;
    const name = args.require('name').trim();
    if (name.length > MAX_SCHEDULE_NAME_CHARACTERS) {
      throw toUsageError(`--name has ${MAX_SCHEDULE_NAME_CHARACTERS} characters at most.`, '');
    }
    const report = args.choose('report', REPORT_KINDS);
    const period = args.choose('period', SCHEDULE_PERIODS);
    const times = readTimes(context);
    checkChoiceOptions(context);
    if (args.find('format') !== null) args.choose('format', SCHEDULE_FORMATS);
    readZone(context, 'UTC');
    readQuery(context, 'UTC', []);
    args.require('connection');
    const folder = readFolder(context);
    const session = await context.open();
    const connection = await findConnection(session, args.require('connection'));
    const known = findByName(
      (await listStates(session)).map(({ schedule }) => schedule),
      name,
    );
    if (known !== undefined && !args.has('replace')) {
      throw toUsageError(`There is a schedule "${known.name}" already.`, 'Change it with --replace.');
    }
    const zone = readZone(context, connection.serviceZone);
    readQuery(context, zone, connection.names ?? []);
    const choices = await readChoices(context, session);
    if (isDocumentFormat(choices.format) && !isDetailKind(report)) {
      throw toUsageError(
        `--format ${choices.format} is made of detail records: ${DETAIL_KINDS.join(', ')}.`,
        '',
      );
    }
    const chosen = await session.call('schedules/choose-folder', { name }, { exportTarget: folder });
    if (chosen === null) throw new CommandError(EXIT.cancelled, 'Cancelled.');
    const draft: ScheduleDraft = {
      name,
      connectionId: connection.id,
      report,
      period,
      zone,
      query: args.find('query') ?? '',
      choices,
      columns: null,
      times,
      isActive: !args.has('off'),
      fetchesMissing: !args.has('cached-only'),
    };
    const { id } = await session.call('schedules/save', {
      scheduleId: known?.id ?? null,
      folderId: chosen.folderId,
      draft,
    });
    const saved = (await listStates(session)).find(({ schedule }) => schedule.id === id);
    if (saved === undefined) throw new CommandError(EXIT.notFound, 'The schedule was removed meanwhile.');
    await out.json(toScheduleLine(saved, connection.name));
    await out.text(`Saved schedule "${name}": ${toTimesWords(saved.schedule)}, to ${folder}`);
    if (session.isAlone) out.note('It runs while Channelscope is open.');
    return EXIT.done;
  },
};

const remove: Command = {
  name: 'schedule remove',
  summary: 'removes a schedule and its log; its files stay',
  operands: 'NAME',
  maxOperands: 1,
  options: [NAME_OPTION, { name: 'yes', value: null, summary: "don't ask" }],
  async run(context) {
    const { args, out, confirm } = context;
    const session = await context.open();
    const { schedule } = await findState(context, session);
    if (confirm !== null && !args.has('yes') && !(await confirm(`Remove the schedule "${schedule.name}"?`))) {
      throw new CommandError(EXIT.cancelled, 'Nothing was removed.');
    }
    await session.call('schedules/remove', { scheduleId: schedule.id });
    await out.json({ removed: schedule.id });
    await out.text(`Removed schedule "${schedule.name}".`);
    return EXIT.done;
  },
};

const run: Command = {
  name: 'schedule run',
  summary: 'runs a schedule now, even if it is off',
  operands: 'NAME',
  maxOperands: 1,
  options: [NAME_OPTION, ...SECRET_OPTIONS, GAPS_OPTION],
  about: `Its period is the current one. With --json it writes {"file","records","bytes","missingSeconds"}.`,
  async run(context) {
    const { out } = context;
    const session = await context.open();
    const { schedule } = await findState(context, session);
    const { id: scheduleId, connectionId } = schedule;
    if (schedule.fetchesMissing) {
      const args = { ...context.args, require: () => connectionId };
      await prepareConnection({ ...context, args }, session);
    }
    const { taskId } = await session.call('schedules/run', { scheduleId });
    requireDone(await waitForTask(context, session, taskId, { doing: 'Running', unit: 'records' }));
    const [last] = await session.call('schedules/read-log', { scheduleId });
    if (last?.file === undefined || last.file === null) {
      throw new CommandError(EXIT.unexpected, 'The run left no file.');
    }
    const { file, records, bytes, missingMs } = last;
    const missingSeconds = Math.ceil((missingMs ?? 0) / 1_000);
    await out.json({ file, records, bytes, missingSeconds });
    await out.text(`${file}: ${countWords(records ?? 0, 'record')}, ${countWords(bytes ?? 0, 'byte')}`);
    return judge(context, missingSeconds, last.error);
  },
};

/** Says what is missing, and returns the exit code that follows. */
function judge({ args, out }: CommandContext, missingSeconds: number, error: ScheduleRunError): ExitCode {
  if (missingSeconds === 0) return EXIT.done;
  const why = error === null ? '' : ` ${error.message}`;
  out.note(
    `Incomplete: ${missingSeconds.toLocaleString('en')} s of the period are not cached in full.${why}`,
  );
  if (args.has('allow-gaps')) return EXIT.done;
  const code = error === null ? EXIT.incomplete : toExitCode(error);
  return code === EXIT.refused || code === EXIT.unreachable ? code : EXIT.incomplete;
}

type ScheduleRunError = NonNullable<ScheduleState['lastRun']>['error'];

export const SCHEDULE_COMMANDS: readonly Command[] = [list, add, remove, run];

/** Returns a schedule as a line of JSON has it; times in UTC. */
function toScheduleLine({ schedule, nextAtMs, lastRun }: ScheduleState, connection: string): object {
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
function toTimesWords({ times, zone }: Pick<Schedule, 'times' | 'zone'>): string {
  if (times.kind === 'hourly') return `every ${times.hours} h ${zone}`;
  const isDaily = times.weekdays.length === WEEKDAYS.length;
  const days = isDaily ? 'daily' : times.weekdays.map((day) => day.slice(0, 3)).join(',');
  return `${times.time} ${days} ${zone}`;
}

/** Reads when a schedule is due. Throws a CommandError for what is no time. */
function readTimes({ args }: Pick<CommandContext, 'args'>): ScheduleTimes {
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

/** Brings a dataset up to the cache, and returns what that did. */
async function update(context: CommandContext, session: Session, datasetId: string): Promise<DatasetUpdate> {
  const { taskId } = await session.call('datasets/update', { datasetId });
  requireDone(await waitForTask(context, session, taskId, { doing: 'Writing', unit: 'days' }));
  const updated = (await session.call('datasets/list', null)).find(({ id }) => id === datasetId);
  if (updated === undefined || updated.last === null) {
    throw new CommandError(EXIT.unexpected, 'The folder was not written.');
  }
  return updated.last;
}

export const datasetCommand: Command = {
  name: 'dataset',
  summary: 'updates a folder of Parquet, one file per report and day',
  operands: '',
  maxOperands: 0,
  options: [
    CONNECTION_OPTION,
    { name: 'out', value: 'FOLDER', summary: 'the folder; created if missing', isPath: true },
    { name: 'report', value: 'REPORT', summary: 'one report; both by default', choices: DATASET_REPORTS },
    { name: 'keep', value: null, summary: 'remember it, and update it while Channelscope runs' },
  ],
  about: `Only changed days are replaced, and the folder can be read meanwhile. A folder that is written without
--keep isn't remembered, unless it was before.

With --json it writes {"folder","days","records","bytes","written","incomplete"}.`,
  async run(context) {
    const { args, out, workFolder } = context;
    args.require('connection');
    const folder = resolve(workFolder, args.require('out'));
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
      throw new CommandError(EXIT.disk, `${folder} is a file.`, '--out names a folder.');
    }
    const report = args.find('report') === null ? null : args.choose('report', DATASET_REPORTS);
    const session = await context.open();
    const { id: connectionId } = await findConnection(session, args.require('connection'));
    const known = (await session.call('datasets/list', null)).find(
      (dataset) => dataset.connectionId === connectionId && dataset.folder === folder,
    );
    const added = await session.call(
      'datasets/add',
      {
        connectionId,
        reports: report === null ? [...DATASET_REPORTS] : [report],
        isKept: args.has('keep') || known?.isKept === true,
      },
      { exportTarget: folder },
    );
    if (added === null) throw new CommandError(EXIT.cancelled, 'Cancelled.');
    const isRemembered = args.has('keep') || known !== undefined;
    const last = await (async () => {
      try {
        return await update(context, session, added.id);
      } finally {
        if (!isRemembered) await session.call('datasets/remove', { datasetId: added.id });
      }
    })();
    const { days, records, bytes, written, incomplete } = last;
    await out.json({ folder, days, records, bytes, written, incomplete });
    await out.text(
      `${folder}: ${countWords(last.days, 'day')}, ${countWords(last.records, 'record')}, ${countWords(last.written, 'file')} written`,
    );
    // The day that is not over is among them, every time.
    if (last.incomplete > 0)
      out.note(`Of ${countWords(last.incomplete, 'day')} something is not cached or not settled yet.`);
    return EXIT.done;
  },
};
