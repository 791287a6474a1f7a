import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import {
  AS_RECEIVED,
  BUILT_IN_PRESETS,
  type BuiltInPreset,
  CLIENT_MASKS,
  DEFAULT_EVIDENCE,
  ERROR_MASKS,
  EXPORT_FORMATS,
  type ExportChoices,
  isDocumentFormat,
  MAX_EVIDENCE_SESSIONS,
  PAYLOAD_MASKS,
  toContents,
} from '../../common/model/exports/export-options.ts';
import { MAX_SHOWN_PATHS, parseBodyPath, writeBodyPath } from '../../common/model/records/body-path.ts';
import { DETAIL_KINDS, isDetailKind, REPORT_KINDS, toDetailKind } from '../../common/reporting/reports.ts';
import { checkPack } from '../../core/exports/evidence/signing/pack-signature.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import {
  checkChoiceOptions,
  checkRecordOptions,
  CHOICE_OPTIONS,
  findRecords,
  findReported,
  type FoundRecords,
  judgeRecords,
  readChoices,
  RECORD_OPTIONS,
  toChoiceInput,
} from '../session/find-records.ts';
import type { Session } from '../session/session.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import { type Command, type CommandContext, type OptionSpec, toUsageError } from '../words/command.ts';
import { QUERY_OPTION, readQuery } from '../words/options.ts';

/** What is masked in a file, and what an evidence pack or a report holds. */
const CONTENT_OPTIONS: readonly OptionSpec[] = [
  { name: 'client', value: 'HOW', summary: 'how clients are written', choices: CLIENT_MASKS },
  {
    name: 'payload',
    value: 'HOW',
    summary: 'how payloads and responses are written',
    choices: PAYLOAD_MASKS,
  },
  { name: 'errors', value: 'HOW', summary: 'how error texts are written', choices: ERROR_MASKS },
  { name: 'sessions', value: 'IDS', summary: 'evidence: sessions to add, separated by commas' },
  { name: 'no-finding-sessions', value: null, summary: 'evidence: leave the sessions of findings out' },
  { name: 'short', value: null, summary: 'html, pdf: one page only' },
];

/** What each format has its own way of, or no use for. */
const OF_EVIDENCE = ['sessions', 'no-finding-sessions'];
const NOT_OF_EVIDENCE = ['field-names', 'manifest', 'computed', 'no-payload'];
const MASKED = ['client', 'payload', 'errors'];

const UNSIGNED = {
  'no-secret-store': 'there is no keychain to keep a key in',
  'key-unreadable': "the keychain doesn't return the key",
} as const;
const FORMATS = [...EXPORT_FORMATS, 'portable'] as const;

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

/** Fails for a document of what is a table already. */
function checkSubject({ args }: CommandContext, format: (typeof FORMATS)[number]): void {
  if (args.find('snapshot') !== null || format === 'portable' || !isDocumentFormat(format)) return;
  if (isDetailKind(args.choose('report', REPORT_KINDS)) && !args.has('computed')) return;
  throw toUsageError(`--format ${format} is made of detail records: ${DETAIL_KINDS.join(', ')}.`, '');
}

/** Fails for a text that is no path, and for files that have none. */
function readPaths({ args }: CommandContext, { report }: FoundRecords, hasNone: boolean): string[] {
  const text = args.find('with-paths');
  if (text === null) return [];
  if (hasNone || !isDetailKind(report))
    throw toUsageError('--with-paths is for files of detail records.', '');
  const paths = [...new Set(text.split(',').map((path) => path.trim()))];
  for (const path of paths) {
    const parsed = parseBodyPath(path);
    if (parsed === null || writeBodyPath(parsed) !== path)
      throw toUsageError(`"${path}" is no path.`, 'Paths are like payload.error.code or own.TABLE.COLUMN.');
  }
  if (paths.length > MAX_SHOWN_PATHS) throw toUsageError(`A file has ${MAX_SHOWN_PATHS} paths at most.`, '');
  return paths;
}

