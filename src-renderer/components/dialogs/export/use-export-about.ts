import { computed, type ComputedRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { formatClockSeconds } from '../../../format/dates.ts';
import { formatCount } from '../../../format/numbers.ts';
import { usePeriodWords } from '../../../messages/period-words.ts';
import { useClockStore } from '../../../stores/window/clock.ts';
import type { ExportSubject } from './export-subject.ts';

/** What is exported, in words; `untilMs` is where its cache ends although the period goes on for a little. Of a filter (`isFiltered`) the number that matches, null as long as it is not known. */
export function useExportAbout(
  readSubject: () => ExportSubject & { readonly untilMs: number | null },
  readMatching: () => { readonly isFiltered: boolean; readonly rowCount: number | null },
): ComputedRef<string> {
  const { t } = useI18n();
  const clock = useClockStore();
  const formatPeriod = usePeriodWords();

  return computed(() => {
    const { period, tenant, recordCount, isIncomplete = false, untilMs } = readSubject();
    const { isFiltered, rowCount } = readMatching();
    const count = isFiltered ? rowCount : recordCount;
    const words = formatPeriod(period, clock.zone, !isIncomplete && untilMs === null);
    const values = {
      period:
        untilMs === null
          ? words
          : t('exports.until', { period: words, time: formatClockSeconds(untilMs, clock.zone) }),
      tenant: tenant === null ? t('shell.noTenant') : t('shell.tenant', { tenant }),
      count: formatCount(count ?? recordCount),
      total: formatCount(recordCount),
    };
    if (count === null) return t('exports.aboutMatching', values, recordCount);
    return t(isFiltered ? 'exports.aboutFiltered' : 'exports.about', values, recordCount);
  });
}
