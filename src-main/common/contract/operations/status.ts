import { Type } from 'typebox';
import { StatusFigures, StatusHistory, StatusSample } from '../../model/connections/status.ts';
import { ConnectionId, operation } from '../operation.ts';

export const statusOperations = {
  /** Requests the tenant's status now and stores the sample, also a failed one. */
  'status/refresh': operation(ConnectionId, StatusSample),
  /**
   * Status history of the last `spanMs`, in `ticks` equal spans, from the cache; as it was known at `untilMs` where that is
   * given.
   */
  'status/read-history': operation(
    Type.Object({
      connectionId: Type.String(),
      spanMs: Type.Integer({ minimum: 60_000 }),
      ticks: Type.Integer({ minimum: 1, maximum: 1000 }),
      untilMs: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
    StatusHistory,
  ),
  /** What was measured over each of some spans that end now, from the cache. */
  'status/read-figures': operation(
    Type.Object({
      connectionId: Type.String(),
      spansMs: Type.Array(Type.Integer({ minimum: 60_000 }), { minItems: 1, maxItems: 5 }),
    }),
    Type.Array(StatusFigures),
  ),
};

export const statusEvents = { 'status/checked': StatusSample };
