import { foldCase } from '../../../../src-main/common/fold-case.ts';
import type { Download } from '../../../../src-main/common/model/cache/download.ts';
import { toOwnTotal, type Snapshot, type Remark } from '../../../../src-main/common/model/cache/snapshot.ts';
import { toDoneShare, formatDayClock, formatRecentClock } from '../../../format/formats.ts';
import { isSummary } from '../../../period/period-coverage.ts';
import { useI18n } from 'vue-i18n';
import { useErrorFormatter } from '../../../messages/error-words.ts';
import { usePeriodWords } from '../../../messages/period-words.ts';
import { useRemarkWords } from '../../../messages/remark-words.ts';
import { useClockStore } from '../../../stores/window/times.ts';

type ShownState = Snapshot['state'] | 'open' | 'remarked' | 'queued' | 'waiting';

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
