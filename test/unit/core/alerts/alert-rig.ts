import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import type { AlertCondition, AlertDraft } from '../../../../src-main/common/model/alerts/alert-rule.ts';
import type { AlertNote } from '../../../../src-main/common/model/alerts/alert-state.ts';
import type { FindingsReport } from '../../../../src-main/common/model/analysis/finding.ts';
import type { IncidentNote } from '../../../../src-main/common/model/analysis/incident.ts';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import type { ConnectionPlans } from '../../../../src-main/common/model/connections/planned.ts';
import type { HealthState } from '../../../../src-main/common/model/connections/status.ts';
import type { Following } from '../../../../src-main/common/contract/operations/cache.ts';
import type { Settings } from '../../../../src-main/common/model/settings/settings.ts';
import { MINUTE_MS } from '../../../../src-main/common/time/durations.ts';
import {
  type AlertBook,
  type AlertMemory,
  createAlertFile,
  createAlertMemory,
  openAlertBook,
} from '../../../../src-main/core/alerts/alert-book.ts';
import {
  createAlerts,
  type AlertParts,
  type Alerts,
} from '../../../../src-main/core/alerts/create-alerts.ts';
import type { AlertSource } from '../../../../src-main/core/alerts/check-rule.ts';
import { createEvents, type ShownNote } from '../../../../src-main/core/host.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';
import { ENGLISH } from '../../../../src-main/common/words/words.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import type { CoverageSubject } from '../../../../src-main/core/coverage/read-holdings.ts';
import { holdSnapshots, openLedger } from '../../../support/fakes/open-ledger.ts';

/** What happened in a minute. */
export interface TrafficMinute {
  readonly count: number;
  readonly failures?: number;
  readonly slower?: number;
  readonly newFamilies?: number;
}

/** A cache of which the test says what is in it; times in minutes since `START_MS`. */
export interface SimulatedCache {
  /** Cached spans; the end is not included. */
  readonly spans: { from: number; to: number }[];
  readonly minutes: (minute: number) => TrafficMinute;
  readonly checks: (minute: number) => HealthState;
  /** The traffic of each service, for rules that watch every one by itself. */
  readonly services?: Readonly<Record<number, (minute: number) => TrafficMinute>>;
  /** What stands out at the end of a minute. */
  readonly findings?: (
    minute: number,
  ) => Pick<FindingsReport, 'findings' | 'resolved'> & Partial<FindingsReport>;
}

export const START_MS = Date.UTC(2026, 9, 1);
const EVERYWHERE: { direction: 'inbound'; filter: RecordFilter } = {
  direction: 'inbound',
  filter: { conditions: [] },
};

export const errorShare = (change: object = {}): AlertCondition => ({
  kind: 'measure',
  measure: 'error-share',
  ...EVERYWHERE,
  comparison: 'above',
  threshold: 0.05,
  minutes: 10,
  minRequests: 20,
  ...change,
});
export const silence = (minutes: number): AlertCondition => ({ kind: 'silence', ...EVERYWHERE, minutes });
export const newFamily = (minutes: number): AlertCondition => ({
  kind: 'new-family',
  ...EVERYWHERE,
  minutes,
});
export const draftOf = (name: string, condition: AlertCondition): AlertDraft => ({
  connectionId: 'one',
  name,
  isActive: true,
  condition,
});

function toSnapshot(id: number, from: number, to: number): Snapshot {
  return {
    id,
    connectionId: 'one',
    report: 'inbound-detail',
    state: 'complete',
    stillOpen: false,
    // Long after: no late records are expected.
    startedAtMs: START_MS + (to + 24 * 60) * MINUTE_MS,
    period: {
      startDate: '',
      endDate: '',
      fromMs: START_MS + from * MINUTE_MS,
      toMs: START_MS + to * MINUTE_MS - 1000,
      zone: 'UTC',
    },
  } as unknown as Snapshot;
}

