import { useI18n } from 'vue-i18n';
import {
  FINDING_KIND_ROWS,
  type FindingMeasure,
} from '../../src-main/common/model/analysis/finding-kinds.ts';
import type { FindingsGap, NoticedSizes, ToldFinding } from '../../src-main/common/model/analysis/finding.ts';
import { createFindingSentences, writeNoticed } from '../../src-main/common/words/finding-words.ts';
import {
  readFormats,
  formatClock,
  formatDayClock,
  formatFullDay,
  formatCount,
  formatDuration,
  formatMeasure,
  formatPercent,
} from '../format/formats.ts';
import { useNames, type Names } from '../names/use-names.ts';

/** Returns `15:52` in the zone, or `19 Nov 15:52` for another day than today's. */
export function formatMinute(epochMs: number, nowMs: number, zone: string): string {
  const isToday = formatFullDay(epochMs, zone) === formatFullDay(nowMs, zone);
  return isToday ? formatClock(epochMs, zone) : formatDayClock(epochMs, zone);
}

/** Returns functions that put a finding into plain sentences, with the names of the connection that it is of. */
export function useFindingWords({ toText }: Pick<Names, 'toText'> = useNames()) {
  const { t } = useI18n();
  const { toTitle, toDetail, toDirections } = createFindingSentences({
    t: (key, values, count) => (count === undefined ? t(key, values) : t(key, values, count)),
    formats: { formatCount, formatDuration, formatMeasure, formatPercent },
    toText,
  });

  /**
   * Since when and where, and when the same was there before; of times also how many its median and its records are of.
   */
  function toWhen(
    finding: ToldFinding,
    nowMs: number,
    zone: string,
    earlier: readonly ToldFinding[] = [],
  ): string {
    const time = formatMinute(finding.sinceMs, nowMs, zone);
    const values = { time, direction: toDirections(finding) };
    const whens: Readonly<Record<FindingMeasure, () => string>> = {
      outage: () => t('findings.when.since', values),
      failing: () => t('findings.when.sinceIn', values),
      family: () => t('findings.when.sinceIn', values),
      volume: () => t('findings.when.sinceIn', values),
      times: () =>
        t('findings.when.sinceOf', { ...values, successes: formatCount(finding.count) }, finding.count),
    };
    const when = whens[FINDING_KIND_ROWS[finding.kind].measure]();
    if (earlier.length === 0) return when;
    const spans = earlier.map((own) => toSpan(own, nowMs, zone)).join(', ');
    return t('findings.when.again', { when, spans });
  }

  /** From when to when. */
  function toSpan({ sinceMs, endedMs, untilMs }: ToldFinding, nowMs: number, zone: string): string {
    const toMs = endedMs ?? untilMs;
    const isOneDay = formatFullDay(sinceMs, zone) === formatFullDay(toMs, zone);
    const from = formatMinute(sinceMs, nowMs, zone);
    const to = isOneDay ? formatClock(toMs, zone) : formatMinute(toMs, nowMs, zone);
    return t('findings.when.span', { from, to });
  }

  /** Why it is not known whether anything stands out. */
  function toGap({ direction, reason, fromMs, toMs }: FindingsGap, nowMs: number, zone: string): string {
    const isOneDay = formatFullDay(fromMs, zone) === formatFullDay(toMs, zone);
    // Of two days each is named, today's too: "between 27 Nov 00:00 and 00:00" would be no time at all.
    const toMoment = (ms: number): string =>
      isOneDay ? formatMinute(ms, nowMs, zone) : formatDayClock(ms, zone);
    const values = {
      direction: t(`findings.place.${direction}`),
      from: toMoment(fromMs),
      to: toMoment(toMs),
    };
    return t(reason === 'not-cached' ? 'findings.gap.notCached' : 'findings.gap.notLearned', values);
  }

  /** How large something would have had to be to be told; empty where that isn't known. */
  function toNoticed(noticed: NoticedSizes | undefined): string {
    return writeNoticed(noticed, {
      t: (key, values, count) => (count === undefined ? t(key, values) : t(key, values, count)),
      formats: readFormats(),
      toText,
    });
  }

  return { toTitle, toDetail, toWhen, toSpan, toGap, toNoticed, toDirections };
}
