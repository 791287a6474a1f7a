import { Type } from 'typebox';
import {
  Connection,
  ConnectionDraft,
  ConnectionSecrets,
  SetAsideConnections,
} from '../../model/connections/connection.ts';
import { Nullable } from '../../model/nullable.ts';
import { ValueNames } from '../../model/records/value-name.ts';
import { ConnectionId, Nothing, operation, TaskId } from '../operation.ts';

/** A connection as typed; secrets that are left out are those of the saved connection. */
const DraftInput = Type.Object({
  connectionId: Nullable(Type.String()),
  draft: ConnectionDraft,
  secrets: ConnectionSecrets,
});

export const connectionsOperations = {
  'connections/list': operation(Nothing, Type.Array(Connection)),
  /** What was saved and can't be used by this version; it is kept. */
  'connections/list-set-aside': operation(Nothing, SetAsideConnections),
  /** Creates a connection (id null) or changes one. */
  'connections/save': operation(DraftInput, Connection),
  /** Replaces a connection's names of channels, services and actions. */
  'connections/save-names': operation(
    Type.Object({ ...ConnectionId.properties, names: ValueNames }),
    Connection,
  ),
  /** Removes a connection, its secrets and its cached snapshots. */
  'connections/remove': operation(ConnectionId, Nothing),
  /** Starts a task of kind `connection-test`, whose `steps` are the result. */
  'connections/start-test': operation(DraftInput, TaskId),
  /**
   * Starts a task of kind `zone-check`: it looks for the newest record of the draft's service and judges the service
   * time zone by it. The result is the task's `zoneFinding`; the task fails as a page does.
   */
  'connections/start-zone-check': operation(DraftInput, TaskId),
};

export const connectionsEvents = {
  'connections/changed': Type.Array(Connection),
};
