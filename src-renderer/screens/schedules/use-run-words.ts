import { useI18n } from 'vue-i18n';
import type { ScheduleRun } from '../../../src-main/common/model/schedules/schedule-run.ts';
import { formatBytes, formatCount, formatSpan } from '../../format/numbers.ts';
import { useErrorFormatter } from '../../messages/error-words.ts';
import { useScheduleWords } from './use-schedule-words.ts';

/** Puts entries of the log of a schedule into words. */
export function useRunWords() {
  const { t } = useI18n();
  const formatError = useErrorFormatter();
  const { toPeriod } = useScheduleWords();

  /** The name of a file, without its folders. */
  function toName(path: string): string {
    return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  }

  function toDetail(run: ScheduleRun, zone: string): string {
    const { state, records, bytes, missingMs, error, cause, skipped, fromMs, toMs } = run;
    const parts: string[] = [];
    if (records !== null) {
      const values = { count: formatCount(records), size: formatBytes(bytes ?? 0) };
      parts.push(t('schedules.log.wrote', values, records));
    } else {
      parts.push(t('schedules.log.for', { period: toPeriod(fromMs, toMs, zone) }));
    }
    if (missingMs !== null && missingMs > 0) {
      parts.push(t('schedules.log.missing', { span: formatSpan(missingMs) }));
    }
    if (cause === 'by-hand') parts.push(t('schedules.log.byHand'));
    if (cause === 'catch-up') parts.push(t('schedules.log.catchUp'));
    if (skipped > 0) parts.push(t('schedules.log.skipped', { count: formatCount(skipped) }, skipped));
    if (state === 'interrupted') parts.push(t('schedules.log.interrupted'));
    if (error !== null) {
      const { text, action } = formatError(error);
      parts.push(`${text} ${action}`);
    }
    return parts.join(' · ');
  }

  return { toName, toDetail };
}
