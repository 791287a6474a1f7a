import type { Connection } from '../../common/model/connections/connection.ts';
import type { RecordScope } from '../../common/model/records/record-scope.ts';
import type { ReportKind } from '../../common/reporting/reports.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { toUsageError } from '../words/arguments.ts';
import { PERIOD_OPTIONS, readPeriod, readZone } from '../words/period-options.ts';
import type { CommandContext } from '../words/command.ts';
import type { OptionSpec } from '../words/option.ts';
import { CONNECTION_OPTION, findConnection } from './find-connection.ts';
import { GAPS_OPTION, judgeMissing, readMissing, type Missing } from './missing-seconds.ts';
import type { Session } from './session.ts';

/** Options that say which cached records a command is about. */
export const RECORD_OPTIONS: readonly OptionSpec[] = [
  CONNECTION_OPTION,
  ...PERIOD_OPTIONS,
  { name: 'snapshot', value: 'NUMBER', summary: 'one snapshot, in place of connection, report and period' },
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
