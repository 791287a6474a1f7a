import { Type, type Static } from 'typebox';
import { HealthState, StateSpan } from '../../model/connections/status.ts';
import { Nullable } from '../../model/nullable.ts';
import { Nothing, operation } from '../operation.ts';

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
