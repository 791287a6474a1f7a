import type { Connection, ConnectionDraft } from '../../common/model/connections/connection.ts';
import { isGuid, SPECIFIED_REPORT_IDENTIFIERS } from '../../common/reporting/reports.ts';
import { CommandError, EXIT, toCommandError } from '../exit-codes.ts';
import { countWords } from '../output/count-words.ts';
import { toUsageError, type Command, type CommandContext } from '../words/command.ts';
import {
  CONNECTION_OPTION,
  findConnection,
  keepVariables,
  prepareConnection,
  readSecrets,
  readVariables,
  SECRET_OPTIONS,
  toDraft,
} from '../session/find-connections.ts';
import { unlockSecrets } from '../session/unlock-secrets.ts';
import { waitForTask } from '../session/wait-for-task.ts';
import { readZone } from '../words/period-options.ts';

const PAGE_SIZE = 1_000;

function toLine(connection: Connection): object {
  const { id, name, kind, baseAddress: address, tenant, serviceZone: zone, pageSize } = connection;
  return {
    id,
    name,
    kind,
    address,
    tenant,
    zone,
    pageSize,
    followed: connection.followed ?? false,
    secrets: connection.secrets,
  };
}

/** The options and operand name the same connection. */
function nameOf({ args }: CommandContext): string {
  const [operand] = args.operands;
  return operand ?? args.require('connection');
}

function readDraft(context: CommandContext, known: ConnectionDraft | null): ConnectionDraft {
  const { args } = context;
  const identifiers = known?.reportIdentifiers ?? { ...SPECIFIED_REPORT_IDENTIFIERS };
  const outboundSummary = args.find('outbound-summary-id') ?? identifiers['outbound-summary'];
  if (!isGuid(outboundSummary)) throw toUsageError('--outbound-summary-id takes a GUID.', '');
  const tenant = args.whole('tenant', 0, 999_999_999_999_999) ?? known?.tenant;
  if (tenant === undefined) throw toUsageError('--tenant is missing.');
  return {
    ...known,
    name: args.require('name'),
    baseAddress: known === null ? args.require('address') : (args.find('address') ?? known.baseAddress),
    tenant,
    serviceZone: readZone(context, known?.serviceZone ?? 'UTC'),
    pageSize: args.whole('page-size', 1, 100_000) ?? known?.pageSize ?? PAGE_SIZE,
    reportIdentifiers: { ...identifiers, 'outbound-summary': outboundSummary },
    ...(args.has('allow-plain-http') ? { allowsPlainHttp: true } : {}),
  };
}

const add: Command = {
  name: 'connection add',
  summary: 'saves a connection, and its credentials in the keychain or the secrets file',
  operands: '',
  maxOperands: 0,
  options: [
    { name: 'name', value: 'NAME', summary: 'name of the connection' },
    { name: 'address', value: 'URL', summary: "the service's base address" },
    { name: 'tenant', value: 'NUMBER', summary: 'tenant number' },
    ...SECRET_OPTIONS,
    { name: 'page-size', value: 'NUMBER', summary: `records per page (${PAGE_SIZE})` },
    { name: 'zone', value: 'ZONE', summary: "the service's time zone (UTC)" },
    { name: 'outbound-summary-id', value: 'GUID', summary: "the outbound summary's own report identifier" },
    {
      name: 'allow-plain-http',
      value: null,
      summary: 'allow sending credentials unencrypted to another computer',
    },
    { name: 'replace', value: null, summary: 'change an existing connection of this name' },
  ],
  about: `Secrets are never arguments, which other users can read. The names of the variables are saved, their values aren't;
without a keychain or a secrets file, later commands read them again.`,
  async run(context) {
    const { args, out, environment } = context;
    const name = args.require('name');
    const variables = readVariables(context);
    const isReplacing = args.has('replace');
    if (variables === null && !isReplacing) throw toUsageError('--token-env and --secret-env are missing.');
    const secrets = variables === null ? {} : readSecrets(environment, variables);
    // Faults of the options are told before anything is opened.
    if (!isReplacing) readDraft(context, null);
    const session = await context.open();
    // What can't be kept in the file would be gone with this command.
    if (variables !== null) await unlockSecrets(context, session);
    const known = (await session.call('connections/list', null)).find((each) => each.name === name) ?? null;
    if (known !== null && !isReplacing) {
      throw toUsageError(`There is a connection "${name}" already.`, 'Change it with --replace.');
    }
    const draft = readDraft(context, known === null ? null : toDraft(known));
    const saved = await session.call('connections/save', { connectionId: known?.id ?? null, draft, secrets });
    if (variables !== null) await keepVariables(session.dataFolder, saved.id, variables);
    if (saved.secrets !== 'keychain' && saved.secrets !== 'file' && variables !== null) {
      out.note(
        session.isAlone
          ? `There is no keychain: commands read ${variables.token} and ${variables.secret} each time.`
          : 'There is no keychain: the open Channelscope keeps the credentials until it ends.',
      );
    }
    await out.json(toLine(saved));
    await out.text(`Saved connection "${saved.name}" (${saved.id}).`);
    return EXIT.done;
  },
};

