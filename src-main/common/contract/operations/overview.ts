import { type Static, Type } from 'typebox';
import {
  HealthState,
  StateSpan,
  StatusFigures,
  StatusHistory,
  StatusSample,
} from '../../model/connections/status.ts';
import { Nullable } from '../../model/nullable.ts';
import { TimeBucket } from '../../model/records/record.ts';
import { ConnectionId, Nothing, operation } from '../operation.ts';

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

const Health = Type.Object({ platform: HealthState, connector: HealthState, checkedAtMs: Type.Integer() });

/** Requests of both directions together. */
const Traffic = Type.Object({
  fromMs: Type.Integer(),
  /** Exclusive. */
  toMs: Type.Integer(),
  count: Type.Integer(),
  /** Those that failed, by the rules of the connection. */
  failures: Type.Integer(),
});

/** A connection in a few figures, from its status samples and from what is cached of its details. */
export const ConnectionGlance = Type.Object({
  connectionId: Type.String(),
  /** The newest check, also a failed one. */
  latest: Nullable(Type.Object({ ...Health.properties, failure: Nullable(Type.String()) })),
  /** The newest report of the service itself. */
  lastAnswered: Nullable(Health),
  platformState: Nullable(StateSpan),
  connectorState: Nullable(StateSpan),
  /**
   * The last 24 hours in half hours, oldest first. The newest cached one ends where the cached records do, as `hour` does.
   */
  buckets: Type.Array(
    Type.Object({
      ...Traffic.properties,
      /** Whether both directions are cached from its beginning to its end, or until now. */
      isCached: Type.Boolean(),
    }),
  ),
  /** The newest whole hour that is cached in both directions; null where the last 24 hours have none. */
  hour: Nullable(Traffic),
  /** The same hour on those of the seven days before that are cached; null where none is. */
  usual: Nullable(
    Type.Object({
      days: Type.Integer(),
      /** Median. */
      count: Type.Number(),
      /** Of all those days together, 0 to 1; null where nothing was received. */
      failureShare: Nullable(Type.Number()),
    }),
  ),
});
export type ConnectionGlance = Static<typeof ConnectionGlance>;

export const glanceOperations = {
  /** Every connection at a glance, in the order of the connections. */
  'glance/read': operation(Nothing, Type.Array(ConnectionGlance)),
};

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
