import { Type } from 'typebox';
import { Connection, ConnectionDraft, ConnectionSecrets } from '../model/connection.ts';
import { ZoneFinding } from '../model/zone-finding.ts';
import { Nothing, operation } from './operation.ts';

const ConnectionId = Type.Object({ connectionId: Type.String() });
const NullableId = Type.Union([Type.String(), Type.Null()]);

export const connectionsOperations = {
  'connections/list': operation(Nothing, Type.Array(Connection)),
  /** Creates a connection (id null) or changes one. Secrets left out stay as they are. */
  'connections/save': operation(
    Type.Object({ connectionId: NullableId, draft: ConnectionDraft, secrets: ConnectionSecrets }),
    Connection,
  ),
  /** Removes a connection, its secrets and its cached snapshots. */
  'connections/remove': operation(ConnectionId, Nothing),
  /** Starts a test of the draft as typed; missing secrets are taken from the saved connection. Answers the task's id. */
  'connections/start-test': operation(
    Type.Object({ connectionId: NullableId, draft: ConnectionDraft, secrets: ConnectionSecrets }),
    Type.Object({ taskId: Type.String() }),
  ),
  /**
   * Asks the service of a draft as typed for its newest record, and judges the service time zone by it; missing
   * secrets are taken from the saved connection. Fails as a page does.
   */
  'connections/detect-zone': operation(
    Type.Object({ connectionId: NullableId, draft: ConnectionDraft, secrets: ConnectionSecrets }),
    ZoneFinding,
  ),
};

export const connectionsEvents = {
  'connections/changed': Type.Array(Connection),
};