const list: Command = {
  name: 'connection list',
  summary: 'lists the saved connections',
  operands: '',
  maxOperands: 0,
  options: [],
  async run({ out, open }) {
    const connections = await (await open()).call('connections/list', null);
    for (const connection of connections) await out.json(toLine(connection));
    await out.table(
      ['name', 'address', 'tenant', 'zone', 'page size', 'credentials', 'id'],
      connections.map((each) => [
        each.name,
        each.baseAddress,
        String(each.tenant),
        each.serviceZone,
        each.pageSize,
        each.secrets,
        each.id,
      ]),
    );
    return EXIT.done;
  },
};

const test: Command = {
  name: 'connection test',
  summary: 'tests every request that the application makes',
  operands: 'NAME',
  maxOperands: 1,
  options: [CONNECTION_OPTION, ...SECRET_OPTIONS],
  async run(context) {
    const { out } = context;
    const name = nameOf(context);
    const session = await context.open();
    const args = { ...context.args, require: () => name };
    const connection = await prepareConnection({ ...context, args }, session);
    const { taskId } = await session.call('connections/start-test', {
      connectionId: connection.id,
      draft: toDraft(connection),
      secrets: {},
    });
    const task = await waitForTask(context, session, taskId, { doing: 'Testing', unit: 'steps' });
    for (const { name: step, state, durationMs, error } of task.steps) {
      await out.json({ step, state, durationMs, error: error?.code ?? null });
    }
    await out.table(
      ['step', 'result', 'ms', 'error'],
      task.steps.map(({ name: step, state, durationMs, error }) => [
        step,
        state,
        durationMs,
        error?.message ?? '',
      ]),
    );
    const failure = task.steps.find(({ error }) => error !== null)?.error ?? task.error;
    if (failure !== null) throw toCommandError(failure);
    return task.state === 'done' ? EXIT.done : EXIT.unexpected;
  },
};

const remove: Command = {
  name: 'connection remove',
  summary: 'removes a connection, its credentials and its cached records',
  operands: 'NAME',
  maxOperands: 1,
  options: [CONNECTION_OPTION, { name: 'yes', value: null, summary: "don't ask" }],
  async run(context) {
    const { args, out, confirm } = context;
    const name = nameOf(context);
    const session = await context.open();
    const { id: connectionId, name: shown } = await findConnection(session, name);
    const snapshots = await session.call('snapshots/list', { connectionId });
    const question = `Remove "${shown}", its credentials and ${countWords(snapshots.length, 'snapshot')}?`;
    if (confirm !== null && !args.has('yes') && !(await confirm(question))) {
      throw new CommandError(EXIT.cancelled, 'Nothing was removed.');
    }
    await session.call('connections/remove', { connectionId });
    await keepVariables(session.dataFolder, connectionId, null);
    await out.json({ removed: connectionId, snapshots: snapshots.length });
    await out.text(`Removed connection "${shown}" and ${countWords(snapshots.length, 'snapshot')}.`);
    return EXIT.done;
  },
};

export const CONNECTION_COMMANDS: readonly Command[] = [add, list, test, remove];
