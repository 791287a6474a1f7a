import { Type } from 'typebox';
import { TimeBucket } from '../model/record.ts';
import { DirectionSchema } from '../model/snapshot.ts';
import { ConnectionId, operation } from './operation.ts';

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

export const overviewOperations = {
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
  /** What stands out in the hour before the newest cached record against the seven days before it. */
  'overview/read-attention': operation(ConnectionId, Type.Array(Attention)),
};