/** Options that make no sense for a portable file, which holds whole snapshots as they were received. */
const REFUSED = [
  'query',
  'preset',
  'field-names',
  'manifest',
  'computed',
  'no-payload',
  'with-names',
  'with-marks',
];

export const exportCommand: Command = {
  name: 'export',
  summary: 'writes cached records or a summary to a file',
  operands: '',
  maxOperands: 0,
  options: [
    ...RECORD_OPTIONS,
    { name: 'report', value: 'REPORT', summary: 'the report', choices: REPORT_KINDS },
    { name: 'format', value: 'FORMAT', summary: 'format of the file', choices: FORMATS },
    { name: 'out', value: 'FILE', summary: 'the file; an existing one is replaced', isPath: true },
    QUERY_OPTION,
    ...CHOICE_OPTIONS,
    { name: 'computed', value: null, summary: 'compute the summary from cached records' },
    {
      name: 'with-paths',
      value: 'PATH,…',
      summary: 'add keys of bodies and columns of own tables, such as payload.error.code',
    },
    ...CONTENT_OPTIONS,
  ],
  about: `The file appears under its name once it is complete. A preset sets the format. With
--json it writes {"file","records","bytes","sha256"}, and "signature" of an evidence pack.`,
  async run(context) {
    const { args, out } = context;
    const format = args.find('format') === null ? null : args.choose('format', FORMATS);
    if (format === 'portable') checkPortableOptions(context);
    checkChoiceOptions(context);
    if (format !== null) checkContentOptions(context, format);
    const target = readTarget(context);
    checkRecordOptions(context);
    if (format !== null) checkSubject(context, format);
    readQuery(context, 'UTC', []);
    if (format !== null && format !== 'portable') readContents(context, { format });
    const session = await context.open();
    if (format === 'portable') {
      return exportPortable(context, session, await findSubject(context, session), target);
    }
    const choices = await readChoices(context, session);
    checkSubject(context, choices.format);
    checkContentOptions(context, choices.format);
    const found = await findSubject(context, session);
    const filter = readQuery(context, found.zone, found.connection?.names ?? []);
    const isSummary = args.has('computed');
    const paths = readPaths(context, found, isSummary || isDocumentFormat(choices.format));
    if (isSummary && filter.conditions.length > 0)
      throw toUsageError('A computed summary has no filter.', '');
    const { taskId } = await session.call(
      'exports/start',
      {
        ...toChoiceInput(choices),
        scope: found.scope,
        filter,
        order: [{ column: 'received', descending: false }],
        ...(isSummary ? { isSummary } : {}),
        ...(paths.length > 0 ? { paths } : {}),
        zone: found.zone,
        ...readContents(context, choices),
      },
      { exportTarget: target },
    );
    if (taskId === null) throw new CommandError(EXIT.cancelled, 'Cancelled.');
    const task = await waitForTask(context, session, taskId, { doing: 'Writing', unit: 'records' });
    requireDone(task);
    const { done: records, fileBytes: bytes, fileSha256: sha256 = '', directionMarks = [], signature } = task;
    await out.json({
      file: target,
      records,
      bytes,
      sha256,
      ...(signature === undefined ? {} : { signature }),
    });
    await out.text(`${target}: ${countWords(records, 'record')}, ${countWords(bytes ?? 0, 'byte')}`);
    await out.text(`SHA-256 ${sha256}`);
    if (signature?.unsigned === null) await out.text(`Signed with the key ${signature.fingerprint ?? ''}`);
    else if (signature !== undefined) out.note(`The pack is not signed: ${UNSIGNED[signature.unsigned]}.`);
    if (directionMarks.length > 0) {
      out.note(`It holds characters that change the order of others: ${directionMarks.join(', ')}.`);
    }
    return judgeRecords(context, found);
  },
};

/** Fails for options that a portable file has no use for. */
function checkPortableOptions({ args }: CommandContext): void {
  const other = REFUSED.find((name) => args.has(name) || args.find(name) !== null);
  if (other === undefined) return;
  throw toUsageError(
    `--format portable and --${other} exclude each other.`,
    'It holds whole snapshots as received.',
  );
}

