import { readFile } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import type { Connection } from '../../common/model/connections/connection.ts';
import { findLevelFault, toMonth, toServiceLevelsFile } from '../../common/model/connections/level-times.ts';
import {
  LEVEL_PARTS,
  type LevelReport,
  type ServiceHours,
  type ServiceLevelDraft,
} from '../../common/model/connections/service-level.ts';
import { WEEKDAYS } from '../../common/model/schedules/schedule.ts';
import { formatMoment } from '../../common/time/format-moment.ts';
import { createFormats } from '../../common/words/formats.ts';
import { ENGLISH } from '../../common/words/words.ts';
import { createLevelSentences } from '../../common/words/level-words.ts';
import type { SpokenKey } from '../../common/words/messages.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output/count-words.ts';
import { CONNECTION_OPTION, findConnection } from '../session/find-connections.ts';
import type { Session } from '../session/session.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import { toUsageError, type Command, type CommandContext } from '../words/command.ts';

const REPORT_FORMATS = ['html', 'pdf'] as const;
const sentences = createLevelSentences({
  t: (key, values, count) => ENGLISH.t(key as SpokenKey, values ?? {}, count),
  formats: createFormats('en'),
});

/** Reads `monday-friday 08:00-20:00; saturday 09:00-13:00`. */
function readHours(text: string): ServiceHours[] {
  return text.split(';').map((part) => {
    const [, days = '', from = '', to = ''] =
      /^([a-z, -]+?) +(\d\d:\d\d) ?- ?(\d\d:\d\d)$/iu.exec(part.trim()) ?? [];
    const weekdays = days
      .toLowerCase()
      .split(/[ ,]+/u)
      .flatMap((word) => {
        const [first = '', last = first] = word.split('-');
        const [start, end] = [first, last].map((name) => WEEKDAYS.findIndex((day) => day === name));
        if (start === undefined || end === undefined || start < 0 || end < start) return [undefined];
        return WEEKDAYS.slice(start, end + 1);
      });
    const isClock = /^([01]\d|2[0-3]):[0-5]\d$/u.test(from) && /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/u.test(to);
    if (!isClock || from === to || weekdays.includes(undefined))
      throw toUsageError(
        `"${part.trim()}" are no service hours.`,
        'An example: "monday-friday 08:00-20:00; saturday 09:00-13:00".',
      );
    return { weekdays: WEEKDAYS.filter((day) => weekdays.includes(day)), from, to };
  });
}

function readDraft({ args }: CommandContext, connection: Connection): ServiceLevelDraft {
  const text = args.require('add');
  const target = /^\d{1,3}(?:\.\d{1,3})? ?%?$/u.test(text) ? Number(text.replace('%', '')) : NaN;
  if (!(target >= 1 && target <= 100))
    throw toUsageError(`"${text}" is no percentage from 1 to 100.`, 'An example: 99.5.');
  const part = args.find('part') === null ? 'platform' : args.choose('part', LEVEL_PARTS);
  const hours = args.find('hours');
  const draft = {
    name: args.find('name') ?? (part === 'platform' ? 'Platform' : 'Connector'),
    part,
    target,
    zone: args.find('zone') ?? connection.serviceZone,
    hours: hours === null ? [] : readHours(hours),
    leavesOutPlanned: !args.has('with-planned'),
  };
  if (findLevelFault(draft) === 'zone')
    throw toUsageError(`There is no time zone "${draft.zone}".`, 'An example: Europe/Madrid.');
  return draft;
}

/** A month with its times as ISO 8601 and its figures in minutes. */
function toJson({ level, ...report }: LevelReport): object {
  const { figures } = sentences.toText({ level, ...report });
  const toIso = (atMs: number): string => new Date(atMs).toISOString();
  const toSpan = ({ fromMs, toMs }: { fromMs: number; toMs: number }): object => ({
    from: toIso(fromMs),
    to: toIso(toMs),
  });
  const toMinutes = (ms: number): number => Math.round((ms / 60_000) * 100) / 100;
  return {
    ...level,
    month: report.month,
    ...toSpan(report),
    until: toIso(report.untilMs),
    isOver: report.isOver,
    state: report.state,
    reached: figures.share === null ? null : Number((figures.share * 100).toFixed(figures.digits)),
    atLeast: figures.leastShare === null ? null : Number((figures.leastShare * 100).toFixed(figures.digits)),
    agreedMinutes: toMinutes(report.agreedMs),
    plannedMinutes: toMinutes(report.plannedMs),
    budgetMinutes: toMinutes(report.budgetMs),
    downMinutes: toMinutes(report.downMs),
    upMinutes: toMinutes(report.upMs),
    unwatchedMinutes: toMinutes(report.unwatchedMs),
    outages: report.outages.map(({ downMs, isOngoing, ...span }) => ({
      ...toSpan(span),
      minutes: toMinutes(downMs),
      isOngoing,
    })),
    gaps: report.gaps.map(toSpan),
    planned: report.planned.map(({ name, ...span }) => ({ name, ...toSpan(span) })),
    checkedSince: report.checkedSinceMs === null ? null : toIso(report.checkedSinceMs),
  };
}

