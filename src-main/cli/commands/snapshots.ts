import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { toEndMs } from '../../common/model/period.ts';
import { formatMoment } from '../../common/time/format-moment.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { CONNECTION_OPTION, findConnection } from '../session/find-connections.ts';
import type { Session } from '../session/session.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import { toUsageError, type Command, type CommandContext } from '../words/command.ts';

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
