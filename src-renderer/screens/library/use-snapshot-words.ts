import { useI18n } from 'vue-i18n';
import type { Remark, Snapshot } from '../../../src-main/common/model/snapshot.ts';
import { useErrorSpeaker } from '../../messages/error-words.ts';
import { useRemarkWords } from '../../messages/remark-words.ts';
import { toPeriodWords, toShownState } from './snapshot-words.ts';

export interface SnapshotWords {
  toReport(report: Snapshot['report']): string;
  toPeriod(period: Snapshot['period']): string;
  toRemark(remark: Remark): string;
  /** Everything that the table says about a snapshot, for its filter. */
  describe(snapshot: Snapshot): string;
}

/** The words of the library for snapshots. */
export function useSnapshotWords(): SnapshotWords {
  const { t } = useI18n();
  const say = useErrorSpeaker();

  const toReport = (report: Snapshot['report']): string => t(`library.report.${report}`);
  const toPeriod = (period: Snapshot['period']): string => {
    const words = toPeriodWords(period);
    if (words.kind === 'range') return words.text;
    return words.kind === 'day'
      ? t('library.table.wholeDay', { day: words.day })
      : t('library.table.days', { from: words.from, to: words.to });
  };

  return {
    toReport,
    toPeriod,
    toRemark: useRemarkWords(),
    describe(snapshot) {
      const failure = snapshot.failure === null ? '' : say({ code: snapshot.failure }).title;
      const state = t(`library.state.${toShownState(snapshot)}`);
      return [
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
