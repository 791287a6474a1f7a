import { computed, type ComputedRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { formatClock, formatFullDay, formatOffsets } from '../../format/dates.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useConnectionName } from '../../messages/connection-name.ts';

/** With the year: a picture is looked at when the year is another. */
function toText(epochMs: number, zone: string): string {
  return `${formatFullDay(epochMs, zone)} ${formatClock(epochMs, zone)}`;
}

/** What a picture of a chart says of itself: whose figures these are, of which time, and where they come from. */
export function usePictureAbout(
  readSpan: () => { readonly fromMs: number; readonly toMs: number; readonly zone: string } | null,
  readSource: () => string,
): ComputedRef<readonly string[]> {
  const { t } = useI18n();
  const toConnectionName = useConnectionName();
  const connections = useConnectionsStore();

  return computed(() => {
    const { active } = connections;
    const span = readSpan();
    const whose =
      active === null ? '' : t('charts.whose', { name: toConnectionName(active), tenant: active.tenant });
    const when =
      span === null
        ? ''
        : t('charts.when', {
            from: toText(span.fromMs, span.zone),
            to: toText(span.toMs, span.zone),
            offset: formatOffsets(span.fromMs, span.toMs, span.zone),
          });
    return [whose, [when, readSource()].filter((part) => part !== '').join(' · ')].filter(
      (line) => line !== '',
    );
  });
}
