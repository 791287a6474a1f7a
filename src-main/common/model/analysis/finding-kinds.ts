import type { FindingKey } from '../../words/messages.ts';
import type { AlertMeasure } from '../alerts/alert-rule.ts';
import type { TimedField } from './grouping.ts';

/** What is found, what matters more first. */
export const FINDING_KINDS = [
  'down',
  'unreachable',
  'recovered-late',
  'errors-up',
  'new-errors',
  'volume-down',
  'slower',
  'slow-connector',
  'volume-up',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** What a kind measures: an outage, a share of failing requests, a new error, a median of times, or how many came. */
export type FindingMeasure = 'outage' | 'failing' | 'family' | 'times' | 'volume';

/** Names of pictures. */
export type FindingIcon =
  | 'unplug'
  | 'no-bell'
  | 'late'
  | 'failure'
  | 'new'
  | 'fewer'
  | 'slow'
  | 'connector'
  | 'more';

/** What is the same of all findings of a kind, wherever they are found, told or drawn. */
export interface FindingKindRow {
  /** In English, for the command line and the guide. */
  readonly name: string;
  readonly measure: FindingMeasure;
  /** The times that are measured; null where none are. */
  readonly field: TimedField | null;
  /** Which of the requests at its place and in its time it counts. */
  readonly counted: 'all' | 'failed' | 'succeeded' | 'family';
  /** Whether sessions and clients of those were hit: of requests that didn't come, nobody is known. */
  readonly isHitting: boolean;
  /** What it is compared with: the same time before, everything before (an error that is new), or nothing. */
  readonly usual: 'before' | 'ever' | 'none';
  /** A share has to grow by this factor and by this much to be unusual. */
  readonly share: { readonly factor: number; readonly step: number } | null;
  /** What is told is at least, or for a drop at most, so many times what is usual: in minutes, in hours and days. */
  readonly ratio: { readonly minutes: number; readonly weeks: number } | null;
  /** Where the same requests have one of these as well, it is told with that one. */
  readonly joins: readonly FindingKind[];
  /** The kind that it may turn out to be, and by whose id it goes on. */
  readonly sameAs: FindingKind;
  /** What an alert watches for the same to happen again: a measure, what the service reports, or (null) nothing does. */
  readonly alert: AlertMeasure | 'status' | 'new-family' | 'silence' | null;
  readonly icon: FindingIcon;
  /** What fails is drawn in red. */
  readonly isFailure: boolean;
  readonly words: {
    readonly title: FindingKey;
    /** The title of more than a hundred times as much, or of none at all. */
    readonly far: FindingKey;
    readonly detail: FindingKey;
  };
}

const NOTHING_USUAL = { usual: 'none', share: null, ratio: null, joins: [] } as const;

/** The kinds of findings, in one place: what isn't said here, no part of the application decides by the kind. */
export const FINDING_KIND_ROWS = {
  down: {
    ...NOTHING_USUAL,
    name: 'reported down',
    measure: 'outage',
    field: null,
    counted: 'all',
    isHitting: true,
    sameAs: 'down',
    alert: 'status',
    icon: 'unplug',
    isFailure: true,
    words: {
      title: 'findings.title.down',
      far: 'findings.title.down',
      detail: 'findings.detail.down',
    },
  },
  unreachable: {
    ...NOTHING_USUAL,
    name: 'unreachable from here',
    measure: 'outage',
    field: null,
    counted: 'all',
    isHitting: false,
    sameAs: 'unreachable',
    alert: null,
    icon: 'no-bell',
    isFailure: true,
    words: {
      title: 'findings.title.unreachable',
      far: 'findings.title.unreachable',
      detail: 'findings.detail.unreachable',
    },
  },
  'recovered-late': {
    name: 'recovered late',
    measure: 'failing',
    field: null,
    counted: 'failed',
    isHitting: true,
    usual: 'before',
    share: { factor: 3, step: 0.1 },
    ratio: null,
    joins: [],
    sameAs: 'recovered-late',
    alert: 'error-share',
    icon: 'late',
    isFailure: true,
    words: {
      title: 'findings.title.recoveredLate',
      far: 'findings.title.recoveredLate',
      detail: 'findings.detail.errors',
    },
  },
  'errors-up': {
    name: 'more errors',
    measure: 'failing',
    field: null,
    counted: 'failed',
    isHitting: true,
    usual: 'before',
    share: { factor: 3, step: 0.1 },
    ratio: null,
    joins: [],
    sameAs: 'errors-up',
    alert: 'error-share',
    icon: 'failure',
    isFailure: true,
    words: {
      title: 'findings.title.errorsUp',
      far: 'findings.title.errorsUpFar',
      detail: 'findings.detail.errors',
    },
  },
  'new-errors': {
    name: 'new errors',
    measure: 'family',
    field: null,
    counted: 'family',
    isHitting: true,
    usual: 'ever',
    share: null,
    ratio: null,
    joins: ['errors-up'],
    sameAs: 'errors-up',
    alert: 'new-family',
    icon: 'new',
    isFailure: true,
    words: {
      title: 'findings.title.newErrors',
      far: 'findings.title.newErrors',
      detail: 'findings.detail.newErrors',
    },
  },
  'volume-down': {
    name: 'fewer requests',
    measure: 'volume',
    field: null,
    counted: 'all',
    isHitting: false,
    usual: 'before',
    share: null,
    ratio: { minutes: 0.5, weeks: 0.72 },
    joins: ['errors-up'],
    sameAs: 'volume-down',
    alert: 'silence',
    icon: 'fewer',
    isFailure: false,
    words: {
      title: 'findings.title.fewer',
      far: 'findings.title.nothing',
      detail: 'findings.detail.volume',
    },
  },
  slower: {
    name: 'slower',
    measure: 'times',
    field: 'responseTimeMs',
    counted: 'succeeded',
    isHitting: true,
    usual: 'before',
    share: { factor: 3, step: 0.25 },
    ratio: { minutes: 1.4, weeks: 1.15 },
    joins: ['errors-up', 'volume-down'],
    sameAs: 'slower',
    alert: 'median',
    icon: 'slow',
    isFailure: false,
    words: {
      title: 'findings.title.slower',
      far: 'findings.title.slowerFar',
      detail: 'findings.detail.slower',
    },
  },
  'slow-connector': {
    name: 'slow to the connector',
    measure: 'times',
    field: 'botLatencyMs',
    counted: 'succeeded',
    isHitting: true,
    usual: 'before',
    share: { factor: 3, step: 0.25 },
    ratio: { minutes: 1.4, weeks: 1.15 },
    // Where responses are slow as well, it is no matter of the way to the connector alone.
    joins: ['errors-up', 'volume-down', 'slower'],
    sameAs: 'slow-connector',
    alert: 'bot-median',
    icon: 'connector',
    isFailure: false,
    words: {
      title: 'findings.title.slowConnector',
      far: 'findings.title.slowConnectorFar',
      detail: 'findings.detail.slowConnector',
    },
  },
  'volume-up': {
    name: 'more requests',
    measure: 'volume',
    field: null,
    counted: 'all',
    isHitting: false,
    usual: 'before',
    share: null,
    ratio: { minutes: 2, weeks: 1.45 },
    joins: ['errors-up', 'volume-down', 'slower', 'slow-connector'],
    sameAs: 'volume-up',
    alert: 'volume',
    icon: 'more',
    isFailure: false,
    words: {
      title: 'findings.title.more',
      far: 'findings.title.moreFar',
      detail: 'findings.detail.volume',
    },
  },
} as const satisfies Readonly<Record<FindingKind, FindingKindRow>>;

/** Returns what is the same of all findings of a kind. */
export function toKindRow(kind: FindingKind): FindingKindRow {
  return FINDING_KIND_ROWS[kind];
}
