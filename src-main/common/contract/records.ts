import { Type } from 'typebox';
import {
  Facets,
  RecordDetail,
  RecordFilter,
  RecordOrder,
  RecordRow,
  SessionRequest,
  TimeBucket,
} from '../model/record.ts';
import { Nothing, operation } from './operation.ts';

const ViewId = Type.Object({ viewId: Type.String() });

export const recordsOperations = {
  /** Materialises a snapshot, filter and order as a view; windows of it are then look-ups. */
  'records/open-view': operation(
    Type.Object({ snapshotId: Type.Integer(), filter: RecordFilter, order: RecordOrder }),
    Type.Object({ viewId: Type.String(), rowCount: Type.Integer(), totalCount: Type.Integer() }),
  ),
  /** Rows of a view from a place on; fewer than `limit` at its end. */
  'records/read-rows': operation(
    Type.Object({
      viewId: Type.String(),
      offset: Type.Integer({ minimum: 0 }),
      limit: Type.Integer({ minimum: 1, maximum: 500 }),
    }),
    Type.Array(RecordRow),
  ),
  'records/close-view': operation(ViewId, Nothing),
  /** Records of the view per span of time; spans are equal and whole seconds. */
  'records/read-histogram': operation(
    Type.Object({ viewId: Type.String(), buckets: Type.Integer({ minimum: 1, maximum: 500 }) }),
    Type.Array(TimeBucket),
  ),
  'records/read-facets': operation(Type.Object({ snapshotId: Type.Integer() }), Facets),
  'records/read-record': operation(
    Type.Object({ snapshotId: Type.Integer(), seq: Type.Integer({ minimum: 0 }) }),
    RecordDetail,
  ),
  /** Requests that share a session id, in both directions, over the connection's cached snapshots; at most 200. */
  'records/read-session': operation(
    Type.Object({ connectionId: Type.String(), sessionId: Type.String({ maxLength: 200 }) }),
    Type.Array(SessionRequest),
  ),
};
