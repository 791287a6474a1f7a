import { computed, type ComputedRef, type Ref } from 'vue';
import { useI18n } from 'vue-i18n';
import type { Output } from '../../../../src-main/common/contract/index.ts';
import { SECOND_MS } from '../../../../src-main/common/time/durations.ts';
import { formatBytes, formatSpan } from '../../../format/numbers.ts';

/** What is known of a file before it is written, in words: its size, and how long it takes; null for nothing. */
export function useForecast(
  preview: Readonly<Ref<Output<'exports/preview'> | null>>,
): ComputedRef<string | null> {
  const { t } = useI18n();
  return computed(() => {
    const { estimatedBytes = null, estimatedMs = null } = preview.value ?? {};
    const size = estimatedBytes === null ? null : formatBytes(estimatedBytes);
    if (estimatedMs === null) return size === null ? null : t('exports.sizeAbout', { size });
    if (estimatedMs < SECOND_MS) {
      return size === null ? t('exports.timeUnder') : t('exports.sizeAndTimeUnder', { size });
    }
    const span = formatSpan(estimatedMs);
    return size === null ? t('exports.timeAbout', { span }) : t('exports.sizeAndTime', { size, span });
  });
}
