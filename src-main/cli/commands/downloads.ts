import type { Following } from '../../common/contract/operations/cache.ts';
import type { Download } from '../../common/model/cache/download.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import { type Period, toEndMs } from '../../common/model/period.ts';
import {
  type DetailKind,
  isDetailKind,
  REPORT_KINDS,
  REPORTS,
  type SummaryKind,
} from '../../common/reporting/reports.ts';
import { formatMoment } from '../../common/time/civil-time.ts';
import { toPeriod } from '../../core/downloads/slice-period.ts';
import { CommandError, EXIT, type ExitCode, toCommandError, toExitCode } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import {
  CONNECTION_OPTION,
  findConnection,
  prepareConnection,
  SECRET_OPTIONS,
} from '../session/find-connections.ts';
import type { Session } from '../session/session.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import { type Command, type CommandContext, type OptionSpec, toUsageError } from '../words/command.ts';
import { PERIOD_OPTIONS, readPeriod } from '../words/options.ts';

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

export const followCommand: Command = {
  name: 'follow',
  summary: 'fetches new records of a connection until it is ended',
  operands: '',
  maxOperands: 0,
  options: [
    CONNECTION_OPTION,
    { name: 'once', value: null, summary: 'end as soon as everything is up to date' },
    ...SECRET_OPTIONS,
  ],
  about: `Prints a line each time it is up to date. Following ends with the command, unless it was on before.`,
  async run(context) {
    const { args, out, signal, open } = context;
    args.require('connection');
    const session = await open('following');
    const connection = await prepareConnection(context, session);
    const { id: connectionId, serviceZone } = connection;
    const wasFollowed = connection.followed === true;
    let writing: Promise<void> = Promise.resolve();
    let saidAtMs: number | null = null;
    const say = (state: Following): void => {
      const { lastTurnAtMs, behindMs } = state;
      out.progress(behindMs > 0 ? `${Math.ceil(behindMs / 60_000)} min to catch up` : `Now: ${state.state}`);
      if (lastTurnAtMs === null || lastTurnAtMs === saidAtMs) return;
      saidAtMs = lastTurnAtMs;
      writing = writing.then(async () => {
        out.endProgress();
        await out.json({ state: state.state, checkedAt: new Date(lastTurnAtMs).toISOString(), behindMs });
        await out.text(`${formatMoment(lastTurnAtMs, serviceZone)}  ${state.state}`);
      });
    };
    try {
      const end = await new Promise<Following | null>((resolve) => {
        const finish = (state: Following | null): void => {
          stopListening();
          signal.removeEventListener('abort', cancel);
          resolve(state);
        };
        const cancel = (): void => finish(null);
        const judge = (state: Following): void => {
          if (state.connectionId !== connectionId) return;
          say(state);
          const isOver = args.has('once') && state.state === 'following';
          const hasFailed = args.has('once') && ['unreachable', 'failing', 'paused'].includes(state.state);
          if (isOver || hasFailed || state.state === 'refused') finish(state);
        };
        const stopListening = session.on((name, payload) => {
          if (name === 'following/changed') judge(payload);
        });
        signal.addEventListener('abort', cancel);
        if (signal.aborted) cancel();
        session.call('following/switch', { connectionId, followed: true }).catch(cancel);
      });
      await writing;
      if (end === null) throw new CommandError(EXIT.cancelled, 'Following was ended.');
      if (end.failure !== null) throw toCommandError(end.failure);
      return EXIT.done;
    } finally {
      out.endProgress();
      if (!wasFollowed) await session.tryCall('following/switch', { connectionId, followed: false });
    }
  },
};

const MAX_IDS = 100;

async function nameConnections(session: Session): Promise<ReadonlyMap<string, string>> {
  const connections = await session.call('connections/list', null);
  return new Map(connections.map(({ id, name }) => [id, name]));
}

