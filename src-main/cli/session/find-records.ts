import type { Input } from '../../common/contract/index.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import {
  applyBuiltInPreset,
  BUILT_IN_PRESETS,
  type BuiltInPreset,
  EXPORT_FORMATS,
  type ExportChoices,
  findByName,
  findDecimalSign,
  toFirstChoices,
  toLayout,
} from '../../common/model/exports/export-options.ts';
import type { RecordScope } from '../../common/model/records/record-filter.ts';
import { REPORT_KINDS, type ReportKind, REPORTS } from '../../common/reporting/reports.ts';
import { formatMoment } from '../../common/time/civil-time.ts';
import { toPeriod } from '../../core/downloads/slice-period.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommandContext, type OptionSpec, toUsageError } from '../words/command.ts';
import { type GivenPeriod, PERIOD_OPTIONS, readPeriod, readZone } from '../words/options.ts';
import { CONNECTION_OPTION, findConnection } from './find-connections.ts';
import type { Session } from './session.ts';

export const GAPS_OPTION: OptionSpec = {
  name: 'allow-gaps',
  value: null,
  summary: "exit with 0 even if the period isn't completely cached",
};

/** Options that say which cached records a command is about. */
export const RECORD_OPTIONS: readonly OptionSpec[] = [
  CONNECTION_OPTION,
  ...PERIOD_OPTIONS,
  { name: 'snapshot', value: 'NUMBER', summary: 'one snapshot instead of connection, report and period' },
  GAPS_OPTION,
];

/** Cached records that a command is about. */
export interface FoundRecords {
  readonly scope: RecordScope;
  readonly report: ReportKind;
  readonly connection: Connection | null;
  readonly zone: string;
  /** What of them is missing; of a snapshot that is not complete it is not known how much. */
  readonly missing: Missing | null;
  readonly isComplete: boolean;
}

/** Fails for options that can't be used, before anything is opened. */
export function checkRecordOptions(context: CommandContext): void {
  const { args } = context;
  if (args.whole('snapshot', 0, Number.MAX_SAFE_INTEGER) === null) {
    args.require('connection');
    args.require('report');
    readPeriod(context, 'UTC');
    return;
  }
  const other = ['from', 'to', 'report', 'connection'].find((name) => args.find(name) !== null);
  if (other !== undefined) throw toUsageError(`--snapshot and --${other} exclude each other.`, '');
}

/** Finds the records of a snapshot, or everything cached of a period. Throws a CommandError where there are none. */
export async function findRecords(
  context: CommandContext,
  session: Session,
  reports: readonly ReportKind[],
): Promise<FoundRecords> {
  const { args, now } = context;
  const snapshotId = args.whole('snapshot', 0, Number.MAX_SAFE_INTEGER);
  if (snapshotId !== null) {
    const { report, state, connectionId, period } = await session.call('snapshots/get', { snapshotId });
    if (!reports.some((each) => each === report)) {
      throw toUsageError(`Snapshot ${snapshotId} is of ${report}: this takes ${reports.join(', ')}.`, '');
    }
    const all = await session.call('connections/list', null);
    return {
      scope: { snapshotId },
      report,
      connection: all.find(({ id }) => id === connectionId) ?? null,
      zone: readZone(context, period.zone),
      missing: null,
      isComplete: state === 'complete',
    };
  }
  const connection = await findConnection(session, args.require('connection'));
  const { fromMs, toMs, zone } = readPeriod(context, connection.serviceZone);
  const report = args.choose('report', reports);
  const place = { connectionId: connection.id, report, fromMs, toMs };
  const missing = await readMissing(session, place, now());
  return {
    // A summary has no scope of its own: whoever takes one asks for the records that it is computed of.
    scope: place as RecordScope,
    report,
    connection,
    zone,
    missing,
    isComplete: missing.seconds === 0,
  };
}

