import { useI18n } from 'vue-i18n';
import { formatCount, formatDuration, formatPercent, formatSpan } from '../../../../format/numbers.ts';
import { MIN_REQUESTS, toHourly, type HeatCell } from './heat-cells.ts';

export const HOURS = 24;
/** In the order of a heat map. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Words for the hours of a week. */
export function useWeekWords() {
  const { t } = useI18n();

  /** Returns an hour by name, as in `Monday 14:00 – 15:00`. */
  function nameHour(place: number): string {
    const hour = place % HOURS;
    const pad = (value: number): string => `${String(value).padStart(2, '0')}:00`;
    const day = t(`summary.week.long.${DAYS[Math.floor(place / HOURS)] ?? 'mon'}`);
    return t('summary.week.name', { day, from: pad(hour), to: pad((hour + 1) % HOURS) });
  }

  /** Returns everything that is known of an hour, and what of it is not. */
  function listFigures({ count, failures, medianMs, hour, state }: HeatCell): readonly string[] {
    const { spans, heldMs, missingMs, partialMs } = hour;
    if (state === 'outside') return [t('summary.week.outside')];
    const often = spans.length > 1 ? [toTimes(spans.length)] : [];
    if (state === 'missing') return [t('summary.times.notCached'), ...often];
    const hourly = toHourly(count, hour);
    const words = [t('summary.requests', { count: formatCount(count) }, count)];
    if (hourly !== null && (spans.length > 1 || (missingMs ?? 0) > 0)) words.push(toRate(hourly));
    const failed = formatCount(failures);
    if (count >= MIN_REQUESTS) {
      const share = formatPercent(failures / count, 2);
      words.push(t('summary.times.failed', { count: failed, share }, failures));
      if (medianMs !== null) words.push(t('summary.times.median', { time: formatDuration(medianMs) }));
    } else if (count > 0) {
      words.push(t('summary.week.failedOfFew', { count: failed }, failures), t('summary.week.tooFew'));
    }
    if (missingMs === null) words.push(t('summary.week.unknown'));
    else if (partialMs > 0) words.push(t('summary.week.partial'));
    else if (missingMs > 0) {
      const [cached, held] = [formatSpan(heldMs - missingMs), formatSpan(heldMs)];
      words.push(t('summary.week.partly', { cached, held }));
    }
    return [...words, ...often];
  }

  function toRate(hourly: number): string {
    const digits = hourly < 10 ? 1 : 0;
    return t('summary.week.rate', { count: formatCount(hourly, digits) }, hourly === 1 ? 1 : 2);
  }

  function toTimes(count: number): string {
    return t('summary.week.times', { count: formatCount(count) }, count);
  }

  return { nameHour, listFigures, toRate };
}
