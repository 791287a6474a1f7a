import { Type } from 'typebox';
import { StatusHistory, StatusSample } from '../model/status.ts';
import { ConnectionId, operation } from './operation.ts';

export const statusOperations = {
  /** Requests the tenant's status now and stores the sample, also a failed one. */
  'status/refresh': operation(ConnectionId, StatusSample),
  /** Status history of the last `spanMs`, in `ticks` equal spans, from the cache. */
  'status/read-history': operation(
    Type.Object({
      connectionId: Type.String(),
      spanMs: Type.Integer({ minimum: 60_000 }),
      ticks: Type.Integer({ minimum: 1, maximum: 1000 }),
    }),
    StatusHistory,
  ),
};

export const statusEvents = { 'status/checked': StatusSample };
