import { readFile } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { Value } from 'typebox/value';
import type { OutcomeAdvice, OutcomeSuggestion } from '../../common/model/analysis/outcome-suggestion.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import {
  findLevelFault,
  LEVEL_PARTS,
  type LevelReport,
  type ServiceHours,
  type ServiceLevelDraft,
  toMonth,
  toServiceLevelsFile,
} from '../../common/model/connections/service-level.ts';
import { WEEKDAYS } from '../../common/model/schedules/schedule.ts';
import {
  ConnectionOutcomes,
  type ConnectionOutcomes as Outcomes,
  OUTCOMES,
  toRules,
} from '../../common/reporting/outcome.ts';
import { type Direction, DIRECTIONS } from '../../common/reporting/reports.ts';
import { formatMoment } from '../../common/time/civil-time.ts';
import { createFormats } from '../../common/words/formats.ts';
import { createLevelSentences } from '../../common/words/level-words.ts';
import type { SpokenKey } from '../../common/words/messages.ts';
import { ENGLISH } from '../../common/words/words.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import { CONNECTION_OPTION, findConnection } from '../session/find-connections.ts';
import type { Session } from '../session/session.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import { type Command, type CommandContext, toUsageError } from '../words/command.ts';

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

const toPercent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

/** Why a rule is offered, in a sentence. */
function explain({
  reason,
  rule,
  share,
  othersShare,
  ofAll,
  count,
  path,
  examples,
}: OutcomeSuggestion): string {
  const codes = (rule.codes ?? [])
    .map((code) => (code === null ? 'no code' : `code ${String(code)}`))
    .join(', ');
  const who = codes === '' ? 'Records' : `Records with ${codes}`;
  const others = othersShare === null ? '' : ` (others in ${toPercent(othersShare)})`;
  const place = path === undefined ? '' : `${path.in === 'payload' ? 'Payload' : 'Response'}: ${path.at}`;
  const [example = ''] = examples;
  const says = {
    'error-text': `come with a text in Error in ${toPercent(share)}${others}, such as "${example}"`,
    body: `say "${example}" in ${place} in ${toPercent(share)}${others}`,
    'no-response': `have no response in ${toPercent(share)}${others}`,
    slow: `take ${Math.round(share)} times as long as others`,
    usual: `are ${toPercent(ofAll)} of all, without a sign of failure`,
    alike: 'read like those that are fine',
    steady: `are ${toPercent(ofAll)} of all requests on every day, and say the same`,
    'usual-text': `say "${example}" in Error in ${toPercent(share)} of all`,
  }[reason];
  return `${who} (${count.toLocaleString('en')}) ${says}: count them as ${rule.outcome}?`;
}

async function readRules(context: CommandContext, name: string): Promise<Outcomes> {
  const file = resolve(context.workFolder, name);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(EXIT.notFound, `${name} can't be read: ${(error as Error).message}`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw toUsageError(`${name} is no JSON: ${(error as Error).message}`, '');
  }
  if (Value.Check(ConnectionOutcomes, value)) return value;
  const [fault] = [...Value.Errors(ConnectionOutcomes, value)];
  throw toUsageError(
    `${name} holds no rules: ${fault === undefined ? '' : `${fault.instancePath || '/'} ${fault.message}`}.`,
    'It has the form that "outcome --connection NAME" prints.',
  );
}

/** The rules in use of both directions, as a file of rules has them. */
function listRules({ outcomes }: Connection): Required<Outcomes> {
  return { inbound: toRules(outcomes, 'inbound'), outbound: toRules(outcomes, 'outbound') };
}

async function printAdvice(
  { out }: CommandContext,
  direction: Direction,
  { suggestions, unclear, counts, recordCount }: OutcomeAdvice,
): Promise<void> {
  for (const suggestion of suggestions) await out.json({ direction, ...suggestion });
  for (const { code, count } of unclear) await out.json({ direction, unclear: code, count });
  if (recordCount === 0) return out.text(`${direction}: nothing is cached.`);
  const shares = OUTCOMES.map(
    (outcome, place) => `${toPercent((counts[place] ?? 0) / recordCount)} ${outcome}`,
  );
  await out.text(`${direction}: ${countWords(recordCount, 'record')}, ${shares.join(', ')}`);
  for (const suggestion of suggestions) await out.text(`  ${explain(suggestion)}`);
  for (const { code, count } of unclear)
    await out.text(
      `  It isn't clear what ${code === null ? 'no code' : `code ${code}`} means: ${countWords(count, 'record')} stay unknown.`,
    );
}

const advise = (session: Session, connectionId: string, direction: Direction): Promise<OutcomeAdvice> =>
  session.call('outcome/advise', { connectionId, direction });

export const outcomeCommand: Command = {
  name: 'outcome',
  summary: 'shows and changes which requests count as failed',
  operands: '',
  maxOperands: 0,
  options: [
    CONNECTION_OPTION,
    {
      name: 'suggest',
      value: null,
      summary: 'prints rules suggested by the cached records; changes nothing',
    },
    { name: 'accept', value: null, summary: 'accepts all suggestions' },
    { name: 'file', value: 'RULES.json', summary: 'replaces the rules with those of a file' },
    { name: 'defaults', value: null, summary: 'restores the default rules' },
  ],
  about: `Without --suggest the rules are printed as JSON, after changes by --accept, --file or --defaults:
{"inbound":[…],"outbound":[…]}. The first matching rule decides; a record without one is
unknown. A rule says "outcome": "ok", "failed", "expected" (a business answer: counted apart, never
a failure) or "unknown", and its conditions, all of which must match:
  "codes": [0, [400, 599], null]      codes, ranges with both ends, and null for no code
  "error": "present" or "absent", {"contains": "timeout"}, {"is": ["OK"]}, {"family": "…"}
  "path": {"in": "response", "at": "status", "is": ["failed"]}
                                      a value inside the payload or the response;
                                      without "is" anything but null, false, 0 and what is empty
  "channels", "services": [3]         "origins", "actions": ["-1"]`,
  async run(context): Promise<ExitCode> {
    const { args, out } = context;
    const wanted = args.require('connection');
    const file = args.find('file');
    const ways = [args.has('suggest'), args.has('accept'), args.has('defaults'), file !== null];
    if (ways.filter((isChosen) => isChosen).length > 1)
      throw toUsageError('--suggest, --accept, --file and --defaults exclude each other.');
    // Before anything is opened: a file with a mistake changes nothing.
    const given = file === null ? null : await readRules(context, file);
    const session = await context.open();
    const connection = await findConnection(session, wanted);
    const { id: connectionId } = connection;
    if (args.has('suggest')) {
      for (const direction of DIRECTIONS)
        await printAdvice(context, direction, await advise(session, connectionId, direction));
      return EXIT.done;
    }
    let outcomes = given ?? (args.has('defaults') ? {} : null);
    if (args.has('accept')) {
      const accepted: Outcomes = { ...connection.outcomes };
      for (const direction of DIRECTIONS) {
        const advice = await advise(session, connectionId, direction);
        for (const suggestion of advice.suggestions) out.note(`${direction}: ${explain(suggestion)} Taken.`);
        if (advice.suggestions.length > 0) accepted[direction] = advice.accepted;
      }
      outcomes = accepted;
    }
    const shown =
      outcomes === null
        ? connection
        : await session.call('outcome/save', { connectionId, outcomes, wait: true });
    await out.raw(`${JSON.stringify(listRules(shown), null, 2)}\n`);
    return EXIT.done;
  },
};
