import { readFile } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { listOwnFields, OWN_TABLE_FIELDS } from '../../common/model/connections/own-table.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { CONNECTION_OPTION, findConnection } from '../session/find-connections.ts';
import { toUsageError, type Command, type CommandContext } from '../words/command.ts';

async function print({ out }: CommandContext, { tables = [] }: Connection): Promise<void> {
  for (const table of tables) {
    const fields = listOwnFields([table]).map(({ field }) => field);
    await out.json({ ...table, fields });
  }
  if (tables.length === 0) return out.text('The connection has no own tables.');
  await out.table(
    ['name', 'joined by', 'rows', 'fields'],
    tables.map((table) => [
      table.name,
      table.field,
      String(table.rowCount),
      listOwnFields([table])
        .map(({ field }) => field)
        .join(' '),
    ]),
  );
}

/** The command `own-tables`. */
export const ownTablesCommand: Command = {
  name: 'own-tables',
  summary: 'lists and changes tables of your own that add fields to records',
  operands: '',
  maxOperands: 0,
  options: [
    CONNECTION_OPTION,
    {
      name: 'add',
      value: 'FILE',
      summary: 'adds a CSV file, or replaces the table of that name',
      isPath: true,
    },
    {
      name: 'by',
      value: 'FIELD',
      summary: 'field of the key',
      choices: [...OWN_TABLE_FIELDS],
    },
    { name: 'key', value: 'COLUMN', summary: 'the key column (default: the first)' },
    { name: 'name', value: 'NAME', summary: "name of the table (default: the file's)" },
    { name: 'remove', value: 'NAME', summary: 'removes a table' },
  ],
  about: `A table joined by "service" with the columns service and team makes own.TABLE.team a field: in --query, and in SQL
as own_TABLE_team. Tables stay on this computer and are never sent.`,
  async run(context): Promise<ExitCode> {
    const { args } = context;
    const wanted = args.require('connection');
    const file = args.find('add');
    const removed = args.find('remove');
    if (file !== null && removed !== null) throw toUsageError('--add and --remove exclude each other.');
    const session = await context.open();
    const connection = await findConnection(session, wanted);
    const { id: connectionId, tables = [] } = connection;
    if (file !== null) {
      const field = args.choose('by', OWN_TABLE_FIELDS);
      const text = await readFile(resolve(context.workFolder, file), 'utf8').catch((error: unknown) => {
        throw new CommandError(EXIT.notFound, `${file} can't be read: ${(error as Error).message}`);
      });
      const { columns } = await session.call('own-tables/read-file', { text });
      const name = args.find('name') ?? basename(file, extname(file));
      const keyColumn = args.find('key') ?? columns[0] ?? '';
      const tableId = tables.find((table) => table.name === name)?.id ?? null;
      const changed = { connectionId, tableId, name, field, keyColumn, text };
      await print(context, await session.call('own-tables/save', changed));
    } else if (removed !== null) {
      const table = tables.find(({ name }) => name === removed);
      if (table === undefined)
        throw new CommandError(EXIT.notFound, `The connection has no table "${removed}".`);
      await print(context, await session.call('own-tables/remove', { connectionId, tableId: table.id }));
    } else await print(context, connection);
    return EXIT.done;
  },
};
