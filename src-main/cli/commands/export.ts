import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  EXPORT_FORMATS,
  EXPORT_PRESETS,
  isDocumentFormat,
  toPresetLayout,
  type ExportLayout,
} from '../../common/model/exports/export-options.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { DETAIL_KINDS, isDetailKind, REPORT_KINDS } from '../../common/reporting/reports.ts';
import { checkPortableOptions, exportPortable } from './export-portable.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import {
  checkRecordOptions,
  findRecords,
  judgeRecords,
  RECORD_OPTIONS,
  type FoundRecords,
} from '../session/find-records.ts';
import { countWords } from '../output/count-words.ts';
import { findReported, toDetailKind } from '../session/find-reported.ts';
import type { Session } from '../session/session.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import { toUsageError } from '../words/arguments.ts';
import type { Command, CommandContext } from '../words/command.ts';
import { QUERY_OPTION, readQuery } from '../words/query-option.ts';

const FORMATS = [...EXPORT_FORMATS, 'portable'] as const;
const FIELD_NAMES = ['original', 'corrected'] as const;

/** How a file is written, as far as options say. */
function readLayout({ args }: CommandContext): ExportLayout {
  const preset = args.find('preset') === null ? null : args.choose('preset', EXPORT_PRESETS);
  const names = args.find('field-names') === null ? null : args.choose('field-names', FIELD_NAMES);
  return {
    ...(preset === null ? {} : toPresetLayout(preset, '.')),
    ...(names === null ? {} : { fieldNames: names }),
    ...(args.has('manifest') ? { manifest: true } : {}),
  };
}

/** Where the file goes. Fails for a place where there can't be one, before anything is fetched or computed. */
function readTarget({ args, workFolder }: CommandContext): string {
  const target = resolve(workFolder, args.require('out'));
  if (statSync(target, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new CommandError(EXIT.disk, `${target} is a folder.`, '--out names a file.');
  }
  if (statSync(dirname(target), { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CommandError(EXIT.disk, `There is no folder ${dirname(target)}.`);
  }
  return target;
}

/** Records of a snapshot or a period, or a summary: as it was reported, or computed. */
async function findSubject(context: CommandContext, session: Session): Promise<FoundRecords> {
  const { args } = context;
  if (args.find('snapshot') !== null) return findRecords(context, session, REPORT_KINDS);
  const report = args.choose('report', REPORT_KINDS);
  if (isDetailKind(report) || args.has('computed')) {
    const choose = (): never => toDetailKind(report) as never;
    return findRecords({ ...context, args: { ...args, choose } }, session, DETAIL_KINDS);
  }
  const snapshotId = await findReported(context, session);
  const { state, period }: Snapshot = await session.call('snapshots/get', { snapshotId });
  const isComplete = state === 'complete';
  return { scope: { snapshotId }, report, connection: null, zone: period.zone, missing: null, isComplete };
}

export const exportCommand: Command = {
  name: 'export',
  summary: 'writes cached records or a summary to a file',
  operands: '',
  maxOperands: 0,
  options: [
    ...RECORD_OPTIONS,
    { name: 'report', value: 'REPORT', summary: 'the report', choices: REPORT_KINDS },
    { name: 'format', value: 'FORMAT', summary: 'what to write', choices: FORMATS },
    { name: 'out', value: 'FILE', summary: 'the file; one that is there is replaced', isPath: true },
    QUERY_OPTION,
    { name: 'preset', value: 'PRESET', summary: 'how CSV is written', choices: EXPORT_PRESETS },
    { name: 'field-names', value: 'NAMES', summary: 'spelling of the fields', choices: FIELD_NAMES },
    {
      name: 'manifest',
      value: null,
      summary: 'write FILE.manifest.json beside it: what it holds, and what is missing',
    },
    { name: 'computed', value: null, summary: 'the summary computed of the records' },
    { name: 'no-payload', value: null, summary: 'leave payloads and responses out' },
    { name: 'with-names', value: null, summary: 'add your own names of channels, services and actions' },
    { name: 'with-marks', value: null, summary: 'add your own marks and notes' },
  ],
  about: `The file appears under its name once it is whole. With --json it writes {"file","records","bytes","sha256"}.`,
  async run(context) {
    const { args, out } = context;
    const format = args.choose('format', FORMATS);
    if (format === 'portable') checkPortableOptions(context);
    const layout = readLayout(context);
    const target = readTarget(context);
    checkRecordOptions(context);
    if (args.find('snapshot') === null) {
      const report = args.choose('report', REPORT_KINDS);
      if (
        format !== 'portable' &&
        isDocumentFormat(format) &&
        (!isDetailKind(report) || args.has('computed'))
      ) {
        throw toUsageError(`--format ${format} is made of detail records: ${DETAIL_KINDS.join(', ')}.`, '');
      }
    }
    readQuery(context, 'UTC', []);
    const session = await context.open();
    const found = await findSubject(context, session);
    if (format === 'portable') return exportPortable(context, session, found, target);
    const filter = readQuery(context, found.zone, found.connection?.names ?? []);
    const isSummary = args.has('computed');
    if (isSummary && filter.conditions.length > 0)
      throw toUsageError('A computed summary has no filter.', '');
    const { taskId } = await session.call(
      'exports/start',
      {
        scope: found.scope,
        format,
        filter,
        order: [{ column: 'received', descending: false }],
        includePayload: !args.has('no-payload'),
        ...(args.has('with-names') ? { includeNames: true } : {}),
        ...(args.has('with-marks') ? { includeMarks: true } : {}),
        ...(isSummary ? { isSummary } : {}),
        zone: found.zone,
        layout,
      },
      { exportTarget: target },
    );
    if (taskId === null) throw new CommandError(EXIT.cancelled, 'Cancelled.');
    const task = await waitForTask(context, session, taskId, { doing: 'Writing', unit: 'records' });
    requireDone(task);
    const { done: records, fileBytes: bytes, fileSha256: sha256 = '', directionMarks = [] } = task;
    await out.json({ file: target, records, bytes, sha256 });
    await out.text(`${target}: ${countWords(records, 'record')}, ${countWords(bytes ?? 0, 'byte')}`);
    await out.text(`SHA-256 ${sha256}`);
    if (directionMarks.length > 0) {
      out.note(`It holds characters that change the order of others: ${directionMarks.join(', ')}.`);
    }
    return judgeRecords(context, found);
  },
};
