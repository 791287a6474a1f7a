import type { Finding } from '../model/analysis/finding.ts';
import type { NamedField } from '../model/records/value-name.ts';
import type { SpokenKey } from './messages.ts';
import type { NumberFormats } from './numbers.ts';

/** Larger factors are given as "more than" this one. */
const FARTHEST_FACTOR = 100;
/** A share is left out with fewer requests than this. */
const MIN_REQUESTS_OF_SHARE = 20;

type FindingKey = Extract<SpokenKey, `findings.${string}`>;

/** What findings are put into words with. */
interface FindingSpeech {
  readonly t: (key: FindingKey, values: Record<string, string>, count?: number) => string;
  readonly formats: Pick<NumberFormats, 'formatCount' | 'formatDuration' | 'formatMeasure' | 'formatPercent'>;
  /** The value of a field with the person's own name, where it has one. */
  readonly toText: (field: NamedField, value: string | number) => string;
}

/** What a finding says, in the window and in reports. */
export interface FindingSentences {
  /** In which direction, or in both. */
  toDirections(finding: Pick<Finding, 'directions'>): string;
  /** What happened, in one line. */
  toTitle(finding: Finding): string;
  /** How much, and what is usual. */
  toDetail(finding: Finding): string;
}

/** Puts findings into plain sentences. */
export function createFindingSentences({ t, formats, toText }: FindingSpeech): FindingSentences {
  const { formatCount, formatDuration, formatMeasure, formatPercent } = formats;

  function toPlace({ channel, service, directions }: Finding): string {
    const values = { channel: toText('channel', channel ?? ''), service: toText('service', service ?? '') };
    if (channel !== null && service !== null) return t('findings.place.pair', values);
    if (channel !== null) return t('findings.place.channel', values);
    if (service !== null) return t('findings.place.service', values);
    return t(`findings.place.${directions.length > 1 ? 'all' : (directions[0] ?? 'all')}`, {});
  }

  function toTitle(finding: Finding): string {
    const { kind, recent, usual, channel, service, count, requests, part } = finding;
    if (kind === 'down') {
      return t('findings.title.down', { name: t(`findings.parts.${part ?? 'platform'}`, {}) });
    }
    if (kind === 'unreachable') return t('findings.title.unreachable', {});
    const place = toPlace(finding);
    const factor = usual > 0 ? recent / usual : Infinity;
    const values = { place, factor: formatMeasure(roundFactor(factor)) };
    const isFar = factor >= FARTHEST_FACTOR;
    switch (kind) {
      case 'errors-up':
        if (count === requests) {
          const isWhole = channel === null && service === null;
          return t(isWhole ? 'findings.title.noSuccessAnywhere' : 'findings.title.noSuccess', values);
        }
        return t(isFar ? 'findings.title.errorsUpFar' : 'findings.title.errorsUp', values);
      case 'new-errors':
        return t('findings.title.newErrors', values);
      case 'slower':
        return t(isFar ? 'findings.title.slowerFar' : 'findings.title.slower', values);
      case 'volume-down':
        return recent === 0
          ? t('findings.title.nothing', values)
          : t('findings.title.fewer', { place, share: formatPercent(1 - recent / usual, 0) });
      case 'volume-up':
        if (usual < 1) return t('findings.title.moreThanNone', values);
        return t(isFar ? 'findings.title.moreFar' : 'findings.title.more', values);
    }
  }

  /** Requests alone don't tell whether one customer was hit or all of them. */
  function toDetail(finding: Finding): string {
    const { kind, count, sessionCount, clientCount } = finding;
    const detail = toFigures(finding);
    const isHit = kind !== 'unreachable' && kind !== 'volume-down' && kind !== 'volume-up';
    if (!isHit || count === 0 || sessionCount + clientCount === 0) return detail;
    return t('findings.detail.hit', {
      detail,
      sessions: t('findings.detail.sessions', { count: formatCount(sessionCount) }, sessionCount),
      clients: t('findings.detail.clients', { count: formatCount(clientCount) }, clientCount),
    });
  }

  function toFigures({ kind, count, requests, recent, usual, source }: Finding): string {
    const values = { count: formatCount(count), requests: formatCount(requests) };
    switch (kind) {
      case 'down':
        return requests === 0
          ? t('findings.detail.downUnseen', {})
          : t('findings.detail.down', values, requests);
      case 'unreachable':
        return t('findings.detail.unreachable', {});
      case 'errors-up': {
        const shares = { ...values, share: formatPercent(recent), usual: formatPercent(usual) };
        const isFew = requests < MIN_REQUESTS_OF_SHARE;
        return t(isFew ? 'findings.detail.fewErrors' : 'findings.detail.errors', shares);
      }
      case 'new-errors':
        return t('findings.detail.newErrors', values, requests);
      case 'slower':
        return t('findings.detail.slower', { recent: formatDuration(recent), usual: formatDuration(usual) });
      case 'volume-down':
      case 'volume-up': {
        const volumes = { requests: values.requests, usual: formatCount(Math.round(usual)) };
        return source === 'hours'
          ? t('findings.detail.volumeByHours', volumes, requests)
          : t('findings.detail.volume', volumes, requests);
      }
    }
  }

  return {
    toDirections: ({ directions }) =>
      t(directions.length > 1 ? 'findings.both' : `findings.${directions[0] ?? 'inbound'}`, {}),
    toTitle,
    toDetail,
  };
}

/** Returns a factor as it is told: `6`, `2.4`. */
function roundFactor(factor: number): number {
  if (factor >= FARTHEST_FACTOR) return FARTHEST_FACTOR;
  return factor >= 3 ? Math.round(factor) : Math.round(factor * 10) / 10;
}
