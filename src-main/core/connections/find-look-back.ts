import { toLookBackMs } from '../../common/model/connections/connection.ts';
import type { ConnectionStore } from './create-connections.ts';

/** The look-back of a saved connection, in milliseconds; the default for one that is gone. */
export function findLookBackMs(connections: Pick<ConnectionStore, 'get'>, connectionId: string): number {
  try {
    return toLookBackMs(connections.get(connectionId));
  } catch {
    return toLookBackMs();
  }
}
