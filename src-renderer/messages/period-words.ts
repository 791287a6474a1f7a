import { useI18n } from 'vue-i18n';
import type { Period } from '../../src-main/common/model/period.ts';
import { toCivilTime } from '../../src-main/common/time/civil-time.ts';
import { formatDay, formatFullDay, formatRange } from '../format/formats.ts';

/** A period in people's terms: one whole day, several of them, or from time to time. */
type PeriodWords =
  | { readonly kind: 'day'; readonly day: string }
  | { readonly kind: 'days'; readonly from: string; readonly to: string }
  | { readonly kind: 'range'; readonly text: string };

/** Words for a period as the clock in a zone shows it. */
export function toPeriodWords({ fromMs, toMs }: Pick<Period, 'fromMs' | 'toMs'>, zone: string): PeriodWords {
  if (!isMidnight(fromMs, zone) || !isMidnight(toMs + 1000, zone)) {
    return { kind: 'range', text: formatRange(fromMs, toMs, zone) };
  }
  if (formatFullDay(fromMs, zone) === formatFullDay(toMs, zone)) {
    return { kind: 'day', day: formatDay(fromMs, zone) };
  }
  return { kind: 'days', from: formatDay(fromMs, zone), to: formatDay(toMs, zone) };
}

/**
 * Returns a function that puts a period into the words of the screen, in a zone; a day that isn't whole (`isWhole`) is
 * named as a day only.
 */
export function usePeriodWords(): (
  period: Pick<Period, 'fromMs' | 'toMs'>,
  zone: string,
  isWhole?: boolean,
) => string {
  const { t } = useI18n();
  return (period, zone, isWhole = true) => {
    const words = toPeriodWords(period, zone);
    switch (words.kind) {
      case 'range':
        return words.text;
      case 'day':
        return isWhole ? t('period.wholeDay', { day: words.day }) : words.day;
      case 'days':
        return t('period.days', { from: words.from, to: words.to });
    }
  };
}

function isMidnight(atMs: number, zone: string): boolean {
  const civil = toCivilTime(atMs, zone);
  return civil.hour === 0 && civil.minute === 0 && civil.second === 0;
}
