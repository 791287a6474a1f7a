import type { Connection } from '../../common/model/connections/connection.ts';
import { compareConnections } from '../../common/model/connections/several-connections.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { toUsageError } from '../words/arguments.ts';
import type { CommandContext } from '../words/command.ts';
import type { OptionSpec } from '../words/option.ts';
import { CONNECTION_OPTION, findConnection } from './find-connection.ts';
import type { Session } from './session.ts';

const ALL = 'all-connections';

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
