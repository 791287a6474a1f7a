import { toRules } from '../../reporting/outcome.ts';
import type { Connection } from './connection.ts';

type Compared = Pick<
  Connection,
  'id' | 'kind' | 'name' | 'baseAddress' | 'tenant' | 'serviceZone' | 'outcomes'
>;

/** What keeps figures of several connections from being read as figures of one. */
export interface ConnectionDifferences<Own extends Compared> {
  /** Their services have different time zones. */
  readonly zonesDiffer: boolean;
  /** They have different rules for what failed. */
  readonly rulesDiffer: boolean;
  /** Those that read the same tenant of the same service: what both have cached counts twice in a total. */
  readonly sameTenant: readonly (readonly Own[])[];
}

/** Says in what connections differ, and which of them read the same. */
export function compareConnections<Own extends Compared>(
  connections: readonly Own[],
): ConnectionDifferences<Own> {
  const countDifferent = (toText: (one: Own) => string): number => new Set(connections.map(toText)).size;
  const services = connections.filter(({ kind }) => kind !== 'imported');
  const tenants = Map.groupBy(
    services,
    ({ baseAddress, tenant }) => `${tenant} ${baseAddress.toLowerCase()}`,
  );
  return {
    zonesDiffer: countDifferent(({ serviceZone }) => serviceZone) > 1,
    rulesDiffer:
      countDifferent(({ outcomes }) =>
        JSON.stringify([toRules(outcomes, 'inbound'), toRules(outcomes, 'outbound')]),
      ) > 1,
    sameTenant: [...tenants.values()].filter(({ length }) => length > 1),
  };
}
