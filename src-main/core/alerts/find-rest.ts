import type { AlertRule } from '../../common/model/alerts/alert-rule.ts';
import type { AlertRest } from '../../common/model/alerts/alert-state.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import type { Following } from '../../common/contract/operations/unattended/following.ts';

/** How following a connection is going, as rests are called. */
const RESTS: Readonly<Record<Following['state'], AlertRest | null>> = {
  off: 'not-followed',
  starting: null,
  following: null,
  'catching-up': null,
  paused: 'paused',
  refused: 'refused',
  unreachable: 'unreachable',
  failing: 'failing',
};

/**
 * Returns why nothing new comes of a rule's connection; null where it does. What the service reports of its parts is
 * looked up whether records are followed or not.
 */
export function findRest(
  { condition }: Pick<AlertRule, 'condition'>,
  { kind }: Pick<Connection, 'kind'>,
  following: Pick<Following, 'state'> | undefined,
): AlertRest | null {
  if (kind === 'imported') return 'imported';
  if (condition.kind === 'down' || following === undefined) return null;
  return RESTS[following.state];
}