function createSource(cache: SimulatedCache, now: () => number): AlertSource & { counted: number } {
  const walk = (
    fromMs: number,
    toMs: number,
    minutes = cache.minutes,
  ): { minute: number; place: number; traffic: TrafficMinute }[] => {
    const first = (fromMs - START_MS) / MINUTE_MS;
    return Array.from({ length: (toMs - fromMs) / MINUTE_MS }, (_, place) => ({
      place,
      minute: first + place,
      traffic: minutes(first + place),
    })).filter(({ minute }) => cache.spans.some(({ from, to }) => minute >= from && minute < to));
  };
  const toLedger = () =>
    openLedger(holdSnapshots(cache.spans.map(({ from, to }, place) => toSnapshot(place + 1, from, to))));
  const source = {
    counted: 0,
    cache: {
      readHealth: ({ fromMs, untilMs }: { fromMs: number; untilMs: number }) => {
        const first = Math.max(0, Math.ceil((fromMs - START_MS) / MINUTE_MS));
        const last = Math.floor((untilMs - START_MS) / MINUTE_MS);
        return Promise.resolve(
          Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => {
            const state = cache.checks(first + place);
            return {
              checkedAtMs: START_MS + (first + place) * MINUTE_MS,
              platform: state,
              connector: state,
              internalResponseTimeMs: null,
              failure: null,
            };
          }).filter(({ platform }) => platform !== 'not-checked'),
        );
      },
    },
    ledger: {
      read: (subject: CoverageSubject, span: TimeSpan) => toLedger().read(subject, span),
      readExtent: (subject: CoverageSubject) => toLedger().readExtent(subject),
    },
    readFindings: () => {
      const minute = (now() - START_MS) / MINUTE_MS;
      const report = cache.findings?.(minute) ?? { findings: [], resolved: [] };
      return Promise.resolve({ untilMs: now(), gaps: [], ...report });
    },
    engine: {
      countMinutes: ({
        fromMs,
        toMs,
        limits,
        each,
      }: {
        fromMs: number;
        toMs: number;
        limits: readonly number[];
        each?: { values: readonly unknown[] } | undefined;
      }) => {
        source.counted += 1;
        const parts = each?.values.map((value) => cache.services?.[Number(value)]) ?? [cache.minutes];
        return Promise.resolve(
          parts.map((minutes) => {
            const found = walk(fromMs, toMs, minutes).filter(({ traffic }) => traffic.count > 0);
            return {
              places: found.map(({ place }) => place),
              counts: found.map(({ traffic }) => traffic.count),
              failures: found.map(({ traffic }) => traffic.failures ?? 0),
              timed: found.map(({ traffic }) => traffic.count),
              slower: limits.map(() => found.map(({ traffic }) => traffic.slower ?? 0)),
            };
          }),
        );
      },
      countHitMinutes: ({ fromMs, toMs, minutes }: { fromMs: number; toMs: number; minutes: number }) =>
        Promise.resolve([
          // Nobody fails twice here.
          walk(fromMs, toMs).flatMap(({ place, traffic }): [number, number][] => {
            const failures = traffic.failures ?? 0;
            return failures === 0
              ? []
              : [
                  [place, failures],
                  [place + minutes, -failures],
                ];
          }),
        ]),
      listMinuteValues: ({ fromMs, toMs }: { fromMs: number; toMs: number }) =>
        Promise.resolve(
          Object.entries(cache.services ?? {}).flatMap(([value, minutes]): [number, number][] => {
            const last = walk(fromMs, toMs, minutes).findLast(({ traffic }) => traffic.count > 0);
            return last === undefined ? [] : [[Number(value), START_MS + last.minute * MINUTE_MS]];
          }),
        ),
      findNewFamilies: ({ fromMs, toMs }: { fromMs: number; toMs: number }) =>
        Promise.resolve([
          walk(fromMs, toMs).flatMap(({ minute, traffic }) =>
            Array.from({ length: traffic.newFamilies ?? 0 }, () => START_MS + minute * MINUTE_MS),
          ),
        ]),
    },
  };
  return source;
}

export interface AlertRig {
  readonly alerts: Alerts;
  readonly book: AlertBook;
  /** Titles of the notifications so far. */
  readonly titles: string[];
  readonly bodies: string[];
  readonly badges: number[];
  readonly source: { counted: number };
  readonly events: ReturnType<typeof createEvents>;
  /** Clicks a notification. */
  open(place: number): void;
  /** Has the system say that it shows it not. */
  refuse(place: number): void;
  /** Sets the clock to the end of a minute, and looks. */
  at(minute: number): Promise<void>;
}

/** The alerts over a simulated cache, with a clock of the test's own and real files. */
export async function openRig(
  folder: string,
  cache: SimulatedCache,
  options: {
    readonly startMinute?: number;
    readonly shown?: ShownNote;
    readonly memory?: AlertMemory;
    readonly settings?: Pick<Settings, 'alertNotes' | 'alertBadge'>;
    readonly plans?: ConnectionPlans;
    readonly incidents?: IncidentNote[];
    readonly kind?: 'remote' | 'imported';
    /** How it is followed. */
    readonly following?: { connectionId: string; state: Following['state'] }[];
    readonly destinations?: AlertParts['destinations'];
  } = {},
): Promise<AlertRig> {
  let nowMs = START_MS + (options.startMinute ?? 0) * MINUTE_MS;
  const now = (): number => nowMs;
  const logger = createSilentLogger();
  const titles: string[] = [];
  const bodies: string[] = [];
  const opens: (() => void)[] = [];
  const refusals: ((reason: string) => void)[] = [];
  const badges: number[] = [];
  const source = createSource(cache, now);
  const events = createEvents();
  const connections = [
    {
      id: 'one',
      name: 'Local service',
      plans: options.plans,
      incidents: options.incidents,
      kind: options.kind ?? 'remote',
      serviceZone: 'UTC',
    },
  ];
  const book = await openAlertBook(
    createAlertFile(folder, now, logger),
    options.memory ?? createAlertMemory(folder, now, logger),
  );
  const alerts = createAlerts({
    book,
    source,
    connections: {
      get: () => connections[0] as never,
      list: () => Promise.resolve(connections as never),
      listNames: () => [],
      listSaved: () => connections as never,
    },
    following: { list: () => options.following ?? [] },
    host: {
      showNote: ({ title, body }, onOpen, onRefused) => {
        titles.push(title);
        bodies.push(body);
        opens.push(onOpen);
        refusals.push(onRefused);
        return options.shown ?? 'computer';
      },
      showBadge: (count) => void badges.push(count),
    },
    events,
    destinations: options.destinations ?? {
      isFor: () => false,
      note: () => Promise.resolve(),
      remind: () => Promise.resolve(),
    },
    settings: { get: () => options.settings ?? { alertNotes: true, alertBadge: true } },
    logger,
    readWords: () => ENGLISH,
    now,
  });
  return {
    alerts,
    book,
    titles,
    bodies,
    badges,
    source,
    events,
    open: (place) => opens[place]?.(),
    refuse: (place) => refusals[place]?.('switched off'),
    at: (minute) => {
      nowMs = START_MS + minute * MINUTE_MS;
      return alerts.check();
    },
  };
}

/** Collects the notifications that the page has to show. */
export function collectNotes(rig: AlertRig): AlertNote[] {
  const notes: AlertNote[] = [];
  rig.events.on('alerts/noted', (note) => void notes.push(note));
  return notes;
}
