import { useI18n } from 'vue-i18n';
import { isMutedAt } from '../../../src-main/common/model/alerts/alert-rule.ts';
import { useClock, useZone } from '../../composables/surroundings.ts';
import { formatClock, formatDayClock, formatFullDay } from '../../format/dates.ts';
import { formatCount } from '../../format/numbers.ts';
import type { BoardRule } from '../../stores/analysis/alerts.ts';

/** A poll and a fetch may take so long: until then nothing is said of it. */
const MIN_BLIND_MINUTES = 6;
/** Findings are told of minutes that are so old. */
const MIN_BLIND_FINDINGS = 20;
const CLOCK_INTERVAL_MS = 5000;

/** How a rule is shown: firing, ready, muted, or off. */
export type RuleLook = 'firing' | 'ready' | 'muted' | 'off';

/** Returns how a rule is shown; a mute that has run out is none any more. */
export function toLook({ rule, state }: BoardRule, nowMs: number): RuleLook {
  if (!rule.isActive) return 'off';
  if (state.firingSinceMs !== null) return 'firing';
  return isMutedAt(rule.mute, nowMs) ? 'muted' : 'ready';
}

/** Puts where a rule stands into words. */
export function useStateWords() {
  const { t } = useI18n();
  const zone = useZone();
  const nowMs = useClock(CLOCK_INTERVAL_MS);

  const toTime = (atMs: number): string => {
    const isToday = formatFullDay(atMs, zone.value) === formatFullDay(nowMs.value, zone.value);
    return isToday ? formatClock(atMs, zone.value) : formatDayClock(atMs, zone.value);
  };

  function toMuteWords(untilMs: number | null): string {
    return untilMs === null
      ? t('alerts.state.muted')
      : t('alerts.state.mutedUntil', { time: toTime(untilMs) });
  }

  function toStateWords({ rule, state }: BoardRule): string {
    if (!rule.isActive) return t('alerts.state.off');
    if (state.firingSinceMs !== null) return toFiringWords(state, state.firingSinceMs);
    if (rule.mute !== null && isMutedAt(rule.mute, nowMs.value)) return toMuteWords(rule.mute.untilMs);
    if (state.lastFiredMs === null) return t('alerts.state.never');
    return t('alerts.state.lastFired', { time: toTime(state.lastFiredMs) });
  }

  function toFiringWords({ level, values }: BoardRule['state'], sinceMs: number): string {
    if (values.length === 0) return t(`alerts.state.${level ?? 'firing'}`, { time: toTime(sinceMs) });
    const firing = values.filter(({ firingSinceMs }) => firingSinceMs !== null);
    const critical = firing.filter((one) => one.level === 'critical').length;
    const [count, total] = [firing.length, values.length].map((one) => formatCount(one));
    return level === null
      ? t('alerts.state.some', { count, total })
      : t('alerts.state.levels', {
          critical: formatCount(critical),
          warning: formatCount(firing.length - critical),
        });
  }

  const isBlind = ({ rule, state }: BoardRule): boolean =>
    rule.isActive &&
    state.blindMinutes >= (rule.condition.kind === 'finding' ? MIN_BLIND_FINDINGS : MIN_BLIND_MINUTES);

  /** What keeps a rule from being judged; empty where nothing does. */
  function toBlindWords({ rule, state }: BoardRule): string {
    if (rule.isActive && state.rests !== null) return t(`alerts.state.rests.${state.rests}`);
    if (!isBlind({ rule, state })) return '';
    if (rule.condition.kind === 'finding') return t('alerts.state.blindFindings');
    const count = { count: formatCount(state.blindMinutes) };
    return rule.condition.kind === 'down'
      ? t('alerts.state.blindChecked', count)
      : t('alerts.state.blindCached', count);
  }

  return { nowMs, toTime, toStateWords, toBlindWords, toMuteWords, isBlind } as const;
}