/** Says what is missing of records, and returns the exit code that follows. */
export function judgeRecords(context: CommandContext, { missing, zone, isComplete }: FoundRecords): ExitCode {
  if (missing !== null) return judgeMissing(context, missing, zone);
  if (isComplete) return EXIT.done;
  context.out.note('Incomplete: the download of the snapshot did not reach its end.');
  return context.args.has('allow-gaps') ? EXIT.done : EXIT.incomplete;
}

/** What of a period is not cached, up to now. Records that may still arrive late don't count. */
interface Missing {
  readonly seconds: number;
  /** The first spans of it; exclusive ends. */
  readonly spans: readonly { readonly fromMs: number; readonly toMs: number }[];
}

const SHOWN_SPANS = 3;

/** Reads what of a period is missing. */
export async function readMissing(
  session: Session,
  place: { readonly connectionId: string; readonly report: ReportKind } & Pick<
    GivenPeriod,
    'fromMs' | 'toMs'
  >,
  nowMs: number,
): Promise<Missing> {
  const toMs = Math.min(place.toMs, Math.floor(nowMs / 1_000) * 1_000);
  if (toMs <= place.fromMs) return { seconds: 0, spans: [] };
  const { gaps } = await session.call('coverage/read', {
    connectionId: place.connectionId,
    report: place.report,
    fromMs: place.fromMs,
    toMs,
    buckets: 1,
  });
  const spans: { fromMs: number; toMs: number }[] = [];
  for (const gap of gaps) {
    if (gap.state === 'open') continue;
    const last = spans.at(-1);
    if (last !== undefined && last.toMs === gap.fromMs) last.toMs = gap.toMs;
    else spans.push({ fromMs: gap.fromMs, toMs: gap.toMs });
  }
  const missingMs = spans.reduce((sum, span) => sum + span.toMs - span.fromMs, 0);
  return { seconds: Math.ceil(missingMs / 1_000), spans };
}

/** Says on standard error what is missing, and returns the exit code that follows. */
export function judgeMissing(
  { args, out }: Pick<CommandContext, 'args' | 'out'>,
  { seconds, spans }: Missing,
  zone: string,
): ExitCode {
  if (seconds === 0) return EXIT.done;
  const listed = spans
    .slice(0, SHOWN_SPANS)
    .map(({ fromMs, toMs }) => `${formatMoment(fromMs, zone)} to ${formatMoment(toMs, zone)}`);
  const more = spans.length > SHOWN_SPANS ? `, and ${spans.length - SHOWN_SPANS} more` : '';
  out.note(
    `Incomplete: ${seconds.toLocaleString('en')} s of the period are not cached in full (${zone}: ${listed.join(', ')}${more}).`,
  );
  return args.has('allow-gaps') ? EXIT.done : EXIT.incomplete;
}

/** The snapshot that was named, or the newest summary that was fetched of exactly the period. */
export async function findReported(context: CommandContext, session: Session): Promise<number> {
  const { args } = context;
  const given = args.whole('snapshot', 0, Number.MAX_SAFE_INTEGER);
  if (given !== null) return given;
  const report = `${REPORTS[args.choose('report', REPORT_KINDS)].direction}-summary`;
  const connection = await findConnection(session, args.require('connection'));
  const { fromMs, toMs } = readPeriod(context, connection.serviceZone);
  const period = toPeriod({ fromMs, toMs: toMs - 1_000 }, connection.serviceZone);
  const snapshots = await session.call('snapshots/list', { connectionId: connection.id });
  const found = snapshots.find(
    (each) =>
      each.report === report && each.period.fromMs === period.fromMs && each.period.toMs === period.toMs,
  );
  if (found !== undefined) return found.id;
  throw new CommandError(
    EXIT.notFound,
    `No ${report} of exactly this period is cached.`,
    `Fetch it with "fetch --report ${report}", or compute it of the records with --computed.`,
  );
}

