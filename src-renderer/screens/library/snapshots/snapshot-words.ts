import type { Output } from '../../../../src-main/common/contract/index.ts';
import { computed, type Ref } from 'vue';
import { useI18n } from 'vue-i18n';
import { foldCase } from '../../../../src-main/common/fold-case.ts';
import type { Download } from '../../../../src-main/common/model/cache/download.ts';
import {
  canBeStated,
  isStated,
  type Remark,
  type Snapshot,
  toOwnTotal,
} from '../../../../src-main/common/model/cache/snapshot.ts';
import { isDetailKind } from '../../../../src-main/common/reporting/reports.ts';
import { useAttempt } from '../../../composables/use-query.ts';
import { formatDayClock, formatRecentClock, toDoneShare } from '../../../format/formats.ts';
import { useErrorFormatter } from '../../../messages/error-words.ts';
import { usePeriodWords } from '../../../messages/period-words.ts';
import { useRemarkWords } from '../../../messages/remark-words.ts';
import { isSummary } from '../../../period/period-coverage.ts';
import {
  useDownloadsStore,
  useReadingsStore,
  useRemovalsStore,
  useSnapshotsStore,
} from '../../../stores/cache/downloads.ts';
import { useExportsStore } from '../../../stores/records/exports.ts';
import { useTasksStore } from '../../../stores/window/app.ts';
import { useClockStore } from '../../../stores/window/times.ts';

type ShownState = Snapshot['state'] | 'open' | 'remarked' | 'stated' | 'queued' | 'waiting';

/** Returns the state that the table shows: a complete snapshot whose period was not over is still open (decision 27). */
export function toShownState(snapshot: Snapshot, download: Download | null): ShownState {
  switch (download?.state) {
    case 'queued':
    case 'waiting':
    case 'paused':
      return download.state;
    case 'running':
      return 'downloading';
    case 'ended':
    case undefined:
  }
  if (snapshot.state !== 'complete') return snapshot.state;
  if (isStated(snapshot)) return 'stated';
  if (snapshot.stillOpen) return 'open';
  return snapshot.remarks.length > 0 ? 'remarked' : 'complete';
}

/**
 * True when the snapshot has fewer or more records than the service announced. A summary's total may count the groups
 * of both directions (decision 11), so it does not tell how many are missing.
 */
export function isShortOfTotal(snapshot: Snapshot, download: Download | null): boolean {
  const total = toExpectedTotal(snapshot, download);
  return !isSummary(snapshot.report) && total !== null && total !== snapshot.recordCount;
}

/** Returns the expected number of records; for a download in pieces it is a forecast, since later ones are not announced yet. */
export function toExpectedTotal(snapshot: Snapshot, download: Download | null): number | null {
  const isOver = download === null || download.state === 'ended';
  return isOver ? toOwnTotal(snapshot) : (download.totalDocument ?? snapshot.totalDocument);
}

/** Returns the share of the expected records, 0 to 1; null while nothing is expected yet. */
export function toRecordShare(snapshot: Snapshot, download: Download | null): number | null {
  return toDoneShare(snapshot.recordCount, toExpectedTotal(snapshot, download));
}

/** Returns the snapshots whose description contains every word of the filter. */
export function filterSnapshots(
  snapshots: readonly Snapshot[],
  filter: string,
  describe: (snapshot: Snapshot) => string,
): readonly Snapshot[] {
  const words = foldCase(filter).split(/\s+/).filter(Boolean);
  if (words.length === 0) return snapshots;
  return snapshots.filter((snapshot) => {
    const text = foldCase(describe(snapshot));
    return words.every((word) => text.includes(word));
  });
}

interface SnapshotWords {
  toReport(report: Snapshot['report']): string;
  toPeriod(period: Snapshot['period']): string;
  toRemark(remark: Remark): string;
  /** Explains the state: what the download waits for, why it ended early, how it continues. May be empty. */
  toStateNote(snapshot: Snapshot, download: Download | null): string;
  /** All words of the snapshot's row, for the filter of the table. */
  describe(snapshot: Snapshot): string;
}

/** Returns the words of the Library for snapshots. */
export function useSnapshotWords(): SnapshotWords {
  const { t } = useI18n();
  const formatError = useErrorFormatter();

  const toReport = (report: Snapshot['report']): string => t(`library.report.${report}`);
  const clock = useClockStore();
  const formatPeriod = usePeriodWords();
  const toPeriod = (period: Snapshot['period']): string => formatPeriod(period, clock.zone);
  const toRemark = useRemarkWords();

  function toStateNote(snapshot: Snapshot, download: Download | null): string {
    const failure = download?.failure ?? (snapshot.failure === null ? null : { code: snapshot.failure });
    const reason = failure === null || failure.code === 'app.cancelled' ? '' : formatError(failure).title;
    switch (toShownState(snapshot, download)) {
      case 'waiting':
        return t('library.stateNote.waiting', {
          reason,
          time: formatRecentClock(download?.retryAtMs ?? 0, Date.now(), clock.zone),
        });
      case 'queued':
      case 'downloading':
        if (download !== null && download.resumedCount > 0) return t('library.stateNote.goesOn');
        return download?.state === 'queued' ? t('library.stateNote.queued') : '';
      case 'open':
        return t('library.stateNote.open', {
          time: formatDayClock(snapshot.startedAtMs, clock.zone),
        });
      case 'incomplete':
      case 'failed': {
        if (failure?.code === 'app.cancelled') return t('library.stateNote.cancelled');
        const last = snapshot.remarks.at(-1);
        return reason || (last === undefined ? '' : toRemark(last));
      }
      case 'stated':
        return t('library.stateNote.stated');
      case 'paused':
        return reason;
      case 'complete':
      case 'remarked':
        return '';
    }
  }

  return {
    toReport,
    toPeriod,
    toRemark,
    toStateNote,
    describe(snapshot) {
      const failure = snapshot.failure === null ? '' : formatError({ code: snapshot.failure }).title;
      const state = t(`library.state.${toShownState(snapshot, null)}`);
      return [
        snapshot.name,
        snapshot.note,
        toReport(snapshot.report),
        String(snapshot.tenant),
        toPeriod(snapshot.period),
        snapshot.period.startDate,
        snapshot.period.endDate,
        state,
        failure,
      ].join(' ');
    },
  };
}

