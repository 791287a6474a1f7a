import { computed } from 'vue';
import { useI18n } from 'vue-i18n';
import { formatClock, formatClockSeconds } from '../../format/formats.ts';
import { useClockStore } from '../../stores/window/times.ts';
import { useStatusStore } from '../../stores/connections/status.ts';

/** The status of the active connection as the Overview shows it. */
export function useStatusView() {
  const { t } = useI18n();
  const clock = useClockStore();
  const status = useStatusStore();

  const zone = computed(() => clock.zone);
  /** Code of why the newest check failed; null when it did not. */
  const failure = computed(() => status.latest?.failure ?? null);
  /** The newest sample with a response of the service. */
  const lastReported = computed(() =>
    status.latest?.failure === null ? status.latest : (status.history?.lastAnswered ?? null),
  );
  /** What the service said last is what it says now. */
  const isCurrent = computed(() => failure.value === null && status.error === null);
  /** How old the data is, for the toolbar. */
  const ageNote = computed(() => {
    if (lastReported.value === null) return t('overview.neverRefreshed');
    const { checkedAtMs } = lastReported.value;
    return isCurrent.value
      ? t('overview.refreshedAt', { time: formatClockSeconds(checkedAtMs, zone.value) })
      : t('overview.dataFrom', { time: formatClock(checkedAtMs, zone.value) });
  });

  return { zone, failure, isCurrent, lastReported, ageNote };
}
