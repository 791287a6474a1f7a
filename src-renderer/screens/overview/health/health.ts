import { useThrottleFn } from '@vueuse/core';
import { computed, onScopeDispose, type Ref, shallowReactive, shallowRef, watch } from 'vue';
import { useI18n } from 'vue-i18n';
import type { RecentTraffic } from '../../../../src-main/common/contract/operations/overview.ts';
import type { StatusFigures, StatusTick } from '../../../../src-main/common/model/connections/status.ts';
import { DAY_MS, MINUTE_MS } from '../../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { oneAtATime, useBackend } from '../../../backend/backend.ts';
import {
  formatClock,
  formatClockSeconds,
  formatDuration,
  formatPercent,
  formatRecentClock,
} from '../../../format/formats.ts';
import { type ErrorLike, toErrorLike } from '../../../messages/error-like.ts';
import { useOverviewStore } from '../../../stores/analysis/summaries.ts';
import { useConnectionsStore } from '../../../stores/connections/connections.ts';
import { useStatusStore } from '../../../stores/connections/status.ts';
import { useClockStore } from '../../../stores/window/times.ts';

/** One of the calls that the screen is filled by. */
interface Source {
  /** Why its last call failed; null where it did not. */
  readonly error: ErrorLike | null;
  /** From when that is what it last brought; null where it never brought anything. */
  readonly atMs: number | null;
}

/** True where something could not be refreshed. */
export interface StaleScreen {
  /** Why. */
  readonly error: ErrorLike;
  /** True where nothing could be refreshed. */
  readonly isAll: boolean;
  /** The time of the oldest part that is shown; null where none is shown. */
  readonly atMs: number | null;
}

