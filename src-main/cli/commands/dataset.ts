import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DATASET_REPORTS, type DatasetUpdate } from '../../common/model/exports/dataset.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { countWords } from '../output/count-words.ts';
import { CONNECTION_OPTION, findConnection } from '../session/find-connections.ts';
import type { Session } from '../session/session.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import type { Command, CommandContext } from '../words/command.ts';

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
    const last = await update(context, session, added.id).finally(async () => {
      if (!isRemembered) await session.call('datasets/remove', { datasetId: added.id });
    });
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
