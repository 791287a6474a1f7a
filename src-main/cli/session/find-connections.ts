import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Keychain } from '../../common/contract/operations/app.ts';
import { foldCase } from '../../common/fold-case.ts';
import {
  areAtHand,
  compareConnections,
  type Connection,
  type ConnectionDraft,
  type ConnectionSecrets,
  tidySecret,
} from '../../common/model/connections/connection.ts';
import { writeFileAtomically } from '../../node/files.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { type CommandContext, type OptionSpec, toUsageError } from '../words/command.ts';
import type { Session } from './session.ts';

const ALL = 'all-connections';

export const CONNECTION_OPTION: OptionSpec = {
  name: 'connection',
  value: 'NAME',
  summary: 'name or id of a saved connection',
};

/** One connection, several or all of them. */
export const CONNECTIONS_OPTIONS: readonly OptionSpec[] = [
  { ...CONNECTION_OPTION, summary: `${CONNECTION_OPTION.summary}; given again, of each`, isRepeatable: true },
  { name: ALL, value: null, summary: 'every saved connection' },
];

/** Throws where neither a connection is given nor all of them, or both are. */
export function checkConnections({ args }: Pick<CommandContext, 'args'>): void {
  const isAll = args.has(ALL);
  if (isAll && args.all('connection').length > 0)
    throw toUsageError(`--${ALL} has every connection: leave --connection out.`);
  if (!isAll) args.require('connection');
}

/** Whether more than one connection is meant. */
export function hasSeveral({ args }: Pick<CommandContext, 'args'>): boolean {
  return args.has(ALL) || args.all('connection').length > 1;
}

/** Finds the connections that are given, each once. Throws a CommandError where one is missing, or there is none. */
export async function findConnections(
  { args }: Pick<CommandContext, 'args'>,
  session: Session,
): Promise<[Connection, ...Connection[]]> {
  const found = args.has(ALL) ? await session.call('connections/list', null) : [];
  for (const wanted of args.all('connection')) {
    const connection = await findConnection(session, wanted);
    if (!found.some(({ id }) => id === connection.id)) found.push(connection);
  }
  const [first, ...others] = found;
  if (first === undefined)
    throw new CommandError(EXIT.notFound, 'There is no connection.', 'Add one with "connection add".');
  return [first, ...others];
}

/** Says what keeps figures of the connections from being read as those of one. */
export function noteDifferences(
  { out }: Pick<CommandContext, 'out'>,
  connections: readonly Connection[],
  { zone, hasTotals = false }: { readonly zone: string; readonly hasTotals?: boolean },
): void {
  const { zonesDiffer, rulesDiffer, sameTenant } = compareConnections(connections);
  if (zonesDiffer)
    out.note(`The services have different time zones: the period and all times are in ${zone}.`);
  if (rulesDiffer) out.note('The connections have different rules for what failed.');
  if (!hasTotals) return;
  for (const own of sameTenant)
    out.note(
      `${own.map(({ name }) => `"${name}"`).join(', ')} read the same tenant: totals count what they share more than once.`,
    );
}

export const SECRET_OPTIONS: readonly OptionSpec[] = [
  { name: 'token-env', value: 'VARIABLE', summary: 'environment variable that holds the access token' },
  {
    name: 'secret-env',
    value: 'VARIABLE',
    summary: 'environment variable that holds the access token secret',
  },
];

/** The names of two environment variables, never what they hold. */
interface SecretVariables {
  readonly token: string;
  readonly secret: string;
}

const FILE_NAME = 'command-line.json';

/** Finds a connection by its name or id. Throws a CommandError where there is none, or more than one of that name. */
export async function findConnection(session: Session, wanted: string): Promise<Connection> {
  const all = await session.call('connections/list', null);
  const byId = all.find(({ id }) => id === wanted);
  if (byId !== undefined) return byId;
  const named = all.filter(({ name }) => name === wanted);
  const [first] = named.length > 0 ? named : all.filter(({ name }) => isAlike(name, wanted));
  if (named.length > 1)
    throw toUsageError(`${named.length} connections are called "${wanted}": give an id.`, '');
  if (first !== undefined) return first;
  const names = all.map(({ name }) => `"${name}"`).join(', ');
  throw new CommandError(
    EXIT.notFound,
    `There is no connection "${wanted}".`,
    names === '' ? 'Add one with "connection add".' : `There are: ${names}.`,
  );
}

function isAlike(name: string, wanted: string): boolean {
  return foldCase(name) === foldCase(wanted);
}

/** Returns what a person fills in of a saved connection. */
export function toDraft(connection: Connection): ConnectionDraft {
  const { name, baseAddress, tenant, serviceZone, reportIdentifiers, pageSize } = connection;
  const { allowsPlainHttp, followed, followSeconds, lookBackMinutes, walks } = connection;
  return {
    name,
    baseAddress,
    tenant,
    serviceZone,
    reportIdentifiers,
    pageSize,
    ...(allowsPlainHttp === undefined ? {} : { allowsPlainHttp }),
    ...(followed === undefined ? {} : { followed }),
    ...(followSeconds === undefined ? {} : { followSeconds }),
    ...(lookBackMinutes === undefined ? {} : { lookBackMinutes }),
    ...(walks === undefined ? {} : { walks }),
  };
}

