import { useI18n } from 'vue-i18n';
import type { Clock } from '../../src-main/common/model/period.ts';
import { toOffsetLabel } from '../../src-main/common/time/civil-time.ts';

/** Returns a function that names a clock, its zone, and the zone's offset at an instant. */
export function useClockWords(): (clock: Clock, zone: string, atMs: number) => string {
  const { t } = useI18n();
  return (clock, zone, atMs) => {
    if (clock === 'utc') return t('clock.names.utc');
    const name = t(`clock.names.${clock}`);
    const offset = toOffsetLabel(atMs, zone);
    return zone === offset || zone === offset.replace(/^UTC/, '').replace('−', '-')
      ? t('clock.zone', { name, zone: offset })
      : t('clock.zoneWithOffset', { name, zone, offset });
  };
}
