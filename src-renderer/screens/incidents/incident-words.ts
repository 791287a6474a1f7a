import { BellOff, ChartNoAxesColumn, CircleAlert, Gauge, Sparkles, TrendingDown, Unplug } from '@lucide/vue';
import type { Component } from 'vue';
import { useI18n } from 'vue-i18n';
import type { Finding, FindingKind } from '../../../src-main/common/model/analysis/finding.ts';
import type { Incident } from '../../../src-main/common/model/analysis/incident.ts';
import {
  formatCount,
  formatDuration,
  formatMeasure,
  formatPercent,
  formatSpan,
} from '../../format/numbers.ts';
import { useFindingWords } from '../../messages/finding-words.ts';
import { useNames } from '../../names/use-names.ts';

/** How each kind is drawn: what fails is red. */
export const KIND_LOOKS: Readonly<
  Record<FindingKind, { readonly icon: Component; readonly isFailure: boolean }>
> = {
  down: { icon: Unplug, isFailure: true },
  unreachable: { icon: BellOff, isFailure: true },
  'errors-up': { icon: CircleAlert, isFailure: true },
  'new-errors': { icon: Sparkles, isFailure: true },
  'volume-down': { icon: TrendingDown, isFailure: false },
  slower: { icon: Gauge, isFailure: false },
  'volume-up': { icon: ChartNoAxesColumn, isFailure: false },
};

/** The part of an incident that its row shows: the one that most requests were hit by. */
export function findWorst({ parts }: Incident): Finding {
  return parts.reduce((worst, part) => (part.count > worst.count ? part : worst));
}

/** Puts incidents into the words of a table. */
export function useIncidentWords() {
  const { t } = useI18n();
  const { toText } = useNames();
  const words = useFindingWords();

  function toPlace({ kind, part, channel, service, directions }: Finding): string {
    if (kind === 'down') return t(`findings.parts.${part ?? 'platform'}`);
    if (kind === 'unreachable') return t('incidents.place.service');
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
    const factor = formatMeasure(usual > 0 ? Math.round((recent / usual) * 10) / 10 : 0);
    const volume = t('incidents.usual.volume', {
      requests: formatCount(requests),
      usual: formatCount(Math.round(usual)),
    });
    switch (kind) {
      case 'errors-up':
        return {
          size: t('incidents.size.failed', { share: formatPercent(recent) }),
          usual: t('incidents.usual.value', { usual: formatPercent(usual) }),
        };
      case 'new-errors':
        return {
          size: t('incidents.size.count', { count: formatCount(count) }, count),
          usual: t('incidents.usual.never'),
        };
      case 'slower':
        return {
          size: t('incidents.size.slower', { factor }),
          usual: t('incidents.usual.value', { usual: formatDuration(usual) }),
        };
      case 'volume-down':
        return {
          size:
            recent === 0
              ? t('incidents.size.none')
              : t('incidents.size.fewer', { share: formatPercent(1 - recent / usual, 0) }),
          usual: volume,
        };
      case 'volume-up':
        return {
          size: usual < 1 ? t('incidents.size.more') : t('incidents.size.times', { factor }),
          usual: volume,
        };
      case 'down':
      case 'unreachable':
        return {
          size: t(`incidents.size.${kind}`, { span: formatSpan((endedMs ?? untilMs) - sinceMs) }),
          usual:
            kind === 'down' ? t('incidents.usual.requests', { count: formatCount(requests) }, requests) : '',
        };
    }
  }

  /** How long each time; more than two times only all together. */
  function toLengths({ parts }: Incident): string {
    const lengths = parts.map(({ sinceMs, endedMs, untilMs }) => (endedMs ?? untilMs) - sinceMs);
    const shown = parts.length > 2 ? [lengths.reduce((sum, length) => sum + length, 0)] : lengths;
    const text = shown.map((length) => formatSpan(length)).join(' + ');
    return parts.length > 2
      ? t('incidents.times', { count: formatCount(parts.length), span: text }, parts.length)
      : text;
  }

  /** Sessions or clients of each time: some may be among those of another. */
  function toHit({ parts }: Incident, field: 'sessionCount' | 'clientCount'): string {
    if (parts.every(({ kind }) => kind.startsWith('volume') || kind === 'unreachable')) return '–';
    const counts = parts.map((part) => part[field]);
    if (counts.length <= 2) return counts.map((count) => formatCount(count)).join(' + ');
    return t('incidents.atLeast', { count: formatCount(Math.max(...counts)) });
  }

  return { ...words, toPlace, toSize, toLengths, toHit };
}
