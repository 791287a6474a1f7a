import { FINDING_KIND_ROWS, type FindingMeasure } from '../model/analysis/finding-kinds.ts';
import type { NoticedSizes, ToldFinding } from '../model/analysis/finding.ts';
import type { NamedField } from '../model/records/body-path.ts';
import { MINUTE_MS } from '../time/durations.ts';
import type { NumberFormats } from './formats.ts';
import type { FindingKey } from './messages.ts';

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

  function toPlace(finding: ToldFinding): string {
    const closer = finding.within.map(({ field, value }) =>
      t(`findings.place.${field}`, { value: field === 'actionId' ? toText(field, value) : value }),
    );
    return [toWidePlace(finding), ...closer].join(', ');
  }

  function toWidePlace({ channel, service, directions }: ToldFinding): string {
    const values = { channel: toText('channel', channel ?? ''), service: toText('service', service ?? '') };
    if (channel !== null && service !== null) return t('findings.place.pair', values);
    if (channel !== null) return t('findings.place.channel', values);
    if (service !== null) return t('findings.place.service', values);
    return t(`findings.place.${directions.length > 1 ? 'all' : (directions[0] ?? 'all')}`, {});
  }

  function toTitle(finding: ToldFinding): string {
    const { recent, usual, channel, service, within, count, requests, part } = finding;
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
        const isWhole = channel === null && service === null && within.length === 0;
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

/** Sizes that are said together differ by no more than this factor; with rounding, what is said is less than half too much. */
const ALIKE = 1.25;
/** Sizes are rounded up: small ones to half a per cent. */
const FINE = 0.1;
const FINE_STEP = 0.005;
const STEP = 0.01;
/** So many numbers that follow one another are a range. */
const LEAST_RANGE = 3;

/** A size that is said of several channels, and of at least how many hours. */
interface SaidSize {
  readonly size: number;
  readonly hours: number;
}

interface NoticedGroup {
  readonly channels: readonly number[];
  readonly failing: SaidSize | null;
  readonly fewer: SaidSize | null;
}

interface NoticedSpeech {
  readonly t: (key: FindingKey, values: Record<string, string>, count?: number) => string;
  readonly formats: Pick<NumberFormats, 'formatCount' | 'formatPercent' | 'formatSpan'> & {
    readonly formatList: (values: readonly string[]) => string;
  };
  readonly toText: (field: NamedField, value: string | number) => string;
}

/** Puts channels together of which nearly the same is said, and apart those with too few requests to say anything. */
export function groupNoticed({ channels }: NoticedSizes): { groups: NoticedGroup[]; few: number[] } {
  const groups: (typeof channels)[] = [];
  const few: number[] = [];
  const inOrder = channels.toSorted(
    (a, b) => (a.failing?.size ?? 1) - (b.failing?.size ?? 1) || (a.fewer?.size ?? 1) - (b.fewer?.size ?? 1),
  );
  for (const own of inOrder) {
    if (own.failing === null && own.fewer === null) {
      few.push(own.channel);
      continue;
    }
    const group = groups.find((members) =>
      members.every((other) => isAlike(other.failing, own.failing) && isAlike(other.fewer, own.fewer)),
    );
    if (group === undefined) groups.push([own]);
    else group.push(own);
  }
  return {
    groups: groups.map((members) => ({
      channels: members.map(({ channel }) => channel).sort((a, b) => a - b),
      failing: toSaid(members.map(({ failing }) => failing)),
      fewer: toSaid(members.map(({ fewer }) => fewer)),
    })),
    few: few.sort((a, b) => a - b),
  };
}

function isAlike(one: SaidSize | null, other: SaidSize | null): boolean {
  if (one === null || other === null) return one === other;
  return Math.max(one.size, other.size) <= ALIKE * Math.min(one.size, other.size);
}

function toSaid(sizes: readonly (SaidSize | null)[]): SaidSize | null {
  const own = sizes.flatMap((size) => size ?? []);
  if (own.length === 0) return null;
  const most = Math.max(...own.map(({ size }) => size));
  const step = most < FINE ? FINE_STEP : STEP;
  return {
    size: Math.min(1, Math.ceil(most / step - 1e-9) * step),
    hours: Math.min(...own.map(({ hours }) => hours)),
  };
}

/** Says how large something would have had to be for it to be told, in plain sentences; empty where nothing is known. */
export function writeNoticed(
  noticed: NoticedSizes | undefined,
  { t, formats, toText }: NoticedSpeech,
): string {
  if (noticed === undefined || noticed.channels.length === 0) return '';
  const { formatCount, formatPercent, formatSpan, formatList } = formats;
  const { groups, few } = groupNoticed(noticed);
  const toChannels = (channels: readonly number[]): string =>
    t('findings.noticed.channels', { channels: formatList(listChannels(channels)) }, channels.length);
  const listChannels = (channels: readonly number[]): string[] => {
    const texts: string[] = [];
    for (let place = 0; place < channels.length;) {
      let length = 1;
      while (isNext(channels, place + length)) length += 1;
      const [from, to] = [channels[place] ?? 0, channels[place + length - 1] ?? 0];
      if (length >= LEAST_RANGE)
        texts.push(t('findings.noticed.range', { from: String(from), to: String(to) }));
      else texts.push(...channels.slice(place, place + length).map((own) => toText('channel', own)));
      place += length;
    }
    return texts;
  };
  /** A name that a person gave is said, whatever its number. */
  const isNext = (channels: readonly number[], place: number): boolean => {
    const [before = NaN, own = NaN] = [channels[place - 1], channels[place]];
    return own === before + 1 && [before, own].every((one) => toText('channel', one) === String(one));
  };
  const toHours = (hours: number): string =>
    hours >= noticed.hours
      ? ''
      : t('findings.noticed.hours', {
          hours: formatCount(Math.round(hours)),
          all: formatCount(Math.round(noticed.hours)),
        });
  const span = formatSpan(noticed.minutes * MINUTE_MS);
  const sentences = groups.map(({ channels, failing, fewer }) => {
    const values = {
      span,
      channels: toChannels(channels),
      share: formatPercent(failing?.size ?? 1, (failing?.size ?? 1) < FINE ? 1 : 0),
      fewer: formatPercent(fewer?.size ?? 1, 0),
      hours: toHours(Math.min(failing?.hours ?? Infinity, fewer?.hours ?? Infinity)),
    };
    if (fewer === null) return t('findings.noticed.failing', values);
    return t(failing === null ? 'findings.noticed.fewer' : 'findings.noticed.both', values);
  });
  if (few.length > 0) sentences.push(t('findings.noticed.few', { channels: toChannels(few) }, few.length));
  return sentences.join(' ');
}
