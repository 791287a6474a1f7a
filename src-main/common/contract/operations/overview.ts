import { Type } from 'typebox';
import { RecentTraffic } from '../../model/analysis/recent-traffic.ts';
import { Nullable } from '../../model/nullable.ts';
import { TimeBucket } from '../../model/records/record.ts';
import { ConnectionId, operation } from '../operation.ts';

/** Inbound and outbound volume over time, from cached detail records. */
const Volume = Type.Object({
  inbound: Type.Array(TimeBucket),
  outbound: Type.Array(TimeBucket),
  /** Share of the span that complete or still open snapshots cover, 0 to 1. */
  inboundCoverage: Type.Number(),
  outboundCoverage: Type.Number(),
  /** The same of each bucket. */
  inboundCovered: Type.Array(Type.Number()),
  outboundCovered: Type.Array(Type.Number()),
});

export const overviewOperations = {
  /** What cached records say of the last minutes; null for a direction of which nothing recent is cached. */
  'overview/read-recent-traffic': operation(
    ConnectionId,
    Type.Object({ inbound: Nullable(RecentTraffic), outbound: Nullable(RecentTraffic) }),
  ),
  /** Volume of a span in equal buckets, from every cached detail snapshot of the connection. */
  'overview/read-volume': operation(
    Type.Object({
      connectionId: Type.String(),
      fromMs: Type.Integer(),
      toMs: Type.Integer(),
      buckets: Type.Integer({ minimum: 1, maximum: 500 }),
    }),
    Volume,
  ),
};
