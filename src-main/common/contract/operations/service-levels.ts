import { Type } from 'typebox';
import { Connection } from '../../model/connections/connection.ts';
import { LevelMonth, LevelReport, ServiceLevelDraft } from '../../model/connections/service-level.ts';
import { Nullable } from '../../model/nullable.ts';
import { ConnectionId, operation } from '../operation.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });

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
