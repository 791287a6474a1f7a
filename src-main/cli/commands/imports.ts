import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import type { Input } from '../../common/contract/index.ts';
import type { Remark } from '../../common/model/cache/snapshot.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import { listOwnFields, OWN_TABLE_FIELDS } from '../../common/model/connections/own-table.ts';
import { FORMATS, IMPORTED_FORMATS } from '../../common/model/exports/export-options.ts';
import { DATE_ORDERS } from '../../common/reporting/reading/read-date.ts';
import { REPORT_KINDS } from '../../common/reporting/reports.ts';
import { isTimeZone } from '../../common/time/civil-time.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import { CONNECTION_OPTION, findConnection } from '../session/find-connections.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import { type Command, type CommandContext, toUsageError } from '../words/command.ts';
import { readMoment } from '../words/options.ts';

/** The file to import. Fails before anything is opened where there is none. */
function readFileArgument({ args, workFolder }: CommandContext): string {
  const [name] = args.operands;
  if (name === undefined) throw toUsageError('It needs the name of a file.');
  const file = resolve(workFolder, name);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new CommandError(EXIT.notFound, `There is no file ${file}.`);
  }
  return file;
}

/** What a person states of the records that it holds; undefined where they state nothing. */
function readComplete({ args, now }: CommandContext, zone: string): Input<'imports/start'>['complete'] {
  const read = (name: string): number | null => {
    const text = args.find(name);
    if (text === null) return null;
    if (!args.has('complete')) throw toUsageError(`--${name} goes with --complete.`, '');
    const atMs = readMoment(text, zone, now());
    if (atMs === null) throw toUsageError(`--${name}: "${text}" is no time.`, 'Write 2026-11-20T10:15Z.');
    return atMs;
  };
  const [fromMs, toMs] = [read('from'), read('to')];
  return args.has('complete') ? { fromMs, toMs } : undefined;
}

/** What is said of a file that came in, by the code of the remark. */
const REMARKS: Readonly<Record<string, (remark: Remark) => string>> = {
  'import-dates-converted': ({ count = 0, detail = '' }) =>
    `${countWords(count, 'date')} as a spreadsheet writes them: ${detail}.`,
  'import-dates-unread': ({ count = 0, detail = '' }) =>
    `${countWords(count, 'date')} can't be read, such as "${detail}": these records have no time.`,
  'import-zone-assumed': ({ detail = '' }) =>
    `The file doesn't say the zone of its dates: ${detail} was assumed. --zone says another.`,
  'date-empty': ({ count = 0 }) => `Without a date: ${countWords(count, 'record')}.`,
  'number-not-understood': ({ count = 0 }) =>
    `With a number that can't be read: ${countWords(count, 'record')}.`,
};

export const importCommand: Command = {
  name: 'import',
  summary: 'imports an export or a portable snapshot into the cache',
  operands: 'FILE',
  maxOperands: 1,
  options: [
    { ...CONNECTION_OPTION, summary: 'the connection that gets the records' },
    {
      name: 'report',
      value: 'REPORT',
      summary: 'what it is of',
      choices: REPORT_KINDS,
    },
    { name: 'zone', value: 'ZONE', summary: 'time zone of dates without one' },
    {
      name: 'dates',
      value: 'ORDER',
      summary: 'order of day and month in its dates',
      choices: DATE_ORDERS,
    },
    { name: 'complete', value: null, summary: 'mark it as complete: it contains all records of a period' },
    { name: 'from', value: 'TIME', summary: 'start of that period (default: first record)' },
    { name: 'to', value: 'TIME', summary: 'end of that period (default: last record)' },
  ],
  about: `FILE is an export (${IMPORTED_FORMATS.map((format) => FORMATS[format].name).join(', ')}), a file of a dataset, or a portable snapshot: all of it is imported, or
nothing.

A file counts as incomplete unless it says otherwise, so findings and incidents skip it. --complete marks it as
complete; the mark is shown wherever the records are, because it can't be verified.

With --json it writes {"file","sha256","connection","snapshots","records"}.`,
  async run(context) {
    const { args, out } = context;
    const file = readFileArgument(context);
    const report = args.find('report') === null ? undefined : args.choose('report', REPORT_KINDS);
    const zone = args.find('zone') ?? undefined;
    if (zone !== undefined && !isTimeZone(zone))
      throw toUsageError(`--zone: there is no time zone "${zone}".`);
    const dateOrder = args.find('dates') === null ? undefined : args.choose('dates', DATE_ORDERS);
    const complete = readComplete(context, zone ?? 'UTC');
    const session = await context.open();
    const wanted = args.find('connection');
    const connectionId = wanted === null ? null : (await findConnection(session, wanted)).id;
    const { taskId } = await session.call(
      'imports/start',
      {
        uploadId: null,
        connectionId,
        ...(report === undefined ? {} : { report }),
        ...(zone === undefined ? {} : { zone }),
        ...(dateOrder === undefined ? {} : { dateOrder }),
        ...(complete === undefined ? {} : { complete }),
      },
      { importFile: file },
    );
    if (taskId === null) throw new CommandError(EXIT.cancelled, 'Cancelled.');
    const task = await waitForTask(context, session, taskId, { doing: 'Importing', unit: 'bytes' });
    requireDone(task);
    const { importOutcome } = task;
    if (importOutcome === undefined)
      throw new CommandError(EXIT.unexpected, 'The import ended without a result.');
    const { fileSha256: sha256, connectionName, snapshotIds, recordCount, leftOut, remarks } = importOutcome;
    await out.json({
      file,
      sha256,
      connection: connectionName,
      snapshots: snapshotIds,
      records: recordCount,
    });
    await out.text(
      `${countWords(recordCount, 'record')} under ${connectionName}, snapshot ${snapshotIds.join(', ')}`,
    );
    await out.text(`SHA-256 ${sha256}`);
    if (leftOut.length > 0) out.note(`Not imported, since they are your own: ${leftOut.join(', ')}.`);
    for (const remark of remarks) out.note(REMARKS[remark.code]?.(remark) ?? remark.code);
    return EXIT.done;
  },
};

