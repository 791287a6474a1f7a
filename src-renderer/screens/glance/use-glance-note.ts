import { computed, type Ref } from 'vue';
import { useI18n } from 'vue-i18n';

/** How many connections need somebody, in a few words. */
export function useGlanceNote(
  counts: Readonly<Ref<{ readonly down: number; readonly unreachable: number; readonly findings: number }>>,
): Readonly<Ref<string>> {
  const { t } = useI18n();
  return computed(() => {
    const { down, unreachable, findings } = counts.value;
    const parts = [
      down > 0 ? t('glance.counts.down', { count: down }, down) : '',
      unreachable > 0 ? t('glance.counts.unreachable', { count: unreachable }, unreachable) : '',
      findings > 0 ? t('glance.counts.findings', { count: findings }, findings) : '',
    ].filter((part) => part !== '');
    return parts.join(', ');
  });
}
