import { useI18n } from 'vue-i18n';
import { toDayClock } from '../../../src-main/common/model/connections/planned-spans.ts';
import type {
  PlannedSuggestion,
  PlannedTime,
  PlannedTimes,
} from '../../../src-main/common/model/connections/planned-time.ts';
import { HOUR_MS } from '../../../src-main/common/time/durations.ts';
import { formatCount, formatSpan } from '../../format/numbers.ts';
import { useNames } from '../../names/use-names.ts';

/** Says when planned times are, and what of them is left out. */
export function usePlannedWords() {
  const { t } = useI18n();
  const names = useNames();
  const toEnd = (from: string, minutes: number): string => {
    const [hour = 0, minute = 0] = from.split(':').map(Number);
    return toDayClock((hour * 60 + minute + minutes) * 60_000, 'UTC').slice(11);
  };
  const toClocks = ({ from, minutes }: { readonly from: string; readonly minutes: number }): string =>
    minutes < 1_440 ? `${from} – ${toEnd(from, minutes)}` : `${from}, ${formatSpan(minutes * 60_000)}`;
  const toWhen = (times: PlannedTimes): string => {
    if (times.repeats === 'dates') {
      const [first] = times.dates;
      if (times.dates.length > 1 || first === undefined)
        return t('planned.when.dates', { count: formatCount(times.dates.length) }, times.dates.length);
      return `${first.from.replace('T', ' ')} – ${first.to.replace('T', ' ')}`;
    }
    if (times.repeats === 'cron') return `${times.cron}, ${formatSpan(times.minutes * 60_000)}`;
    if (times.repeats === 'weekly') {
      const days = times.weekdays.map((day) => t(`planned.weekdays.${day}`)).join(', ');
      return t('planned.when.weekly', { days, clocks: toClocks(times) });
    }
    const { on } = times;
    const day =
      'workingDay' in on
        ? t('planned.monthWays.last-working-day')
        : 'nth' in on
          ? t('planned.when.nth', {
              nth: t(`planned.nth.${on.nth}`),
              weekday: t(`planned.weekdays.${on.weekday}`),
            })
          : on.day === 'last'
            ? t('planned.monthWays.last-day')
            : t('planned.when.day', { day: on.day });
    return t('planned.when.monthly', { day, clocks: toClocks(times) });
  };
  const toWhere = ({ channels, services }: PlannedTime): string => {
    const parts = [
      channels === undefined
        ? ''
        : t('planned.where.channels', {
            list: channels.map((one) => names.toText('channel', one)).join(', '),
          }),
      services === undefined
        ? ''
        : t('planned.where.services', {
            list: services.map((one) => names.toText('service', one)).join(', '),
          }),
    ].filter((part) => part !== '');
    return parts.length === 0 ? t('planned.where.all') : parts.join(', ');
  };
  const toEffect = ({ leftOut }: PlannedTime): string => {
    const parts = [
      leftOut.findings ? t('planned.effects.findings') : '',
      leftOut.uptime ? t('planned.effects.uptime') : '',
      t(`planned.effects.${leftOut.alerts}`),
    ].filter((part) => part !== '');
    return parts.join(', ');
  };
  const toSuggestion = (one: PlannedSuggestion): string => {
    const words = {
      count: formatCount(one.spans.length),
      weekday: t(`planned.weekdays.${one.weekday}`),
      from: one.from,
      to: toEnd(one.from, one.minutes),
    };
    return one.channel === undefined
      ? t('planned.suggestion.all', words, one.spans.length)
      : t(
          'planned.suggestion.channel',
          { ...words, channel: names.toText('channel', one.channel) },
          one.spans.length,
        );
  };
  const toNext = (fromMs: number, nowMs: number): string =>
    fromMs <= nowMs
      ? t('planned.now')
      : t('planned.in', { span: formatSpan(Math.max(HOUR_MS / 60, fromMs - nowMs)) });
  return { toWhen, toWhere, toEffect, toSuggestion, toNext };
}
