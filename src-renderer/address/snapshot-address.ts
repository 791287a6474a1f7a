import type { Snapshot } from '../../src-main/common/model/cache/snapshot.ts';
import { toPeriodText } from '../period/period-query.ts';

/**
 * Returns the address of the screen that shows a snapshot; a summary is found by its period. With the period in the
 * address it is one step: chosen apart, the period would take the place of the snapshot.
 */
export function toSnapshotAddress({ id, connectionId, report, period }: Snapshot) {
  const [direction, kind] = report.split('-');
  const path = `/${direction ?? 'inbound'}/${kind ?? 'detail'}`;
  const { fromMs, toMs } = period;
  return {
    path: kind === 'detail' ? `${path}/${id}` : path,
    query: { connection: connectionId, period: toPeriodText({ kind: 'custom', fromMs, toMs }) },
  };
}