/** Reads the names that were given as options; null where none was. Throws where only one was. */
export function readVariables({ args }: Pick<CommandContext, 'args'>): SecretVariables | null {
  const token = args.find('token-env');
  const secret = args.find('secret-env');
  if (token === null && secret === null) return null;
  if (token === null) throw toUsageError('--token-env is missing.');
  if (secret === null) throw toUsageError('--secret-env is missing.');
  return { token, secret };
}

/** Reads secrets out of the environment. Throws a CommandError that names the variable that is empty or not set. */
export function readSecrets(
  environment: CommandContext['environment'],
  { token, secret }: SecretVariables,
): Required<ConnectionSecrets> {
  const read = (name: string): string => {
    // A file or a command whose output it holds ends with a line end.
    const value = tidySecret(environment[name] ?? '');
    if (value === '') throw toUsageError(`The environment variable ${name} is not set.`, '');
    return value;
  };
  return { accessToken: read(token), accessTokenSecret: read(secret) };
}

/**
 * Finds the connection of `--connection`, ready to ask its service: its secrets are at hand, from the variables that were
 * named, from the keychain, or from those that were named when it was added; and the built-in service runs.
 */
export async function prepareConnection(context: CommandContext, session: Session): Promise<Connection> {
  let connection = await findConnection(session, context.args.require('connection'));
  if (connection.kind === 'local') {
    await session.call('local-service/start', null);
    return findConnection(session, connection.id);
  }
  const { environment, out } = context;
  const named = readVariables(context);
  if (named === null && connection.secrets === 'unreadable') {
    await unlockSecrets(context, session);
    connection = await findConnection(session, connection.id);
  }
  const hasOwn = areAtHand(connection.secrets);
  if (named === null && hasOwn) return connection;
  const variables = named ?? (await readKnownVariables(session.dataFolder, connection.id));
  if (variables === null) return connection;
  if (
    named === null &&
    [variables.token, variables.secret].some((name) => (environment[name] ?? '') === '')
  ) {
    out.note(`Neither a keychain nor ${variables.token} and ${variables.secret} hold the credentials.`);
    return connection;
  }
  const secrets = readSecrets(environment, variables);
  if (session.giveSecrets !== null) session.giveSecrets(connection.id, secrets);
  else if (hasOwn) out.note('The open Channelscope uses the credentials that it has.');
  else {
    const draft = toDraft(connection);
    await session.call('connections/save', { connectionId: connection.id, draft, secrets });
  }
  return connection;
}

/** Remembers which variables hold the secrets of a connection, for a computer without a keychain. */
export async function keepVariables(
  folder: string,
  connectionId: string,
  variables: SecretVariables | null,
): Promise<void> {
  const others = Object.entries(await readAll(folder)).filter(([id]) => id !== connectionId);
  const connections = Object.fromEntries(
    variables === null ? others : [...others, [connectionId, variables]],
  );
  await writeFileAtomically(
    join(folder, FILE_NAME),
    `${JSON.stringify({ version: 1, connections }, null, 2)}\n`,
  );
}

async function readKnownVariables(folder: string, connectionId: string): Promise<SecretVariables | null> {
  const found = (await readAll(folder))[connectionId];
  return typeof found?.token === 'string' && typeof found.secret === 'string' ? found : null;
}

async function readAll(folder: string): Promise<Record<string, SecretVariables | undefined>> {
  try {
    const value = JSON.parse(await readFile(join(folder, FILE_NAME), 'utf8')) as {
      connections?: Record<string, SecretVariables>;
    };
    return typeof value.connections === 'object' ? value.connections : {};
  } catch {
    return {};
  }
}

const MAX_TRIES = 3;

/** Where secrets are kept now. */
export async function readKeychain(session: Session): Promise<Keychain> {
  return (await session.call('app/get-info', null)).keychain;
}

/**
 * Opens the secrets file where it is locked: with the passphrase that was given, else with what the person enters. Returns
 * where secrets are kept then. Throws a CommandError for a wrong passphrase; where none is to be had, the file stays locked.
 */
export async function unlockSecrets(context: CommandContext, session: Session): Promise<Keychain> {
  const { readPassphrase, askSecret, out } = context;
  const keychain = await readKeychain(session);
  if (keychain.file !== 'locked' || keychain.kind === 'keychain') return keychain;
  const passphrase = await readPassphrase();
  if (passphrase !== null) return session.call('secrets/unlock-file', { passphrase });
  if (askSecret === null) return keychain;
  for (let tries = 1; ; tries += 1) {
    const entered = await askSecret('Passphrase of the secrets file: ');
    if (entered === null) return keychain;
    const result = await session.tryCall('secrets/unlock-file', { passphrase: entered });
    if ('value' in result) return result.value;
    if (result.error.code !== 'secrets.wrong-passphrase' || tries >= MAX_TRIES) {
      throw new CommandError(EXIT.refused, result.error.message);
    }
    out.note(result.error.message);
  }
}