async function print({ out }: CommandContext, { tables = [] }: Connection): Promise<void> {
  for (const table of tables) {
    const fields = listOwnFields([table]).map(({ field }) => field);
    await out.json({ ...table, fields });
  }
  if (tables.length === 0) return out.text('The connection has no own tables.');
  await out.table(
    ['name', 'joined by', 'rows', 'fields'],
    tables.map((table) => [
      table.name,
      table.field,
      String(table.rowCount),
      listOwnFields([table])
        .map(({ field }) => field)
        .join(' '),
    ]),
  );
}

/** The command `own-tables`. */
export const ownTablesCommand: Command = {
  name: 'own-tables',
  summary: 'lists and changes tables of your own that add fields to records',
  operands: '',
  maxOperands: 0,
  options: [
    CONNECTION_OPTION,
    {
      name: 'add',
      value: 'FILE',
      summary: 'adds a CSV file, or replaces the table of that name',
      isPath: true,
    },
    {
      name: 'by',
      value: 'FIELD',
      summary: 'field of the key',
      choices: [...OWN_TABLE_FIELDS],
    },
    { name: 'key', value: 'COLUMN', summary: 'the key column (default: the first)' },
    { name: 'name', value: 'NAME', summary: "name of the table (default: the file's)" },
    { name: 'remove', value: 'NAME', summary: 'removes a table' },
  ],
  about: `A table joined by "service" with the columns service and team makes own.TABLE.team a field: in --query, and in SQL
as own_TABLE_team. Tables stay on this computer and are never sent.`,
  async run(context): Promise<ExitCode> {
    const { args } = context;
    const wanted = args.require('connection');
    const file = args.find('add');
    const removed = args.find('remove');
    if (file !== null && removed !== null) throw toUsageError('--add and --remove exclude each other.');
    const session = await context.open();
    const connection = await findConnection(session, wanted);
    const { id: connectionId, tables = [] } = connection;
    if (file !== null) {
      const field = args.choose('by', OWN_TABLE_FIELDS);
      const text = await readFile(resolve(context.workFolder, file), 'utf8').catch((error: unknown) => {
        throw new CommandError(EXIT.notFound, `${file} can't be read: ${(error as Error).message}`);
      });
      const { columns } = await session.call('own-tables/read-file', { text });
      const name = args.find('name') ?? basename(file, extname(file));
      const keyColumn = args.find('key') ?? columns[0] ?? '';
      const tableId = tables.find((table) => table.name === name)?.id ?? null;
      const changed = { connectionId, tableId, name, field, keyColumn, text };
      await print(context, await session.call('own-tables/save', changed));
      const question = { connectionId, field, keyColumn, text };
      const { matchCount, valueCount, hasMore } = await session.call('own-tables/count-matches', question);
      const of = hasMore ? `the first ${valueCount}` : String(valueCount);
      context.out.note(`${matchCount} of ${of} cached values have a row in the file.`);
    } else if (removed !== null) {
      const table = tables.find(({ name }) => name === removed);
      if (table === undefined)
        throw new CommandError(EXIT.notFound, `The connection has no table "${removed}".`);
      await print(context, await session.call('own-tables/remove', { connectionId, tableId: table.id }));
    } else await print(context, connection);
    return EXIT.done;
  },
};
