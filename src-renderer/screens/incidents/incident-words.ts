import { useI18n } from 'vue-i18n';
import {
  FINDING_KIND_ROWS,
  type FindingMeasure,
} from '../../../src-main/common/model/analysis/finding-kinds.ts';
import type { Finding } from '../../../src-main/common/model/analysis/finding.ts';
import type { TimedField } from '../../../src-main/common/model/analysis/grouping.ts';
import type { Incident } from '../../../src-main/common/model/analysis/incident.ts';
import { MINUTE_MS } from '../../../src-main/common/time/durations.ts';
import {
  formatCount,
  formatDuration,
  formatMeasure,
  formatPercent,
  formatSpan,
} from '../../format/formats.ts';
import { useFindingWords } from '../../messages/finding-words.ts';
import { useNames, type Names } from '../../names/use-names.ts';

const TIME_SIZES: Readonly<Record<TimedField, string>> = {
  responseTimeMs: 'incidents.size.slower',
  botLatencyMs: 'incidents.size.longer',
};

const NO_BREAK = '\u{a0}';

/** The part of an incident that its row shows: the one that most requests were hit by. */
export function findWorst({ parts }: Incident): Finding {
  return parts.reduce((worst, part) => (part.count > worst.count ? part : worst));
}

/** Puts incidents into the words of a table. */
export function useIncidentWords() {
  const { t } = useI18n();
  const names = useNames();
  const words = useFindingWords();

  /** With the names of the connection that it is of, by default those of the one that is shown. */
  function toPlace(finding: Finding, { toText }: Pick<Names, 'toText'> = names): string {
    const closer = finding.within.map(({ field, value }) =>
      t(`findings.place.${field}`, { value: field === 'actionId' ? toText(field, value) : value }),
    );
    return [toWidePlace(finding, toText), ...closer].join(', ');
  }

  function toWidePlace(
    { kind, part, channel, service, directions }: Finding,
    toText: Names['toText'],
  ): string {
    // An outage is one of all that a part, or the service, has.
    if (part !== null) return t(`findings.parts.${part}`);
    if (FINDING_KIND_ROWS[kind].measure === 'outage') return t('incidents.place.service');
    const direction = directions.length > 1 ? 'all' : (directions[0] ?? 'all');
    const values = {
      channel: toText('channel', channel ?? ''),
      service: toText('service', service ?? ''),
      direction: t(`findings.place.${direction}`),
    };
    if (channel !== null && service !== null) return t('incidents.place.pair', values);
    if (channel !== null) return t('incidents.place.channel', values);
    if (service !== null) return t('incidents.place.ofService', values);
    return t(`incidents.place.${direction}`);
  }

  /** How much, and what is usual. */
  function toSize(item: Finding): { readonly size: string; readonly usual: string } {
    const { kind, recent, usual, count, requests, sinceMs, endedMs, untilMs } = item;
    const { measure, field, isHitting } = FINDING_KIND_ROWS[kind];
    const factor = formatMeasure(usual > 0 ? Math.round((recent / usual) * 10) / 10 : 0);
    const sizes: Readonly<Record<FindingMeasure, () => { readonly size: string; readonly usual: string }>> = {
      failing: () => ({
        size: t('incidents.size.failed', { share: formatPercent(recent) }),
        usual: t('incidents.usual.value', { usual: formatPercent(usual) }),
      }),
      family: () => ({
        size: t('incidents.size.count', { count: formatCount(count) }, count),
        usual: t('incidents.usual.never'),
      }),
      times: () => ({
        size: t(TIME_SIZES[field ?? 'responseTimeMs'], { factor }),
        usual: t('incidents.usual.value', { usual: formatDuration(usual) }),
      }),
      volume: () => ({
        size: toVolume(recent, usual, factor),
        usual: t('incidents.usual.volume', {
          requests: formatCount(requests),
          usual: formatCount(Math.round(usual)),
        }),
      }),
      outage: () => ({
        size: t(`incidents.size.${isHitting ? 'down' : 'unreachable'}`, {
          span: formatSpan((endedMs ?? untilMs) - sinceMs),
        }),
        usual: isHitting ? t('incidents.usual.requests', { count: formatCount(requests) }, requests) : '',
      }),
    };
    return sizes[measure]();
  }

  function toVolume(recent: number, usual: number, factor: string): string {
    if (recent === 0) return t('incidents.size.none');
    if (recent < usual) return t('incidents.size.fewer', { share: formatPercent(1 - recent / usual, 0) });
    return usual < 1 ? t('incidents.size.more') : t('incidents.size.times', { factor });
  }

  /** How long each time, in whole minutes and in one line; more than two times only all together. */
  function toLengths({ parts }: Incident): string {
    const lengths = parts.map(({ sinceMs, endedMs, untilMs }) => (endedMs ?? untilMs) - sinceMs);
    const shown = parts.length > 2 ? [lengths.reduce((sum, length) => sum + length, 0)] : lengths;
    const text = shown
      .map((length) => formatSpan(Math.max(MINUTE_MS, length - (length % MINUTE_MS))))
      .map((length) => length.replaceAll(' ', NO_BREAK))
      .join(' + ');
    return parts.length > 2
      ? t('incidents.times', { count: formatCount(parts.length), span: text }, parts.length)
      : text;
  }

  /** Sessions or clients of each time: some may be among those of another. */
  function toHit({ parts }: Incident, field: 'sessionCount' | 'clientCount'): string {
    if (parts.every(({ kind }) => !FINDING_KIND_ROWS[kind].isHitting)) return '–';
    const counts = parts.map((part) => part[field]);
    if (counts.length <= 2) return counts.map((count) => formatCount(count)).join(' + ');
    return t('incidents.atLeast', { count: formatCount(Math.max(...counts)) });
  }

  return { ...words, toPlace, toSize, toLengths, toHit };
}
