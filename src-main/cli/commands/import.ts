import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { REPORT_KINDS } from '../../common/reporting/reports.ts';
import { DATE_ORDERS } from '../../common/reporting/reading/spreadsheet-dates.ts';
import { isTimeZone } from '../../common/time/time-zones.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { countWords } from '../output/count-words.ts';
import { CONNECTION_OPTION, findConnection } from '../session/find-connections.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import { toUsageError, type Command, type CommandContext } from '../words/command.ts';

/** The file to import. Fails before anything is opened where there is none. */
function readFile({ args, workFolder }: CommandContext): string {
  const [name] = args.operands;
  if (name === undefined) throw toUsageError('It needs the name of a file.');
  const file = resolve(workFolder, name);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new CommandError(EXIT.notFound, `There is no file ${file}.`);
  }
  return file;
}

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
  ],
  about: `FILE is a CSV, JSON, NDJSON or Parquet export, a file of a dataset, or a portable snapshot: all of it is imported, or
nothing.

With --json it writes {"file","sha256","connection","snapshots","records"}.`,
  async run(context) {
    const { args, out } = context;
    const file = readFile(context);
    const report = args.find('report') === null ? undefined : args.choose('report', REPORT_KINDS);
    const zone = args.find('zone') ?? undefined;
    if (zone !== undefined && !isTimeZone(zone))
      throw toUsageError(`--zone: there is no time zone "${zone}".`);
    const dateOrder = args.find('dates') === null ? undefined : args.choose('dates', DATE_ORDERS);
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
    for (const { code, count = 0, detail = '' } of remarks) {
      const dates = countWords(count, 'date');
      if (code === 'import-dates-converted') out.note(`${dates} as a spreadsheet writes them: ${detail}.`);
      else out.note(`${dates} can't be read, such as "${detail}": these records have no time.`);
    }
    return EXIT.done;
  },
};
