import { Type } from 'typebox';
import { Connection } from '../../model/connections/connection.ts';
import { MAX_OWN_TEXT, OWN_TABLE_FIELDS, OwnTable, OwnTableFile } from '../../model/connections/own-table.ts';
import { Nullable } from '../../model/nullable.ts';
import { ConnectionId, operation } from '../operation.ts';

const Text = Type.String({ maxLength: MAX_OWN_TEXT });
const Id = OwnTable.properties.id;

export const ownTablesOperations = {
  /** What a CSV file would be as a table. Rejects with `own-tables.unreadable`. */
  'own-tables/read-file': operation(Type.Object({ text: Text }), OwnTableFile),
  /**
   * Adds a table (id null) or replaces one, from a CSV file whose `keyColumn` holds values of `field`; once it resolves,
   * its columns are fields. Rejects with `own-tables.unreadable`, `own-tables.name-taken` and `own-tables.too-many`.
   */
  'own-tables/save': operation(
    Type.Object({
      ...ConnectionId.properties,
      tableId: Nullable(Id),
      name: OwnTable.properties.name,
      field: Type.Enum([...OWN_TABLE_FIELDS]),
      keyColumn: Type.String(),
      text: Text,
    }),
    Connection,
  ),
  /** Takes a table away; until the application ends, `own-tables/restore` brings it back. */
  'own-tables/remove': operation(Type.Object({ ...ConnectionId.properties, tableId: Id }), Connection),
  /** Brings back a table that was taken away. Rejects as `own-tables/save`, and with `own-tables.not-found`. */
  'own-tables/restore': operation(Type.Object({ ...ConnectionId.properties, table: OwnTable }), Connection),
};
