import { FINDING_KIND_ROWS, type FindingMeasure } from '../model/analysis/finding-kinds.ts';
import type { ToldFinding } from '../model/analysis/finding.ts';
import type { NamedField } from '../model/records/value-name.ts';
import type { FindingKey } from './messages.ts';
import type { NumberFormats } from './numbers.ts';

/** Larger factors are given as "more than" this one. */
const FARTHEST_FACTOR = 100;
/** A share is left out with fewer requests than this. */
const MIN_REQUESTS_OF_SHARE = 20;

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
  toDirections(finding: Pick<ToldFinding, 'directions'>): string;
  /** What happened, in one line. */
  toTitle(finding: ToldFinding): string;
  /** How much, and what is usual. */
  toDetail(finding: ToldFinding): string;
}

/** Puts findings into plain sentences. */
export function createFindingSentences({ t, formats, toText }: FindingSpeech): FindingSentences {
  const { formatCount, formatDuration, formatMeasure, formatPercent } = formats;

  function toPlace({ channel, service, directions }: ToldFinding): string {
    const values = { channel: toText('channel', channel ?? ''), service: toText('service', service ?? '') };
    if (channel !== null && service !== null) return t('findings.place.pair', values);
    if (channel !== null) return t('findings.place.channel', values);
    if (service !== null) return t('findings.place.service', values);
    return t(`findings.place.${directions.length > 1 ? 'all' : (directions[0] ?? 'all')}`, {});
  }

  function toTitle(finding: ToldFinding): string {
    const { recent, usual, channel, service, count, requests, part } = finding;
    const { measure, words } = FINDING_KIND_ROWS[finding.kind];
    const factor = usual > 0 ? recent / usual : Infinity;
    const values = {
      place: toPlace(finding),
      name: t(`findings.parts.${part ?? 'platform'}`, {}),
      factor: formatMeasure(roundFactor(factor)),
    };
    const own = factor >= FARTHEST_FACTOR ? words.far : words.title;
    const titles: Readonly<Record<FindingMeasure, () => string>> = {
      outage: () => t(words.title, values),
      failing: () => {
        const isWhole = channel === null && service === null;
        // What was reported as up again is told as that, however many failed.
        if (count < requests || part !== null) return t(own, values);
        return t(isWhole ? 'findings.title.noSuccessAnywhere' : 'findings.title.noSuccess', values);
      },
      family: () => t(words.title, values),
      times: () => t(own, values),
      volume: () => {
        if (recent < usual) {
          const share = formatPercent(1 - recent / usual, 0);
          return t(recent === 0 ? words.far : words.title, { ...values, share });
        }
        return t(usual < 1 ? 'findings.title.moreThanNone' : own, values);
      },
    };
    return titles[measure]();
  }

  /** Requests alone don't tell whether one customer was hit or all of them. */
  function toDetail(finding: ToldFinding): string {
    const { kind, count, sessionCount, clientCount } = finding;
    const detail = toFigures(finding);
    if (!FINDING_KIND_ROWS[kind].isHitting || count === 0 || sessionCount + clientCount === 0) return detail;
    return t('findings.detail.hit', {
      detail,
      sessions: t('findings.detail.sessions', { count: formatCount(sessionCount) }, sessionCount),
      clients: t('findings.detail.clients', { count: formatCount(clientCount) }, clientCount),
    });
  }

  function toFigures({ kind, count, requests, recent, usual, source }: ToldFinding): string {
    const { measure, words, isHitting } = FINDING_KIND_ROWS[kind];
    const values = { count: formatCount(count), requests: formatCount(requests) };
    const details: Readonly<Record<FindingMeasure, () => string>> = {
      outage: () =>
        requests === 0 && isHitting ? t('findings.detail.downUnseen', {}) : t(words.detail, values, requests),
      failing: () => {
        const shares = { ...values, share: formatPercent(recent), usual: formatPercent(usual) };
        return t(requests < MIN_REQUESTS_OF_SHARE ? 'findings.detail.fewErrors' : words.detail, shares);
      },
      family: () => t(words.detail, values, requests),
      times: () => t(words.detail, { recent: formatDuration(recent), usual: formatDuration(usual) }),
      volume: () => {
        const volumes = { requests: values.requests, usual: formatCount(Math.round(usual)) };
        return t(source === 'hours' ? 'findings.detail.volumeByHours' : words.detail, volumes, requests);
      },
    };
    return details[measure]();
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