/** Writes a portable file of a snapshot, or of every snapshot that a period touches. */
async function exportPortable(
  context: CommandContext,
  session: Session,
  { scope }: FoundRecords,
  target: string,
): Promise<ExitCode> {
  const { out } = context;
  const snapshotIds = await findSnapshots(session, scope);
  const { taskId } = await session.call('exports/start-portable', { snapshotIds }, { exportTarget: target });
  if (taskId === null) throw new CommandError(EXIT.cancelled, 'Cancelled.');
  const task = await waitForTask(context, session, taskId, { doing: 'Writing', unit: 'records' });
  requireDone(task);
  const { done: records, fileBytes: bytes, fileSha256: sha256 = '' } = task;
  await out.json({ file: target, records, bytes, sha256 });
  await out.text(
    `${target}: ${countWords(snapshotIds.length, 'snapshot')}, ${countWords(records, 'record')}, ${countWords(bytes ?? 0, 'byte')}`,
  );
  await out.text(`SHA-256 ${sha256}`);
  return EXIT.done;
}

async function findSnapshots(session: Session, scope: FoundRecords['scope']): Promise<number[]> {
  if ('snapshotId' in scope) return [scope.snapshotId];
  const { connectionId, report, fromMs, toMs } = scope;
  const all = await session.call('snapshots/list', { connectionId });
  const within = all.filter(
    ({ report: of, period }) => of === report && period.fromMs < toMs && period.toMs + 1000 > fromMs,
  );
  if (within.length === 0) throw new CommandError(EXIT.notFound, 'Nothing is cached of the period.');
  return within.map(({ id }) => id);
}

/** Fails for options that belong to another format. */
export function checkContentOptions({ args }: Pick<CommandContext, 'args'>, format: string): void {
  const isGiven = (name: string): boolean => args.has(name) || args.find(name) !== null;
  const isReport = format === 'html' || format === 'pdf';
  const refuse = (name: string | undefined, of: string): void => {
    if (name !== undefined) throw toUsageError(`--${name} belongs to --format ${of}.`);
  };
  if (!isReport) refuse(['short'].find(isGiven), 'html or pdf');
  if (format !== 'evidence') refuse(OF_EVIDENCE.find(isGiven), 'evidence');
  const wrong = format === 'evidence' ? NOT_OF_EVIDENCE.find(isGiven) : undefined;
  if (wrong !== undefined)
    throw toUsageError(
      `--format evidence and --${wrong} exclude each other.`,
      'It is said with --client, --payload and --errors what of the records is written.',
    );
  const masked = args.has('computed') || format === 'portable' ? MASKED.find(isGiven) : undefined;
  if (masked !== undefined)
    throw toUsageError(
      `--${masked} is for records.`,
      'A summary names nobody, and a portable file is proven by what was received.',
    );
}

/**
 * Reads what a file masks, and what a pack or a report holds, over what a preset says: what isn't named is masked in a
 * pack, and as received in all others. Throws a CommandError.
 */
