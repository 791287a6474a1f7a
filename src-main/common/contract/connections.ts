import { Type } from 'typebox';
import { Connection, ConnectionDraft, ConnectionSecrets } from '../model/connection.ts';
import { Nothing, operation } from './operation.ts';

const ConnectionId = Type.Object({ connectionId: Type.String() });
/** A connection as typed; secrets that are left out are those of the saved connection. */
const DraftInput = Type.Object({
  connectionId: Type.Union([Type.String(), Type.Null()]),
  draft: ConnectionDraft,
  secrets: ConnectionSecrets,
});
const StartedTask = Type.Object({ taskId: Type.String() });

export const connectionsOperations = {
  'connections/list': operation(Nothing, Type.Array(Connection)),
  /** Creates a connection (id null) or changes one. Secrets left out stay as they are. */
  'connections/save': operation(DraftInput, Connection),
  /** Removes a connection, its secrets and its cached snapshots. */
  'connections/remove': operation(ConnectionId, Nothing),
  /** Starts a task of kind `connection-test`, whose `steps` are the result. */
  'connections/start-test': operation(DraftInput, StartedTask),
  /**
   * Starts a task of kind `zone-check`: it looks for the newest record of the draft's service and judges the service
   * time zone by it. The result is the task's `zoneFinding`; the task fails as a page does.
   */
  'connections/start-zone-check': operation(DraftInput, StartedTask),
};

export const connectionsEvents = {
  'connections/changed': Type.Array(Connection),
};
