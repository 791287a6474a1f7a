import type { Connection } from '../../common/model/connections/connection.ts';
import type { Download } from '../../common/model/cache/download.ts';
import type { Period } from '../../common/model/period.ts';
import {
  isDetailKind,
  REPORT_KINDS,
  REPORTS,
  type DetailKind,
  type SummaryKind,
} from '../../common/reporting/reports.ts';
import { toPeriod } from '../../core/downloads/request-period.ts';
import { CommandError, EXIT, toCommandError, toExitCode, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output/count-words.ts';
import { CONNECTION_OPTION, prepareConnection, SECRET_OPTIONS } from '../session/find-connections.ts';
import type { Session } from '../session/session.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import { PERIOD_OPTIONS, readPeriod } from '../words/period-options.ts';
import type { Command, CommandContext, OptionSpec } from '../words/command.ts';

const REPORT_OPTION: OptionSpec = {
  name: 'report',
  value: 'REPORT',
  summary: 'the report',
  choices: REPORT_KINDS,
};

const PATIENCE_S = 300;

export const fetchCommand: Command = {
  name: 'fetch',
  summary: 'downloads a report of a period into the cache',
  operands: '',
  maxOperands: 0,
  options: [
    CONNECTION_OPTION,
    REPORT_OPTION,
    ...PERIOD_OPTIONS,
    ...SECRET_OPTIONS,
    {
      name: 'patience',
      value: 'SECONDS',
      summary: `how long a running download waits for an unreachable service (${PATIENCE_S})`,
    },
  ],
  about: `After a cancel or a lost network, the same command continues where it ended. With --json it
writes {"state","records","certificate"}; a summary has no certificate.`,
  async run(context) {
    const { args } = context;
    const report = args.choose('report', REPORT_KINDS);
    const patienceMs = (args.whole('patience', 0, 86_400) ?? PATIENCE_S) * 1_000;
    args.require('connection');
    readPeriod(context, 'UTC');
    const session = await context.open();
    const connection = await prepareConnection(context, session);
    const { fromMs, toMs } = readPeriod(context, connection.serviceZone);
    // A request names its last second.
    const period = toPeriod({ fromMs, toMs: toMs - 1_000 }, connection.serviceZone);
    const job = { context, session, connection, period };
    return isDetailKind(report) ? fetchDetail(job, report, patienceMs) : fetchSummary(job, report);
  },
};

interface Job {
  readonly context: CommandContext;
  readonly session: Session;
  readonly connection: Connection;
  readonly period: Period;
}

async function fetchDetail(job: Job, report: DetailKind, patienceMs: number): Promise<ExitCode> {
  const { context, session } = job;
  const { taskId, snapshotId, isOwn } = await startDownload(job, report);
  const lost = watchForLoss(session, snapshotId, patienceMs);
  try {
    await waitForTask(context, session, taskId, {
      doing: 'Fetching',
      unit: 'records',
      cancel: isOwn ? () => session.call('downloads/cancel', { snapshotId }) : null,
    });
  } finally {
    lost.stop();
  }
  const downloads = await session.call('downloads/list', { connectionId: job.connection.id });
  const ended = downloads.find((each) => each.snapshotId === snapshotId);
  if (ended === undefined) throw new CommandError(EXIT.notFound, 'The download was removed meanwhile.');
  const { snapshotState: state, recordCount: records, failure } = ended;
  const isLost = state !== 'complete' && failure !== null;
  if (isLost && records === 0) throw toCommandError(failure);
  const certificate = await session.call('downloads/read-certificate', { snapshotId });
  await writeResult(context, { state, records, certificate }, snapshotId);
  if (state === 'complete') return EXIT.done;
  const reasons = certificate.reasons.join(', ');
  const words = failure?.message ?? (reasons === '' ? 'The service ended it early.' : `Reasons: ${reasons}.`);
  context.out.note(`Incomplete: ${countWords(records, 'record')} kept. ${words}`);
  if (lost.isLost()) return EXIT.unreachable;
  return failure === null ? EXIT.incomplete : toIncompleteCode(toExitCode(failure));
}

/** The exit code of the cause where it is known; otherwise that something is missing. */
function toIncompleteCode(code: ExitCode): ExitCode {
  return code === EXIT.unexpected || code === EXIT.usage ? EXIT.incomplete : code;
}

/** Goes on with the same download where one was cut off, joins it while it is under way, or begins it. */
async function startDownload(
  { session, connection: { id: connectionId }, period }: Job,
  report: DetailKind,
): Promise<{ taskId: string; snapshotId: number; isOwn: boolean }> {
  const same = (await session.call('downloads/list', { connectionId })).filter(
    (each) =>
      each.report === report &&
      each.period.startDate === period.startDate &&
      each.period.endDate === period.endDate,
  );
  const isActive = ({ state, taskId }: Download): boolean =>
    taskId !== null && state !== 'ended' && state !== 'paused';
  const active = same.find(isActive);
  if (active !== undefined && active.taskId !== null) {
    return { taskId: active.taskId, snapshotId: active.snapshotId, isOwn: false };
  }
  // Only the newest one: an older one was replaced by it.
  const [newest] = same;
  const isCutOff = newest?.state === 'running' || newest?.state === 'queued';
  if (newest !== undefined && (newest.canResume || isCutOff)) {
    const resumed = await session.call('downloads/resume', { snapshotId: newest.snapshotId });
    return { ...resumed, isOwn: true };
  }
  const started = await session.call('downloads/start', { connectionId, report, period });
  return { ...started, isOwn: true };
}

/** Pauses a download that has waited too long for its service. */
function watchForLoss(
  session: Session,
  snapshotId: number,
  patienceMs: number,
): { stop(): void; isLost(): boolean } {
  let timer: NodeJS.Timeout | null = null;
  let isLost = false;
  const rest = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const stopListening = session.on((name, payload) => {
    if (name !== 'downloads/changed' || payload.snapshotId !== snapshotId) return;
    if (payload.state !== 'waiting') rest();
    else {
      timer ??= setTimeout(() => {
        isLost = true;
        void session.tryCall('downloads/pause', { snapshotId });
      }, patienceMs);
    }
  });
  return {
    stop: () => {
      rest();
      stopListening();
    },
    isLost: () => isLost,
  };
}

async function fetchSummary(
  { context, session, connection, period }: Job,
  report: SummaryKind,
): Promise<ExitCode> {
  const { direction } = REPORTS[report];
  const { taskId, snapshotId } = await session.call('summaries/start-fetch', {
    connectionId: connection.id,
    direction,
    period,
  });
  requireDone(await waitForTask(context, session, taskId, { doing: 'Fetching', unit: 'groups' }));
  const { state, recordCount: records } = await session.call('snapshots/get', { snapshotId });
  await writeResult(context, { state, records, certificate: null }, snapshotId);
  return state === 'complete' ? EXIT.done : EXIT.incomplete;
}

async function writeResult(
  { out }: CommandContext,
  result: { readonly state: string; readonly records: number; readonly certificate: object | null },
  snapshotId: number,
): Promise<void> {
  await out.json(result);
  await out.text(`Snapshot ${snapshotId}: ${result.state}, ${countWords(result.records, 'record')}.`);
}