const FIELD_NAMES = ['original', 'corrected'] as const;
/** What the window calls the built-in presets in English. */
const WINDOW_NAMES: Readonly<Record<string, BuiltInPreset>> = {
  'excel in my region': 'excel',
  'rfc 4180': 'rfc4180',
  'rfc 4180, for programs': 'rfc4180',
  'for another channelscope': 'channelscope',
};

/** Options that say how a file is written. */
export const CHOICE_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'preset',
    value: 'PRESET',
    summary: `a preset of your own, or ${BUILT_IN_PRESETS.join(', ')}; "preset list" lists them`,
  },
  { name: 'field-names', value: 'NAMES', summary: 'spelling of field names', choices: FIELD_NAMES },
  {
    name: 'manifest',
    value: null,
    summary: 'add FILE.manifest.json with contents and gaps',
  },
  { name: 'no-payload', value: null, summary: 'leave payloads and responses out' },
  { name: 'with-names', value: null, summary: 'add your own names of channels, services and actions' },
  { name: 'with-marks', value: null, summary: 'add your own marks and notes' },
];

/** Fails for options that can't be used, before anything is opened. */
export function checkChoiceOptions({ args }: Pick<CommandContext, 'args'>): void {
  if (args.find('preset') === null) args.require('format');
  if (args.find('field-names') !== null) args.choose('field-names', FIELD_NAMES);
}

/**
 * Reads how a file is written: as a preset says, or as at first, and then as the other options say. Throws a CommandError
 * for a preset that is not there, and for one of another format than `--format`.
 */
export async function readChoices(
  { args }: Pick<CommandContext, 'args'>,
  session: Session,
): Promise<ExportChoices> {
  const format = args.find('format') === null ? null : args.choose('format', EXPORT_FORMATS);
  const preset = args.find('preset');
  const chosen =
    preset === null ? toFirstChoices(format ?? 'csv') : await findPreset(session, preset, format);
  return {
    ...chosen,
    fieldNames:
      args.find('field-names') === null ? chosen.fieldNames : args.choose('field-names', FIELD_NAMES),
    manifest: args.has('manifest') ? true : chosen.manifest,
    includePayload: chosen.includePayload && !args.has('no-payload'),
    includeNames: chosen.includeNames || args.has('with-names'),
    includeMarks: chosen.includeMarks || args.has('with-marks'),
  };
}

/** Returns the part of an export's input that says how its file is written. */
export function toChoiceInput(
  choices: ExportChoices,
): Pick<Input<'exports/start'>, 'format' | 'includePayload' | 'includeNames' | 'includeMarks' | 'layout'> {
  const { format, includePayload, includeNames, includeMarks } = choices;
  return { format, includePayload, includeNames, includeMarks, layout: toLayout(choices, null) };
}

async function findPreset(
  session: Session,
  name: string,
  format: ExportChoices['format'] | null,
): Promise<ExportChoices> {
  const toBuiltIn = (builtIn: BuiltInPreset): ExportChoices => {
    const choices = applyBuiltInPreset(toFirstChoices('csv'), builtIn, findDecimalSign());
    return { ...choices, format: format ?? 'csv' };
  };
  const builtIn = BUILT_IN_PRESETS.find((each) => each === name.toLowerCase());
  if (builtIn !== undefined) return toBuiltIn(builtIn);
  const { presets } = await session.call('exports/read-choices', null);
  const found = findByName(presets, name);
  if (found === undefined) {
    const ofWindow = WINDOW_NAMES[name.toLowerCase()];
    if (ofWindow !== undefined) return toBuiltIn(ofWindow);
    const names = [...BUILT_IN_PRESETS, ...presets.map((preset) => `"${preset.name}"`)].join(', ');
    throw new CommandError(EXIT.notFound, `There is no preset "${name}".`, `There are: ${names}.`);
  }
  if (format !== null && format !== found.choices.format) {
    throw toUsageError(`The preset "${found.name}" writes ${found.choices.format}, not ${format}.`, '');
  }
  return found.choices;
}