export function readContents(
  { args }: Pick<CommandContext, 'args'>,
  choices: Pick<ExportChoices, 'format' | 'masking' | 'isBrief'>,
): ReturnType<typeof toContents> {
  const { format, isBrief = false } = choices;
  const { masking = format === 'evidence' ? DEFAULT_EVIDENCE.masking : AS_RECEIVED } = choices;
  const choose = <Value extends string>(name: string, values: readonly Value[], otherwise: Value): Value =>
    args.find(name) === null ? otherwise : args.choose(name, values);
  const sessionIds = (args.find('sessions') ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  if (sessionIds.length > MAX_EVIDENCE_SESSIONS) {
    throw toUsageError(`--sessions takes at most ${MAX_EVIDENCE_SESSIONS} sessions.`, '');
  }
  const given = {
    client: choose('client', CLIENT_MASKS, masking.client),
    payload: choose('payload', PAYLOAD_MASKS, masking.payload),
    errors: choose('errors', ERROR_MASKS, masking.errors),
  };
  const sessions = { sessionIds, withFindingSessions: !args.has('no-finding-sessions') };
  return toContents({ format, masking: given, isBrief: isBrief || args.has('short') }, sessions);
}

const BUILT_IN_WORDS: Readonly<Record<BuiltInPreset, string>> = {
  excel: "opens by a double click in the Excel of this computer's region",
  rfc4180: 'for programs, every text quoted and guarded',
  channelscope: 'for another Channelscope, every value as it is',
};

const list: Command = {
  name: 'preset list',
  summary: 'lists the presets for exports, built-in and your own',
  operands: '',
  maxOperands: 0,
  options: [],
  about: `Your own are saved in the export window. With --json each is {"name","format","isBuiltIn"}.`,
  async run({ out, open }) {
    const { presets } = await (await open()).call('exports/read-choices', null);
    const all = [
      ...BUILT_IN_PRESETS.map((name) => ({
        name: name,
        format: 'csv',
        isBuiltIn: true,
        words: BUILT_IN_WORDS[name],
      })),
      ...presets.map(({ name, choices }) => ({
        name,
        format: choices.format,
        isBuiltIn: false,
        words: 'your own',
      })),
    ];
    for (const { name, format, isBuiltIn } of all) await out.json({ name, format, isBuiltIn });
    await out.table(
      ['name', 'format', 'what it is'],
      all.map(({ name, format, words }) => [name, format, words]),
    );
    return EXIT.done;
  },
};

export const PRESET_COMMANDS: readonly Command[] = [list];

/** A fingerprint as it is read aloud: in groups, in either letter case. */
function readFingerprint({ args }: CommandContext): string | null {
  const given = args.find('fingerprint');
  if (given === null) return null;
  const expected = given.replaceAll(/[\s:]/g, '').toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(expected))
    throw toUsageError('--fingerprint is 64 digits and letters from a to f.', 'Ask the sender for it.');
  return expected;
}

export const evidenceCommand: Command = {
  name: 'evidence check',
  summary: 'checks evidence packs: unaltered, and signed by whom',
  operands: 'FILE…',
  maxOperands: 10_000,
  options: [
    {
      name: 'fingerprint',
      value: 'HEX',
      summary: "of the sender's key; get it from the sender, not from the pack",
    },
  ],
  about: `Checks ZIP files as verify.py in a pack does. Needs no data folder, and unpacks nothing.
Exit code 0: every pack is unaltered and signed with the key of --fingerprint. 10: a pack is refused.
11: unaltered, but without --fingerprint nobody knows who signed it.`,
  async run(context): Promise<ExitCode> {
    const { args, out, signal, workFolder } = context;
    const expected = readFingerprint(context);
    if (args.operands.length === 0) throw toUsageError('Name one evidence pack or more.');
    let refused = 0;
    for (const name of args.operands) {
      const file = resolve(workFolder, name);
      const verdict = await checkPack(file, { expected, signal }).catch((error: unknown) => {
        throw signal.aborted ? new CommandError(EXIT.cancelled, 'Cancelled.') : error;
      });
      if (verdict.isAccepted) {
        const { fingerprint } = verdict;
        await out.json({ file, verdict: expected === null ? 'unaltered' : 'accepted', fingerprint });
        const said = expected === null ? 'UNALTERED since it was signed' : 'ACCEPTED: unaltered, and signed';
        await out.text(`${name}: ${said} with the key ${fingerprint}`);
      } else {
        refused += 1;
        await out.json({ file, verdict: 'refused', reason: verdict.reason });
        await out.text(`${name}: REFUSED: ${verdict.reason}`);
      }
    }
    if (refused > 0) return EXIT.packRefused;
    if (expected !== null) return EXIT.done;
    out.note('Compare the fingerprint with the one that the sender gave you: anyone can sign with some key.');
    return EXIT.signerUnknown;
  },
};
