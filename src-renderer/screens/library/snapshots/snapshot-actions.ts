import type { Download } from '../../../../src-main/common/model/cache/download.ts';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { isDetailKind } from '../../../../src-main/common/reporting/reports.ts';

/** In the order of the menu; each inner list is a section of it. */
export const ACTION_GROUPS = [
  ['open', 'details'],
  ['pause', 'resume', 'retry', 'cancel', 'refresh'],
  ['verify', 'readAgain', 'pin', 'unpin', 'rename', 'export', 'share'],
  ['delete'],
] as const;

export type SnapshotAction = (typeof ACTION_GROUPS)[number][number];

const isActive = ({ state }: Download): boolean => ['queued', 'running', 'waiting'].includes(state);

/** True when a download can't continue from its cursor, but can read its pages again from the start. */
const isRetryable = (download: Download): boolean =>
  download.state === 'ended' && !download.canResume && download.snapshotState !== 'complete';

/** Returns the snapshots of a selection that an action applies to; for none, it is not offered. */
export function pickTargets(
  action: SnapshotAction,
  chosen: readonly Snapshot[],
  downloads: ReadonlyMap<number, Download>,
): readonly Snapshot[] {
  const having = (test: (download: Download) => boolean): readonly Snapshot[] =>
    chosen.filter(({ id, imported }) => {
      const download = downloads.get(id);
      // What was imported was not asked of the service.
      return imported === undefined && download !== undefined && test(download);
    });
  const single = chosen.length === 1 ? chosen : [];
  switch (action) {
    case 'open':
    case 'export':
      return single.filter(({ recordCount }) => recordCount > 0);
    case 'share':
      return chosen.filter(
        ({ pageCount, state }) => pageCount > 0 && state !== 'downloading' && state !== 'paused',
      );
    case 'details':
    case 'rename':
      return single;
    case 'pause':
      return having(isActive);
    case 'resume':
      return having((download) => !isActive(download) && download.canResume);
    case 'retry':
      return having(isRetryable);
    case 'cancel':
      return [
        ...having((download) => isActive(download) || download.state === 'paused'),
        ...chosen.filter(({ report, state }) => !isDetailKind(report) && state === 'downloading'),
      ];
    case 'refresh':
      return having(({ state }) => state === 'ended');
    case 'verify':
      return chosen.filter(({ pageCount }) => pageCount > 0);
    case 'readAgain':
      return chosen.filter(({ pageCount, state }) => pageCount > 0 && state !== 'downloading');
    case 'pin':
      return chosen.filter(({ pinned }) => !pinned);
    case 'unpin':
      return chosen.filter(({ pinned }) => pinned);
    case 'delete':
      return chosen;
  }
}
