import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Input } from '../../../src-main/common/contract/index.ts';
import type { Download } from '../../../src-main/common/model/cache/download.ts';
import type { Period } from '../../../src-main/common/model/period.ts';
import { isDetailKind, REPORTS, type ReportKind } from '../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../backend/backend.ts';
import { createListReader } from '../../backend/list-reader.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';

/** What a person can do with a download that exists. */
export type DownloadAction = 'pause' | 'resume' | 'cancel' | 'retry' | 'refresh';

/** A report of a period to fetch into the cache. */
export interface DownloadRequest {
  readonly connectionId: string;
  readonly report: ReportKind;
  readonly period: Period;
  /** Days fetched at a time of a detail; null for the period in one piece. */
  readonly sliceDays?: number | null;
}

const RANKS: Readonly<Record<Download['state'], number>> = {
  running: 0,
  waiting: 1,
  queued: 2,
  paused: 3,
  ended: 4,
};

/** The downloads that fill detail snapshots, of every connection; the tasks carry their progress. */
export const useDownloadsStore = defineStore('downloads', () => {
  const backend = useBackend();
  const bySnapshot = shallowRef<ReadonlyMap<number, Download>>(new Map());
  /** Why the last action failed; null once one succeeds or the failure is dismissed. */
  const failure = shallowRef<ErrorLike | null>(null);

  /** Not ended yet: running first, then in their order, paused ones last. */
  const pending = computed(() =>
    [...bySnapshot.value.values()]
      .filter(({ state }) => state !== 'ended')
      .sort((a, b) => RANKS[a.state] - RANKS[b.state] || a.queuedAtMs - b.queuedAtMs),
  );

  const reader = createListReader(
    () => backend.call('downloads/list', { connectionId: null }),
    (download: Download) => download.snapshotId,
  );
  backend.on('downloads/changed', put);
  backend.on('snapshots/removed', ({ snapshotIds }) => {
    for (const snapshotId of snapshotIds) reader.note(snapshotId, null);
    bySnapshot.value = new Map([...bySnapshot.value].filter(([id]) => !snapshotIds.includes(id)));
  });

  async function load(): Promise<void> {
    const downloads = await reader.read();
    bySnapshot.value = new Map(downloads.map((download) => [download.snapshotId, download]));
  }

  /** Starts fetching a report into the cache and resolves to the id of its snapshot. Rejects with the core's error. */
  async function start({ connectionId, report, period, sliceDays }: DownloadRequest): Promise<number> {
    if (isDetailKind(report)) {
      const input = { connectionId, report, period, ...(sliceDays === undefined ? {} : { sliceDays }) };
      return (await backend.call('downloads/start', input)).snapshotId;
    }
    const { direction } = REPORTS[report];
    return (await backend.call('summaries/start-fetch', { connectionId, direction, period })).snapshotId;
  }

  /** Downloads every period of the span that is not cached. Rejects with the core's error. */
  async function fetchGaps(span: Input<'downloads/fetch-gaps'>): Promise<void> {
    await backend.call('downloads/fetch-gaps', span);
  }

  /** Acts on each of the snapshots; the first failure is kept in `failure`, and does not keep back the others. */
  async function act(action: DownloadAction, snapshotIds: readonly number[]): Promise<void> {
    const calls = snapshotIds.map(async (snapshotId) => {
      const result = await backend.call(`downloads/${action}`, { snapshotId });
      if ('state' in result) put(result);
    });
    const failed = (await Promise.allSettled(calls)).find((call) => call.status === 'rejected');
    failure.value = failed === undefined ? null : toErrorLike(failed.reason);
  }

  function dismissFailure(): void {
    failure.value = null;
  }

  function put(download: Download): void {
    reader.note(download.snapshotId, download);
    bySnapshot.value = new Map(bySnapshot.value).set(download.snapshotId, download);
  }

  return { bySnapshot, pending, failure, load, start, fetchGaps, act, dismissFailure } as const;
});
