import type { Snapshot } from '../../src-main/common/model/cache/snapshot.ts';

/** Returns the path of the screen that shows a snapshot; a summary is found by its period. */
export function toScreenPath(snapshot: Snapshot): string {
  const [direction, kind] = snapshot.report.split('-');
  const path = `/${direction ?? 'inbound'}/${kind ?? 'detail'}`;
  return kind === 'detail' ? `${path}/${snapshot.id}` : path;
}
