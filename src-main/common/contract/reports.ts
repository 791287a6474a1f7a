import { Type } from 'typebox';
import { Period } from '../model/period.ts';
import { DirectionSchema, Snapshot } from '../model/snapshot.ts';
import { StatusHistory, StatusSample } from '../model/status.ts';
import { Summary } from '../model/summary.ts';
import { TimeBucket } from '../model/record.ts';
import { operation } from './operation.ts';

const ConnectionId = Type.Object({ connectionId: Type.String() });
const SnapshotId = Type.Object({ snapshotId: Type.Integer() });
const NullableInteger = Type.Union([Type.Integer(), Type.Null()]);

/** Inbound and outbound volume over time, from cached detail records. */
const Volume = Type.Object({
  inbound: Type.Array(TimeBucket),
  outbound: Type.Array(TimeBucket),
  /** Share of the span that complete or still open snapshots cover, 0 to 1. */
  inboundCoverage: Type.Number(),
  outboundCoverage: Type.Number(),
});

const Attention = Type.Object({
  kind: Type.Union([Type.Literal('errors-up'), Type.Literal('slower')]),
  direction: DirectionSchema,
  snapshotId: Type.Integer(),
  channel: NullableInteger,
  service: NullableInteger,
  /** errors-up: share of failing requests; slower: average in milliseconds. */
  recent: Type.Number(),
  usual: Type.Number(),
  count: Type.Integer(),
  sinceMs: Type.Integer(),
  untilMs: Type.Integer(),
  /** The measure over the last buckets, for the mini bars. */
  trend: Type.Array(Type.Number()),
});

export const reportsOperations = {
  /** Asks the service for the tenant's status now and stores the sample, also when it fails. */
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
  /** Fetches a summary report into the cache. */
  'summaries/fetch': operation(
    Type.Object({ connectionId: Type.String(), direction: DirectionSchema, period: Period }),
    Snapshot,
  ),
  /** Groups of a cached summary snapshot. */
  'summaries/read': operation(SnapshotId, Summary),
  /** Groups computed from a cached detail snapshot, grouped as the service groups. */
  'summaries/compute': operation(SnapshotId, Summary),
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
  /** What stands out in the last hour of the newest cached detail snapshots against the hours before. */
  'overview/read-attention': operation(ConnectionId, Type.Array(Attention)),
};

export const reportsEvents = {
  'status/checked': StatusSample,
};
