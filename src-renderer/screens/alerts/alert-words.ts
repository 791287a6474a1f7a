import { useI18n } from 'vue-i18n';
import {
  atLevel,
  isCounted,
  isHitMeasure,
  isOnRecords,
  toEach,
  toTimeMeasure,
  type AlertCondition,
  type AlertMeasure,
  type MinuteCondition,
  isMutedAt,
} from '../../../src-main/common/model/alerts/alert-rule.ts';
import type { AlertLogEntry } from '../../../src-main/common/model/alerts/alert-state.ts';
import type { GroupValue } from '../../../src-main/common/model/analysis/grouping.ts';
import type { ToldFinding } from '../../../src-main/common/model/analysis/finding.ts';
import { listPlain } from '../../../src-main/common/query/filter-tree.ts';
import { SECOND_MS } from '../../../src-main/common/time/durations.ts';
import { findSingle, toSubject } from '../../alerts/alert-link.ts';
import { useFindingWords } from '../../messages/finding-words.ts';
import { useFieldName } from '../../messages/field-name.ts';
import { useNames } from '../../names/use-names.ts';
import {
  formatCount,
  formatDuration,
  formatExactPercent,
  formatMeasure,
  formatPercent,
  formatSpan,
  formatClock,
  formatDayClock,
  formatFullDay,
} from '../../format/formats.ts';
import { useClock, useZone } from '../../composables/surroundings.ts';
import type { BoardRule } from '../../stores/analysis/findings.ts';

const HOUR_MINUTES = 60;

