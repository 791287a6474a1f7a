import { Type } from 'typebox';
import { Connection } from '../../model/connections/connection.ts';
import {
  MAX_OWN_TEXT,
  OWN_TABLE_FIELDS,
  OwnTable,
  OwnTableFile,
  OwnTableMatches,
} from '../../model/connections/own-table.ts';
import { PlannedSuggestion, PlannedTimeDraft, TimeMarkDraft } from '../../model/connections/planned.ts';
import { LevelMonth, LevelReport, ServiceLevelDraft } from '../../model/connections/service-level.ts';
import { Nullable } from '../../model/nullable.ts';
import { ConnectionId, operation } from '../operation.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });

export const plannedOperations = {
  /** Adds a planned time (id null) or changes one. Rejects with `planned.invalid` and `planned.too-many`. */
  'planned/save-time': operation(
    Type.Object({ ...ConnectionId.properties, timeId: Nullable(Id), draft: PlannedTimeDraft }),
    Connection,
  ),
  'planned/remove-time': operation(Type.Object({ ...ConnectionId.properties, timeId: Id }), Connection),
  /** Adds a mark on the time axis (id null) or changes one. */
  'planned/save-mark': operation(
    Type.Object({ ...ConnectionId.properties, markId: Nullable(Id), draft: TimeMarkDraft }),
    Connection,
  ),
  'planned/remove-mark': operation(Type.Object({ ...ConnectionId.properties, markId: Id }), Connection),
  /**
   * Adds what a file holds: an iCalendar file, or planned times and marks as `channelscope-planned-times`. What came from
   * a file of the same name before is replaced. Rejects with `planned.…` where the file can't be used.
   */
  'planned/import': operation(
    Type.Object({
      ...ConnectionId.properties,
      fileName: Type.String({ minLength: 1, maxLength: 200 }),
      text: Type.String({ maxLength: 4_000_000 }),
    }),
    Type.Object({
      connection: Connection,
      times: Type.Integer(),
      marks: Type.Integer(),
      /** Events that can't be planned times, and why. */
      leftOut: Type.Array(
        Type.Object({
          name: Type.String(),
          reason: Type.Enum(['broken', 'no-end', 'too-long', 'too-often', 'no-date', 'repeats']),
        }),
      ),
    }),
  ),
  /** Times that are quiet every week, though they aren't planned. */
  'planned/suggest': operation(ConnectionId, Type.Array(PlannedSuggestion)),
  /** Doesn't suggest a time again. */
  'planned/dismiss': operation(
    Type.Object({ ...ConnectionId.properties, key: Type.String({ minLength: 1, maxLength: 100 }) }),
    Connection,
  ),
};

export const serviceLevelsOperations = {
  /** Adds a target (id null) or changes one. Rejects with `service-levels.invalid` and `service-levels.too-many`. */
  'service-levels/save': operation(
    Type.Object({ ...ConnectionId.properties, levelId: Nullable(Id), draft: ServiceLevelDraft }),
    Connection,
  ),
  'service-levels/remove': operation(Type.Object({ ...ConnectionId.properties, levelId: Id }), Connection),
  /** Adds what a file holds; what is there already isn't added again. Rejects with `service-levels.no-file`. */
  'service-levels/import': operation(
    Type.Object({
      ...ConnectionId.properties,
      fileName: Type.String({ minLength: 1, maxLength: 200 }),
      text: Type.String({ maxLength: 1_000_000 }),
    }),
    Type.Object({ connection: Connection, added: Type.Integer() }),
  ),
  /** How a month stands, or the present one of each target (month null): all targets of a connection, in their order. */
  'service-levels/read': operation(
    Type.Object({ ...ConnectionId.properties, month: Nullable(LevelMonth) }),
    Type.Array(LevelReport),
  ),
};

const Text = Type.String({ maxLength: MAX_OWN_TEXT });
const TableId = OwnTable.properties.id;

export const ownTablesOperations = {
  /** What a CSV file would be as a table. Rejects with `own-tables.unreadable`. */
  'own-tables/read-file': operation(Type.Object({ text: Text }), OwnTableFile),
  /**
   * How many values of the cached records a CSV file would say something of. Rejects with `own-tables.unreadable`, and
   * with `analysis.*`.
   */
  'own-tables/count-matches': operation(
    Type.Object({
      ...ConnectionId.properties,
      field: Type.Enum([...OWN_TABLE_FIELDS]),
      keyColumn: Type.String(),
      text: Text,
    }),
    OwnTableMatches,
  ),
  /**
   * Adds a table (id null) or replaces one, from a CSV file whose `keyColumn` holds values of `field`; once it resolves,
   * its columns are fields. Rejects with `own-tables.unreadable`, `own-tables.name-taken` and `own-tables.too-many`.
   */
  'own-tables/save': operation(
    Type.Object({
      ...ConnectionId.properties,
      tableId: Nullable(TableId),
      name: OwnTable.properties.name,
      field: Type.Enum([...OWN_TABLE_FIELDS]),
      keyColumn: Type.String(),
      text: Text,
    }),
    Connection,
  ),
  /** Takes a table away; until the application ends, `own-tables/restore` brings it back. */
  'own-tables/remove': operation(Type.Object({ ...ConnectionId.properties, tableId: TableId }), Connection),
  /** Brings back a table that was taken away. Rejects as `own-tables/save`, and with `own-tables.not-found`. */
  'own-tables/restore': operation(Type.Object({ ...ConnectionId.properties, table: OwnTable }), Connection),
};
