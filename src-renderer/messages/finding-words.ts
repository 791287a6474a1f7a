import { useI18n } from 'vue-i18n';
import type { Finding, FindingsGap } from '../../src-main/common/model/analysis/finding.ts';
import { useNames, type Names } from '../composables/use-names.ts';
import { formatClock, formatDayClock, formatFullDay } from '../format/dates.ts';
import { formatCount, formatDuration, formatPercent } from '../format/numbers.ts';

/** Factors from here on are told as more than this. */
const FARTHEST_FACTOR = 100;
/** A share of fewer requests is not told. */
const MIN_REQUESTS_OF_SHARE = 20;

/** Returns a factor as it is told: `6`, `2.4`. */
function roundFactor(factor: number): number {
  if (factor >= FARTHEST_FACTOR) return FARTHEST_FACTOR;
  return factor >= 3 ? Math.round(factor) : Math.round(factor * 10) / 10;
}

/** Returns `15:52` in the zone, or `19 Nov 15:52` for another day than today's. */
export function formatMinute(epochMs: number, nowMs: number, zone: string): string {
  const isToday = formatFullDay(epochMs, zone) === formatFullDay(nowMs, zone);
  return isToday ? formatClock(epochMs, zone) : formatDayClock(epochMs, zone);
}

/** Returns functions that put a finding into plain sentences, with the names of the connection that it is of. */
export function useFindingWords(names: Pick<Names, 'toText'> = useNames()) {
  const { t } = useI18n();

  const toDirections = ({ directions }: Pick<Finding, 'directions'>): string =>
    directions.length > 1 ? t('findings.both') : t(`findings.${directions[0] ?? 'inbound'}`);

  function toPlace({ channel, service, directions }: Finding): string {
    if (channel === null && service === null) {
      return directions.length > 1 ? t('findings.place.all') : t(`findings.place.${directions[0] ?? 'all'}`);
    }
    const values = {
      channel: names.toText('channel', channel ?? ''),
      service: names.toText('service', service ?? ''),
    };
    if (channel !== null && service !== null) return t('findings.place.pair', values);
    return channel === null ? t('findings.place.service', values) : t('findings.place.channel', values);
  }

  /** What happened, in one line. */
  function toTitle(finding: Finding): string {
    const { kind, recent, usual, channel, service, count, requests, part } = finding;
    if (kind === 'down')
      return t('findings.title.down', { name: t(`overview.health.${part ?? 'platform'}`) });
    if (kind === 'unreachable') return t('findings.title.unreachable');
    const place = toPlace(finding);
    const factor = usual > 0 ? recent / usual : Infinity;
    const values = { place, factor: roundFactor(factor) };
    const isFar = factor >= FARTHEST_FACTOR;
    if (kind === 'errors-up') {
      if (count === requests) {
        const isWhole = channel === null && service === null;
        return t(isWhole ? 'findings.title.noSuccessAnywhere' : 'findings.title.noSuccess', values);
      }
      return t(isFar ? 'findings.title.errorsUpFar' : 'findings.title.errorsUp', values);
    }
    if (kind === 'new-errors') return t('findings.title.newErrors', values);
    if (kind === 'slower') return t(isFar ? 'findings.title.slowerFar' : 'findings.title.slower', values);
    if (kind === 'volume-down') {
      if (recent === 0) return t('findings.title.nothing', values);
      return t('findings.title.fewer', { place, share: formatPercent(1 - recent / usual, 0) });
    }
    if (usual < 1) return t('findings.title.moreThanNone', values);
    return t(isFar ? 'findings.title.moreFar' : 'findings.title.more', values);
  }

  /** How much, and what is usual. */
  function toDetail({ kind, count, requests, recent, usual, source }: Finding): string {
    const values = { count: formatCount(count), requests: formatCount(requests) };
    if (kind === 'down') {
      return requests === 0 ? t('findings.detail.downUnseen') : t('findings.detail.down', values, requests);
    }
    if (kind === 'unreachable') return t('findings.detail.unreachable');
    if (kind === 'errors-up') {
      const shares = { ...values, share: formatPercent(recent), usual: formatPercent(usual) };
      return t(
        requests < MIN_REQUESTS_OF_SHARE ? 'findings.detail.fewErrors' : 'findings.detail.errors',
        shares,
      );
    }
    if (kind === 'new-errors') return t('findings.detail.newErrors', values, requests);
    if (kind === 'slower') {
      return t('findings.detail.slower', { recent: formatDuration(recent), usual: formatDuration(usual) });
    }
    const expected = formatCount(Math.round(usual));
    return source === 'hours'
      ? t('findings.detail.volumeByHours', { requests: values.requests, usual: expected }, requests)
      : t('findings.detail.volume', { requests: values.requests, usual: expected }, requests);
  }

  /** Since when and where. */
  function toWhen(finding: Finding, nowMs: number, zone: string): string {
    const time = formatMinute(finding.sinceMs, nowMs, zone);
    const values = { time, direction: toDirections(finding), requests: formatCount(finding.requests) };
    if (finding.kind === 'down' || finding.kind === 'unreachable') return t('findings.when.since', values);
    return finding.kind === 'slower'
      ? t('findings.when.sinceOf', values, finding.requests)
      : t('findings.when.sinceIn', values);
  }

  /** From when to when. */
  function toSpan({ sinceMs, endedMs, untilMs }: Finding, nowMs: number, zone: string): string {
    const toMs = endedMs ?? untilMs;
    const isOneDay = formatFullDay(sinceMs, zone) === formatFullDay(toMs, zone);
    const from = formatMinute(sinceMs, nowMs, zone);
    const to = isOneDay ? formatClock(toMs, zone) : formatMinute(toMs, nowMs, zone);
    return t('findings.when.span', { from, to });
  }

  /** Why it is not known whether anything stands out. */
  function toGap({ direction, reason, fromMs, toMs }: FindingsGap, nowMs: number, zone: string): string {
    const values = {
      direction: t(`findings.place.${direction}`),
      from: formatMinute(fromMs, nowMs, zone),
      to: formatMinute(toMs, nowMs, zone),
    };
    return t(reason === 'not-cached' ? 'findings.gap.notCached' : 'findings.gap.notLearned', values);
  }

  return { toTitle, toDetail, toWhen, toSpan, toGap, toDirections };
}
