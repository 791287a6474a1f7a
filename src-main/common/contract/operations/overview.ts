import { Type, type Static } from 'typebox';
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

/** What the cached records of a direction say of its last minutes. */
export const RecentTraffic = Type.Object({
  /** Where the newest of what is cached without a gap ends. */
  toMs: Type.Integer(),
  /** The whole minutes before it that are cached without a gap, oldest first, at most sixty. */
  minutes: Type.Array(
    Type.Object({
      /** Response codes up to 399. */
      successes: Type.Integer(),
      /** Those that failed, by the rules of the connection. */
      failures: Type.Integer(),
    }),
  ),
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

export type RecentTraffic = Static<typeof RecentTraffic>;
