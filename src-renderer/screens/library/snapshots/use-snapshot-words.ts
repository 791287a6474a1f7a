import { useI18n } from 'vue-i18n';
import type { Download } from '../../../../src-main/common/model/cache/download.ts';
import type { Remark, Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { formatDayClock, formatRecentClock } from '../../../format/dates.ts';
import { useErrorFormatter } from '../../../messages/error-words.ts';
import { usePeriodWords } from '../../../messages/period-words.ts';
import { useRemarkWords } from '../../../messages/remark-words.ts';
import { useClockStore } from '../../../stores/window/clock.ts';
import { toShownState } from './snapshot-words.ts';

export interface SnapshotWords {
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