/** What of the Overview could not be refreshed, although the application was asked: its calls themselves failed. */
export function useStaleParts(
  parts: {
    readonly measured: Pick<ReturnType<typeof useStatusFigures>, 'error' | 'readAtMs'>;
    readonly findings: { readonly error: ErrorLike | null; readonly readAtMs: number | null };
  },
  view: { readonly zone: Readonly<Ref<string>>; readonly nowMs: Readonly<Ref<number>> },
) {
  const { t } = useI18n();
  const status = useStatusStore();
  const overview = useOverviewStore();

  const sources = computed(() => ({
    check: { error: status.error, atMs: status.latest?.checkedAtMs ?? null },
    history: { error: status.historyError, atMs: status.historyAtMs },
    measured: { error: parts.measured.error.value, atMs: parts.measured.readAtMs.value },
    volume: { error: overview.error, atMs: overview.readAtMs },
    findings: { error: parts.findings.error, atMs: parts.findings.readAtMs },
  }));

  /** The oldest of what failed sources brought. */
  function findOldest(failed: readonly Source[]): number | null {
    const times = failed.flatMap(({ atMs }) => atMs ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }
  function describe(...parts: readonly Source[]): string | undefined {
    const failed = parts.filter(({ error }) => error !== null);
    if (failed.length === 0) return undefined;
    const atMs = findOldest(failed);
    if (atMs === null) return t('overview.stale.never');
    return t('overview.stale.card', { time: formatRecentClock(atMs, view.nowMs.value, view.zone.value) });
  }

  /** For the cards: from when each is; undefined where it is current. */
  const notes = computed(() => {
    const { check, history, measured: figures, volume, findings: found } = sources.value;
    return {
      status: describe(check, history, figures),
      sessions: describe(check),
      volume: describe(volume),
      findings: describe(found),
    };
  });
  /** For the screen as a whole; null where all of it is current. */
  const screen = computed<StaleScreen | null>(() => {
    const all = Object.values(sources.value);
    const failed = all.filter(({ error }) => error !== null);
    const error = failed[0]?.error ?? null;
    if (error === null) return null;
    return { error, isAll: failed.length === all.length, atMs: findOldest(failed) };
  });
  return { notes, screen };
}

/** The status of the active connection as the Overview shows it. */
export function useStatusView() {
  const { t } = useI18n();
  const clock = useClockStore();
  const status = useStatusStore();

  const zone = computed(() => clock.zone);
  /** Code of why the newest check failed; null when it did not. */
  const failure = computed(() => status.latest?.failure ?? null);
  /** The newest sample with a response of the service. */
  const lastReported = computed(() =>
    status.latest?.failure === null ? status.latest : (status.history?.lastAnswered ?? null),
  );
  /** What the service said last is what it says now. */
  const isCurrent = computed(() => failure.value === null && status.error === null);
  /** How old the data is, for the toolbar. */
  const ageNote = computed(() => {
    if (lastReported.value === null) return t('overview.neverRefreshed');
    const { checkedAtMs } = lastReported.value;
    return isCurrent.value
      ? t('overview.refreshedAt', { time: formatClockSeconds(checkedAtMs, zone.value) })
      : t('overview.dataFrom', { time: formatClock(checkedAtMs, zone.value) });
  });

  return { zone, failure, isCurrent, lastReported, ageNote };
}

/** The spans that are measured, in the order in which they are shown. */
const MEASURED_SPANS = [
  { name: 'day', spanMs: DAY_MS },
  { name: 'week', spanMs: 7 * DAY_MS },
  { name: 'month', spanMs: 30 * DAY_MS },
] as const;

/** What was watched for less than this share of a span says nothing of the span. */
const LEAST_WATCHED = 0.5;

export interface MeasuredSpan {
  readonly name: (typeof MEASURED_SPANS)[number]['name'];
  /** Null as long as too little was seen. */
  readonly text: string | null;
  readonly seenMs: number;
}

/** Uptime of a part by span. */
export function toUptimeSpans(
  figures: readonly StatusFigures[],
  part: 'connector' | 'platform',
): MeasuredSpan[] {
  return MEASURED_SPANS.map(({ name, spanMs }) => {
    const uptime = figures.find((each) => each.spanMs === spanMs)?.[part] ?? null;
    const isLearned = uptime !== null && uptime.seenMs >= spanMs * LEAST_WATCHED;
    return { name, text: isLearned ? formatPercent(uptime.share) : null, seenMs: uptime?.seenMs ?? 0 };
  });
}

/** Medians of the internal response time by span. */
export function toResponseSpans(figures: readonly StatusFigures[]): MeasuredSpan[] {
  return MEASURED_SPANS.map(({ name, spanMs }) => {
    const { medianResponseTimeMs = null, responseSeenMs = 0 } =
      figures.find((each) => each.spanMs === spanMs) ?? {};
    const isLearned = medianResponseTimeMs !== null && responseSeenMs >= spanMs * LEAST_WATCHED;
    return { name, text: isLearned ? formatDuration(medianResponseTimeMs) : null, seenMs: responseSeenMs };
  });
}

/** How long something was seen for: from a minute on, its seconds say nothing. */
export function toWholeMinutes(seenMs: number): number {
  return seenMs < MINUTE_MS ? seenMs : Math.floor(seenMs / MINUTE_MS) * MINUTE_MS;
}

interface SparkSegment {
  readonly line: string;
  readonly area: string;
}

/**
 * Paths of a sparkline in a box of `width` by `height`; null values leave a gap. The scale starts at zero,
 * so that a small change never looks like a large one.
 */
export function toSparkSegments(
  values: readonly (number | null)[],
  width: number,
  height: number,
): SparkSegment[] {
  const top = Math.max(1, ...values.map((value) => value ?? 0)) * 1.08;
  const stepX = values.length > 1 ? width / (values.length - 1) : 0;
  const segments: SparkSegment[] = [];
  let points: { x: number; y: number }[] = [];
  const closeSegment = (): void => {
    const [first, last] = [points[0], points.at(-1)];
    if (first !== undefined && last !== undefined) {
      // A single value has no line to be drawn, so it becomes a short dash.
      const drawn = points.length > 1 ? points : [first, { x: first.x + stepX / 2, y: first.y }];
      const line = drawn.map((point, index) => `${index === 0 ? 'M' : 'L'}${format(point)}`).join('');
      const end = drawn.at(-1) ?? last;
      segments.push({
        line,
        area: `${line}L${format({ x: end.x, y: height })}L${format({ x: first.x, y: height })}Z`,
      });
    }
    points = [];
  };
  values.forEach((value, index) => {
    if (value === null) closeSegment();
    else points.push({ x: index * stepX, y: height - (value / top) * height });
  });
  closeSegment();
  return segments;
}

function format(point: { x: number; y: number }): string {
  return `${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
}

/** Why parts of the status cards were never there; null for those that are there, or on their way. */
export interface StatusFaults {
  /** The last 24 hours. */
  readonly picture: ErrorLike | null;
  /** What was measured of the day, week and month. */
  readonly figures: ErrorLike | null;
  /** What the cached traffic says. */
  readonly traffic: ErrorLike | null;
}

export type StripField = 'platform' | 'connector';
export type TickState = StatusTick[StripField];

/** Height of a tick in percent: the second cue beside its colour. */
const TICK_HEIGHTS: Readonly<Record<TickState, number>> = {
  up: 100,
  partly: 66,
  down: 42,
  unknown: 26,
  unreachable: 26,
  'not-checked': 20,
};

export interface StripTick extends TimeSpan {
  readonly state: TickState;
  readonly heightPercent: number;
}

/** The ticks of one card, oldest first. */
export function toStripTicks(ticks: readonly StatusTick[], field: StripField): StripTick[] {
  return ticks.map((tick) => ({
    fromMs: tick.fromMs,
    toMs: tick.toMs,
    state: tick[field],
    heightPercent: TICK_HEIGHTS[tick[field]],
  }));
}

/** Counts of ticks by state, for the sentence that describes the strip. */
export function countTickStates(ticks: readonly StripTick[]): Readonly<Record<TickState, number>> {
  const counts = { up: 0, partly: 0, down: 0, unknown: 0, unreachable: 0, 'not-checked': 0 };
  for (const tick of ticks) counts[tick.state] += 1;
  return counts;
}

/** A sample changes little of a month. */
const FIGURES_INTERVAL_MS = 30_000;
const TRAFFIC_INTERVAL_MS = 4_000;

type Traffic = Readonly<Record<'inbound' | 'outbound', RecentTraffic | null>>;

/** What was measured of the active connection's status, and what its cached traffic says; null while loading. */
export function useStatusFigures() {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const figures = shallowRef<readonly StatusFigures[] | null>(null);
  const traffic = shallowRef<Traffic | null>(null);
  /** Why each of them could not be refreshed; null where it could. */
  const errors = shallowReactive<Record<'figures' | 'traffic', ErrorLike | null>>({
    figures: null,
    traffic: null,
  });
  const error = computed(() => errors.figures ?? errors.traffic);
  /** When both were last known to be current; null before they were. */
  const readAtMs = shallowRef<number | null>(null);
  let isOpen = true;

  // What can't be read is left as it was: nothing is claimed instead.
  const read = async <Value>(
    part: 'figures' | 'traffic',
    call: (connectionId: string) => Promise<Value>,
    take: (value: Value) => void,
  ) => {
    const connectionId = connections.active?.id;
    if (connectionId === undefined || !isOpen) return;
    try {
      const value = await call(connectionId);
      if (connections.active?.id !== connectionId) return;
      take(value);
      errors[part] = null;
      if (error.value === null) readAtMs.value = Date.now();
    } catch (thrown) {
      if (connections.active?.id === connectionId) errors[part] = toErrorLike(thrown);
    }
  };
  const readFigures = (): Promise<void> =>
    read(
      'figures',
      (connectionId) =>
        backend.call('status/read-figures', {
          connectionId,
          spansMs: MEASURED_SPANS.map(({ spanMs }) => spanMs),
        }),
      (value) => (figures.value = value),
    );
  const readTraffic = oneAtATime(() =>
    read(
      'traffic',
      (connectionId) => backend.call('overview/read-recent-traffic', { connectionId }),
      (value) => (traffic.value = value),
    ),
  );
  const readFiguresSoon = useThrottleFn(readFigures, FIGURES_INTERVAL_MS, true);
  const readTrafficSoon = useThrottleFn(readTraffic, TRAFFIC_INTERVAL_MS, true);

  async function reload(): Promise<void> {
    await Promise.all([readFigures(), readTraffic()]);
  }

  watch(
    () => connections.active?.id,
    () => {
      figures.value = null;
      traffic.value = null;
      errors.figures = null;
      errors.traffic = null;
      readAtMs.value = null;
      void reload();
    },
    { immediate: true },
  );
  const stops = [
    backend.on('status/checked', (sample) => {
      if (sample.connectionId !== connections.active?.id) return;
      void readFiguresSoon();
      void readTrafficSoon();
    }),
    backend.on('snapshots/changed', (snapshot) => {
      if (snapshot.connectionId === connections.active?.id) void readTrafficSoon();
    }),
    backend.on('snapshots/removed', () => void readTrafficSoon()),
  ];
  onScopeDispose(() => {
    isOpen = false;
    for (const stop of stops) stop();
  });

  return { figures, traffic, errors, error, readAtMs, reload };
}