/** Puts rules, what they measure, and their logs into words. */
export function useAlertWords() {
  const { t } = useI18n();
  const names = useNames();
  const toFieldName = useFieldName();
  const { toTitle: toFindingTitle } = useFindingWords(names);

  /** What a value of a rule that watches each is called. */
  function toEachValue(condition: AlertCondition, value: GroupValue): string {
    const each = toEach(condition);
    if (each === undefined) return '';
    const shown = value === null ? t('alerts.values.none') : names.toText(each, value);
    return t(`alerts.values.${each}`, { value: shown });
  }

  function toValue(measure: AlertMeasure, value: number): string {
    if (measure === 'error-share') return formatExactPercent(value);
    if (isCounted(measure)) return formatCount(value);
    return value >= SECOND_MS ? `${formatMeasure(value / SECOND_MS)} s` : formatDuration(value);
  }

  function toMinutes(minutes: number): string {
    if (minutes < HOUR_MINUTES || minutes % HOUR_MINUTES !== 0)
      return t('alerts.choices.minutes', { count: formatCount(minutes) }, minutes);
    const hours = minutes / HOUR_MINUTES;
    return t('alerts.choices.hours', { count: formatCount(hours) }, hours);
  }

  const toRequests = (count: number): string =>
    t('alerts.choices.requests', { count: formatCount(count) }, count);
  const toPlace = (field: 'channel' | 'service', value: number): string =>
    t(`alerts.choices.${field}`, { value: names.toText(field, value) });

  function listPlaces(condition: AlertCondition): string[] {
    if (condition.kind === 'finding') {
      return (['channel', 'service'] as const).flatMap((field) => {
        const value = condition[field];
        return value === null ? [] : [toPlace(field, value)];
      });
    }
    if (!isOnRecords(condition)) return [];
    return listPlain(condition.filter).flatMap((one) => {
      const value = findSingle(one);
      return value !== undefined && (one.field === 'channel' || one.field === 'service')
        ? [toPlace(one.field, value)]
        : [];
    });
  }

  /** A name for a rule that a person hasn't named. */
  function suggestName(condition: AlertCondition): string {
    const what = t(`alerts.names.${toSubject(condition)}`);
    const where = listPlaces(condition);
    const each = toEach(condition);
    if (each !== undefined) {
      const field = toFieldName(each).toLocaleLowerCase();
      const own = where.length === 0 ? what : t('alerts.names.of', { what, where: where.join(', ') });
      return t('alerts.names.each', { what: own, field });
    }
    return where.length === 0 ? what : t('alerts.names.of', { what, where: where.join(', ') });
  }

  /** What a line of the log is about. */
  function toDetail(entry: AlertLogEntry): string {
    const { condition, value, finding } = entry;
    const detail = toOwnDetail(entry);
    if (finding !== undefined)
      return detail === ''
        ? toFindingTitle(finding)
        : t('alerts.log.of', { value: toFindingTitle(finding), detail });
    if (condition === undefined || value === undefined) return detail;
    return t('alerts.log.of', { value: toEachValue(condition, value), detail });
  }

  function toOwnDetail(entry: AlertLogEntry): string {
    const { kind, level = null, condition, before, figures, sinceMs, atMs, origin } = entry;
    if (kind === 'made') return t(`alerts.log.origins.${origin ?? 'hand'}`);
    if (kind === 'changed') return toChange(before, condition);
    if (condition === undefined || figures === undefined) return '';
    if (condition.kind === 'finding')
      return kind === 'ended' ? t('alerts.log.lasted', { span: formatSpan(atMs - (sinceMs ?? atMs)) }) : '';
    if (kind !== 'ended') return toFired(atLevel(condition, level), figures.hits, figures.total);
    const span = formatSpan(atMs - (sinceMs ?? atMs));
    return condition.kind === 'measure' && condition.measure === 'error-share'
      ? t('alerts.log.lastedPeak', { span, share: formatPercent(figures.peak) })
      : t('alerts.log.lasted', { span });
  }

  function toFired(condition: MinuteCondition, hits: number, total: number): string {
    if (condition.kind === 'down') return t('alerts.log.down', { minutes: toMinutes(condition.minutes) });
    if (condition.kind === 'new-family') return t('alerts.log.families', { count: formatCount(hits) }, hits);
    if (condition.kind === 'measure' && isHitMeasure(condition.measure))
      return t(`alerts.log.${condition.measure}`, { count: formatCount(hits) }, hits);
    const isCount = condition.kind === 'silence' || condition.measure === 'volume';
    if (isCount) return t('alerts.log.requests', { count: formatCount(total) }, total);
    const counts = { hits: formatCount(hits), total: formatCount(total) };
    return toTimeMeasure(condition.measure) === undefined
      ? t('alerts.log.share', { share: formatPercent(total === 0 ? 0 : hits / total), ...counts }, total)
      : t('alerts.log.slower', { ...counts, limit: toValue(condition.measure, condition.threshold) }, total);
  }

  function toChange(before: AlertCondition | undefined, after: AlertCondition | undefined): string {
    if (before?.kind === 'measure' && after?.kind === 'measure' && before.measure === after.measure) {
      const isOnlyThreshold =
        JSON.stringify({ ...before, threshold: 0 }) === JSON.stringify({ ...after, threshold: 0 });
      if (isOnlyThreshold) {
        const [from, to] = [before, after].map(({ measure, threshold }) => toValue(measure, threshold));
        return t('alerts.log.threshold', { from, to });
      }
    }
    return t('alerts.log.condition');
  }

  const toFinding = (finding: ToldFinding | undefined): string =>
    finding === undefined ? '' : toFindingTitle(finding);

  return { toValue, toEachValue, toFinding, toMinutes, toRequests, toPlace, suggestName, toDetail } as const;
}

/** A poll and a fetch may take so long: until then nothing is said of it. */
const MIN_BLIND_MINUTES = 6;
/** Findings are told of minutes that are so old. */
const MIN_BLIND_FINDINGS = 20;
const CLOCK_INTERVAL_MS = 5000;

/** How a rule is shown: firing, ready, muted, or off. */
type RuleLook = 'firing' | 'ready' | 'muted' | 'off';

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