/** In the order of the menu; each inner list is a section of it. */
export const ACTION_GROUPS = [
  ['open', 'details'],
  ['pause', 'resume', 'retry', 'cancel', 'refresh'],
  ['verify', 'readAgain', 'pin', 'unpin', 'rename', 'state', 'export', 'share'],
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
    case 'state':
      return single.filter(canBeStated);
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

/** Runs the actions that need no further question, and keeps the last failure for the notice. */
export function useSnapshotActions(chosen: Readonly<Ref<readonly Snapshot[]>>) {
  const downloads = useDownloadsStore();
  const removals = useRemovalsStore();
  const readings = useReadingsStore();
  const exports = useExportsStore();
  const snapshots = useSnapshotsStore();
  const tasks = useTasksStore();
  const { error, attempt, clearError } = useAttempt();
  const failure = computed(() => error.value ?? downloads.failure);

  const targetsOf = (action: SnapshotAction): readonly Snapshot[] =>
    pickTargets(action, chosen.value, downloads.bySnapshot);

  function dismiss(): void {
    clearError();
    downloads.dismissFailure();
  }

  const annotateAll = (pinned: boolean, targets: readonly Snapshot[]): Promise<unknown> =>
    Promise.all(targets.map(({ id }) => snapshots.annotate({ snapshotId: id, pinned })));

  /** A summary has no download: its task is cancelled. */
  async function cancelAll(ids: readonly number[]): Promise<void> {
    const isDownload = (id: number): boolean => downloads.bySnapshot.has(id);
    const summaryTasks = tasks.running.filter(
      ({ kind, snapshotId }) => kind === 'summary' && ids.includes(snapshotId ?? -1),
    );
    await Promise.all(summaryTasks.map(({ id }) => tasks.cancel(id)));
    await downloads.act('cancel', ids.filter(isDownload));
  }

  async function run(action: SnapshotAction): Promise<void> {
    const targets = targetsOf(action);
    const ids = targets.map(({ id }) => id);
    if (ids.length === 0) return;
    dismiss();
    switch (action) {
      case 'pause':
      case 'resume':
      case 'retry':
      case 'refresh':
        await attempt(() => downloads.act(action, ids));
        return;
      case 'cancel':
        await attempt(() => cancelAll(ids));
        return;
      case 'verify':
        await attempt(() => snapshots.verify(ids));
        return;
      case 'readAgain':
        await attempt(() => readings.start(ids));
        return;
      case 'share':
        await attempt(() => exports.startPortable(ids));
        return;
      case 'pin':
      case 'unpin':
        await attempt(() => annotateAll(action === 'pin', targets));
        return;
      case 'delete':
        await attempt(() => removals.remove(ids));
        return;
      case 'open':
      case 'details':
      case 'rename':
      case 'state':
      case 'export':
        return;
    }
  }

  async function undo(): Promise<void> {
    dismiss();
    await attempt(removals.undo);
  }

  return { failure, targetsOf, run, undo, dismiss };
}
export type SnapshotActions = ReturnType<typeof useSnapshotActions>;

interface StoragePart {
  readonly name: 'outboundDetail' | 'inboundDetail' | 'summaries' | 'rest';
  readonly bytes: number;
  /** Of the whole cache, 0 to 1. */
  readonly share: number;
}

/** Splits the cache's size into reports and the rest: indexes, the write-ahead log and free pages. */
export function toStorageParts(storage: Output<'snapshots/read-storage'>): StoragePart[] {
  const { outboundDetailBytes, inboundDetailBytes, summaryBytes } = storage;
  const known = outboundDetailBytes + inboundDetailBytes + summaryBytes;
  // The sizes of reports are those received; the cache may store them in less.
  const whole = Math.max(storage.totalBytes, known);
  const toPart = (name: StoragePart['name'], bytes: number): StoragePart => ({
    name,
    bytes,
    share: whole === 0 ? 0 : bytes / whole,
  });
  return [
    toPart('outboundDetail', outboundDetailBytes),
    toPart('inboundDetail', inboundDetailBytes),
    toPart('summaries', summaryBytes),
    toPart('rest', Math.max(0, whole - known)),
  ];
}