async function findOwner({ args }: CommandContext, session: Session): Promise<string | null> {
  const wanted = args.find('connection');
  return wanted === null ? null : (await findConnection(session, wanted)).id;
}

const snapshots: Command = {
  name: 'snapshots',
  summary: 'lists what is cached, newest first',
  operands: '',
  maxOperands: 0,
  options: [CONNECTION_OPTION],
  async run(context) {
    const { out } = context;
    const session = await context.open();
    const names = await nameConnections(session);
    const owner = await findOwner(context, session);
    const all = await session.call('snapshots/list', { connectionId: owner });
    const found = all.filter(({ isLook }) => isLook !== true);
    for (const each of found) {
      await out.json({
        snapshot: each.id,
        connection: names.get(each.connectionId) ?? each.connectionId,
        report: each.report,
        from: new Date(each.period.fromMs).toISOString(),
        to: new Date(toEndMs(each.period)).toISOString(),
        state: each.state,
        records: each.recordCount,
        fetchedAt: each.fetchedAtMs === null ? null : new Date(each.fetchedAtMs).toISOString(),
        name: each.name,
        pinned: each.pinned,
      });
    }
    await out.table(
      ['snapshot', 'connection', 'report', 'from', 'to', 'zone', 'state', 'records', 'name'],
      found.map((each) => [
        each.id,
        names.get(each.connectionId) ?? '',
        each.report,
        formatMoment(each.period.fromMs, each.period.zone),
        formatMoment(toEndMs(each.period), each.period.zone),
        each.period.zone,
        each.state,
        each.recordCount,
        each.name,
      ]),
    );
    return EXIT.done;
  },
};

function readIds({ args }: CommandContext): number[] {
  return args.operands.map((text) => {
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw toUsageError(`"${text}" is no number of a snapshot.`, '"snapshots" lists them.');
  });
}

const verify: Command = {
  name: 'verify',
  summary: 'checks the checksum of every stored page',
  operands: '[SNAPSHOT…]',
  maxOperands: MAX_IDS,
  options: [CONNECTION_OPTION],
  about: 'Without numbers it checks all snapshots, or those of --connection.',
  async run(context) {
    const { out } = context;
    const ids = readIds(context);
    const session = await context.open();
    const connectionId = await findOwner(context, session);
    const all = await session.call('snapshots/list', { connectionId });
    const unknown = ids.find((id) => !all.some((each) => each.id === id));
    if (unknown !== undefined) {
      throw new CommandError(EXIT.notFound, `There is no snapshot ${unknown}.`, '"snapshots" lists them.');
    }
    const isEverything = ids.length === 0 && connectionId === null;
    const wanted = ids.length === 0 ? all.map(({ id }) => id) : ids;
    const input = { snapshotIds: isEverything ? null : wanted };
    const { taskId } = await session.call('snapshots/verify', input);
    requireDone(await waitForTask(context, session, taskId, { doing: 'Verifying', unit: 'records' }));
    const checked: Snapshot[] = [];
    for (const snapshotId of wanted) checked.push(await session.call('snapshots/get', { snapshotId }));
    for (const { id, recordCount, pageCount, verification } of checked) {
      const damagedPages = verification?.damagedPages ?? null;
      await out.json({ snapshot: id, records: recordCount, pages: pageCount, damagedPages });
    }
    await out.table(
      ['snapshot', 'report', 'records', 'pages', 'damaged pages'],
      checked.map(({ id, report, recordCount, pageCount, verification }) => [
        id,
        report,
        recordCount,
        pageCount,
        verification?.damagedPages ?? null,
      ]),
    );
    const damaged = checked.filter(({ verification }) => (verification?.damagedPages ?? 0) > 0);
    if (damaged.length === 0) return EXIT.done;
    out.note(`Damaged: snapshots ${damaged.map(({ id }) => id).join(', ')} are not what was stored.`);
    return EXIT.disk;
  },
};

export const SNAPSHOT_COMMANDS: readonly Command[] = [snapshots, verify];