async function print({ out }: CommandContext, reports: readonly LevelReport[]): Promise<void> {
  if (reports.length === 0) return out.text('No service level is agreed.');
  for (const report of reports) {
    const { level, outages, month, isOver } = report;
    await out.json(toJson(report));
    const text = sentences.toText(report);
    await out.text(`${level.name}, ${month}${isOver ? '' : ' so far'} (${level.id})`);
    await out.text(`  ${sentences.toAgreement(level)}`);
    await out.text(
      `  ${text.share} ${text.ofTarget}, ${text.short}, ${text.watched} ${text.watchedOf} watched. ` +
        `${ENGLISH.t(`levels.states.${report.state}`)}.`,
    );
    if (outages.length > 0)
      await out.table(
        ['down from', 'to', 'minutes'],
        outages.map(({ fromMs, toMs, isOngoing }, place) => [
          formatMoment(fromMs, level.zone),
          isOngoing ? 'still down' : formatMoment(toMs, level.zone),
          sentences.toMinutes(text.figures.outageMinutes[place] ?? 0),
        ]),
      );
  }
}

async function writeReport(
  context: CommandContext,
  session: Session,
  { connectionId, month }: { readonly connectionId: string; readonly month: string },
): Promise<void> {
  const { args, out, workFolder } = context;
  const target = resolve(workFolder, args.require('out'));
  const format = REPORT_FORMATS.find((each) => extname(target).toLowerCase() === `.${each}`);
  if (format === undefined) throw toUsageError('--out takes a file that ends in .html or .pdf.', '');
  const { taskId } = await session.call(
    'exports/start-service-levels',
    { connectionId, month, levelIds: [], format },
    { exportTarget: target },
  );
  if (taskId === null) throw new CommandError(EXIT.cancelled, 'Cancelled.');
  const task = await waitForTask(context, session, taskId, { doing: 'Writing', unit: 'targets' });
  requireDone(task);
  await out.json({ file: target, month, bytes: task.fileBytes, sha256: task.fileSha256 });
  await out.text(`${target}: ${countWords(task.fileBytes ?? 0, 'byte')}`);
}

export const serviceLevelsCommand: Command = {
  name: 'service-levels',
  summary: 'compares a month with its targets, and changes them',
  operands: '',
  maxOperands: 0,
  options: [
    CONNECTION_OPTION,
    { name: 'month', value: 'MONTH', summary: 'such as 2026-11 (default: the current one)' },
    { name: 'out', value: 'FILE', summary: "writes the month's report as .html or .pdf", isPath: true },
    { name: 'add', value: 'PERCENT', summary: 'adds a target, such as 99.5' },
    {
      name: 'part',
      value: 'PART',
      summary: 'what the target is for (default: the platform)',
      choices: LEVEL_PARTS,
    },
    { name: 'name', value: 'NAME', summary: 'name of the target' },
    { name: 'hours', value: 'HOURS', summary: 'service hours (default: all hours)' },
    { name: 'zone', value: 'ZONE', summary: "time zone (default: the service's)" },
    { name: 'with-planned', value: null, summary: 'planned times count as agreed time' },
    { name: 'remove', value: 'ID', summary: 'removes a target' },
    { name: 'import', value: 'FILE', summary: 'adds the targets of a file', isPath: true },
    { name: 'export', value: null, summary: 'prints all targets as JSON for --import' },
  ],
  about: `Uptime is based on this application's status checks: unwatched time is neither up nor down, and the budget is of the
agreed time of the whole month. HOURS is such as
"monday-friday 08:00-20:00; saturday 09:00-13:00", in ZONE; an end before its beginning is on the next day.`,
  async run(context): Promise<ExitCode> {
    const { args, out } = context;
    const wanted = args.require('connection');
    const acts = (['add', 'remove', 'import', 'export', 'out'] as const).filter(
      (name) => args.has(name) || args.find(name) !== null,
    );
    if (acts.length > 1) throw toUsageError(`--${acts.join(' and --')} exclude each other.`);
    const [act] = acts;
    const month = args.find('month');
    if (month !== null && !/^\d{4}-(0[1-9]|1[0-2])$/u.test(month))
      throw toUsageError(`"${month}" is no month.`, 'An example: 2026-11.');
    const session = await context.open();
    const connection = await findConnection(session, wanted);
    const { id: connectionId } = connection;
    if (act === 'export') {
      await out.raw(`${JSON.stringify(toServiceLevelsFile(connection.serviceLevels ?? []), null, 2)}\n`);
      return EXIT.done;
    }
    if (act === 'out') {
      const present = toMonth(context.now(), connection.serviceLevels?.[0]?.zone ?? connection.serviceZone);
      await writeReport(context, session, { connectionId, month: month ?? present });
      return EXIT.done;
    }
    if (act === 'add') {
      const draft = readDraft(context, connection);
      await session.call('service-levels/save', { connectionId, levelId: null, draft });
    } else if (act === 'remove') {
      await session.call('service-levels/remove', { connectionId, levelId: args.require('remove') });
    } else if (act === 'import') {
      const name = args.require('import');
      const text = await readFile(resolve(context.workFolder, name), 'utf8').catch((error: unknown) => {
        throw new CommandError(EXIT.notFound, `${name} can't be read: ${(error as Error).message}`);
      });
      const { added } = await session.call('service-levels/import', {
        connectionId,
        fileName: basename(name),
        text,
      });
      out.note(`Added ${countWords(added, 'target')}.`);
    }
    await print(context, await session.call('service-levels/read', { connectionId, month }));
    return EXIT.done;
  },
};
