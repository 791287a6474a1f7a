import type { Keychain } from '../../common/contract/operations/app.ts';
import type { Connection, ConnectionDraft } from '../../common/model/connections/connection.ts';
import { MIN_PASSPHRASE_CHARACTERS } from '../../common/model/settings/passphrase.ts';
import { isGuid, SPECIFIED_REPORT_IDENTIFIERS } from '../../common/reporting/reports.ts';
import { CommandError, EXIT, type ExitCode, toCommandError } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import {
  CONNECTION_OPTION,
  findConnection,
  keepVariables,
  prepareConnection,
  readKeychain,
  readSecrets,
  readVariables,
  SECRET_OPTIONS,
  toDraft,
  unlockSecrets,
} from '../session/find-connections.ts';
import type { Session } from '../session/session.ts';
import { waitForTask } from '../session/wait-for-task.ts';
import { type Command, type CommandContext, toUsageError } from '../words/command.ts';
import { readZone } from '../words/options.ts';

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

const PLACES: Readonly<Record<Keychain['kind'], string>> = {
  keychain: "Secrets are kept in the system's keychain.",
  file: 'Secrets are kept in the encrypted file.',
  session: 'Secrets are kept until Channelscope ends.',
};
const FILES: Readonly<Record<Keychain['file'], string>> = {
  none: '',
  offered: ' "secrets encrypt" keeps them in an encrypted file.',
  locked: ' The encrypted file is locked.',
  open: '',
};
const ABOUT = `The passphrase is never an argument, which other users can read. Without --passphrase-file or
CHANNELSCOPE_PASSPHRASE_FILE, you enter it in the terminal.`;

async function tell({ out }: CommandContext, { kind, file, failure }: Keychain): Promise<ExitCode> {
  await out.json({ kind, file, failure });
  await out.text(`${PLACES[kind]}${FILES[file]}`);
  return EXIT.done;
}

/** Throws a CommandError where there is neither a file that holds it nor a terminal to ask at. */
async function requirePassphrase(context: CommandContext, question: string): Promise<string> {
  const passphrase = (await context.readPassphrase()) ?? (await context.askSecret?.(question)) ?? null;
  if (passphrase === null)
    throw toUsageError('There is no passphrase: --passphrase-file names a file with it.', '');
  return passphrase;
}

async function requireNew(context: CommandContext, option: string): Promise<string> {
  const { readPassphrase, askSecret } = context;
  const given = await readPassphrase(option);
  const chosen = given ?? (await askSecret?.('New passphrase: ')) ?? null;
  if (chosen === null) throw toUsageError(`There is no passphrase: --${option} names a file with it.`, '');
  if (chosen.length < MIN_PASSPHRASE_CHARACTERS) {
    throw toUsageError(`A passphrase has ${MIN_PASSPHRASE_CHARACTERS} characters or more.`, '');
  }
  if (given === null && (await askSecret?.('Repeat passphrase: ')) !== chosen) {
    throw toUsageError("The two passphrases aren't the same.", 'Nothing was changed.');
  }
  return chosen;
}

/** Throws a CommandError where there is none: nobody is asked for a passphrase then. */
async function requireFile(session: Session): Promise<void> {
  const { file } = await readKeychain(session);
  if (file !== 'locked' && file !== 'open')
    throw new CommandError(EXIT.notFound, 'There is no encrypted file.');
}

const status: Command = {
  name: 'secrets status',
  summary: 'shows where credentials are kept',
  operands: '',
  maxOperands: 0,
  options: [],
  async run(context) {
    return tell(context, await readKeychain(await context.open()));
  },
};

const encrypt: Command = {
  name: 'secrets encrypt',
  summary: 'keeps credentials in an encrypted file, on Linux without a keychain',
  operands: '',
  maxOperands: 0,
  options: [],
  about: ABOUT,
  async run(context) {
    const session = await context.open();
    // What can't be done is said before anybody thinks of a passphrase.
    const { kind, file } = await readKeychain(session);
    if (kind === 'keychain') throw new CommandError(EXIT.usage, PLACES.keychain, 'Nothing was changed.');
    if (file === 'locked' || file === 'open')
      throw new CommandError(EXIT.usage, 'There is an encrypted file already.');
    if (file === 'none') {
      throw new CommandError(
        EXIT.usage,
        "The system's keychain can't be used now, and may only be locked: no encrypted file takes its place.",
      );
    }
    const passphrase = await requireNew(context, 'passphrase-file');
    return tell(context, await session.call('secrets/create-file', { passphrase }));
  },
};

const unlock: Command = {
  name: 'secrets unlock',
  summary: 'unlocks the encrypted file in the running Channelscope, or tests its passphrase',
  operands: '',
  maxOperands: 0,
  options: [],
  about: ABOUT,
  async run(context) {
    const session = await context.open();
    const keychain = await unlockSecrets(context, session);
    if (keychain.file !== 'locked') return tell(context, keychain);
    const passphrase = await requirePassphrase(context, 'Passphrase of the secrets file: ');
    return tell(context, await session.call('secrets/unlock-file', { passphrase }));
  },
};

const change: Command = {
  name: 'secrets change-passphrase',
  summary: 'changes the passphrase of the encrypted file',
  operands: '',
  maxOperands: 0,
  options: [
    { name: 'new-passphrase-file', value: 'FILE', summary: 'file with the new passphrase', isPath: true },
  ],
  about: ABOUT,
  async run(context) {
    const session = await context.open();
    await requireFile(session);
    const passphrase = await requirePassphrase(context, 'Current passphrase: ');
    const next = await requireNew(context, 'new-passphrase-file');
    const keychain = await session.call('secrets/change-passphrase', { passphrase, next });
    await context.out.json({ kind: keychain.kind, file: keychain.file, failure: keychain.failure });
    await context.out.text('The passphrase was changed.');
    return EXIT.done;
  },
};

const removeSecret: Command = {
  name: 'secrets delete',
  summary: 'deletes the encrypted file with the credentials in it',
  operands: '',
  maxOperands: 0,
  options: [{ name: 'yes', value: null, summary: "don't ask" }],
  async run(context) {
    const session = await context.open();
    await requireFile(session);
    const question = 'Delete the encrypted file? The credentials in it have to be entered anew.';
    if (context.confirm !== null && !context.args.has('yes') && !(await context.confirm(question))) {
      throw new CommandError(EXIT.cancelled, 'Nothing was deleted.');
    }
    await session.call('secrets/delete-file', null);
    await context.out.json({ deleted: true });
    await context.out.text('Deleted the encrypted file.');
    return EXIT.done;
  },
};

export const SECRET_COMMANDS: readonly Command[] = [status, encrypt, unlock, change, removeSecret];
