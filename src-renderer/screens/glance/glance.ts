import { useEventListener, useFullscreen, useThrottleFn } from '@vueuse/core';
import { computed, onMounted, onScopeDispose, type Ref, ref, shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import type { ConnectionGlance } from '../../../src-main/common/contract/operations/overview.ts';
import type { FindingsReport } from '../../../src-main/common/model/analysis/finding.ts';
import type { Connection } from '../../../src-main/common/model/connections/connection.ts';
import type { HealthState } from '../../../src-main/common/model/connections/status.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src-main/common/time/durations.ts';
import { oneAtATime, useBackend } from '../../backend/backend.ts';
import { toStepPath } from '../../charts/chart-marks.ts';
import { useScreenClock } from '../../composables/surroundings.ts';
import { type ErrorLike, toErrorLike } from '../../messages/error-like.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useAppStore } from '../../stores/window/app.ts';

/** An hour that ended by then still is the last one. */
const LAST_HOUR_MS = 10 * MINUTE_MS;
/** Time between two checks that may go unseen, and for which a check speaks where none is due sooner. */
const MAX_UNSEEN_MS = 120_000;
/** How late a check may be. */
const LATE_CHECK_MS = MINUTE_MS;
/** Shares of fewer requests say little. */
const MIN_REQUESTS = 20;
/** A share of failures stands out from here on, and when it is so many times what is usual. */
const HIGH_SHARE = 0.05;
const HIGH_FACTOR = 2;

export type Part = 'platform' | 'connector';

/** A connection with everything that is known of it at a glance. */
export interface GlanceEntry {
  readonly connection: Connection;
  /** Null while it is read. */
  readonly glance: ConnectionGlance | null;
  /** Null while it is read, and where it could not be. */
  readonly report: FindingsReport | null;
  readonly isReadingReport: boolean;
  /** Between two checks; 0 where nothing is checked by itself. */
  readonly refreshSeconds: number;
}

/** The state of a part, as far as it can be said now. */
interface PartHealth {
  readonly state: HealthState;
  /** Since when, where it was seen all the time. */
  readonly sinceMs: number | null;
  /** What the service said last, where the present state is not its word. */
  readonly lastSaid: { readonly state: HealthState; readonly atMs: number } | null;
}

/** Returns when a connection was last checked; a check that sent nothing is none. Null where there was no check. */
export function findCheckedAtMs({ latest, lastAnswered }: ConnectionGlance): number | null {
  const checked = latest?.platform === 'not-checked' ? lastAnswered : latest;
  return checked?.checkedAtMs ?? null;
}

/** Returns whether the last check of a connection still speaks for the present: the next one isn't overdue. */
function isChecked({ latest }: ConnectionGlance, nowMs: number, refreshSeconds: number): boolean {
  const maxAgeMs = Math.max(MAX_UNSEEN_MS, refreshSeconds * 1_000 + LATE_CHECK_MS);
  return latest !== null && nowMs - latest.checkedAtMs <= maxAgeMs;
}

/** Returns the state of a part. What was last known is never called the present state (decision 28). */
export function toPartHealth(
  glance: ConnectionGlance,
  part: Part,
  nowMs: number,
  refreshSeconds: number,
): PartHealth {
  const { latest, lastAnswered } = glance;
  const lastSaid =
    lastAnswered === null ? null : { state: lastAnswered[part], atMs: lastAnswered.checkedAtMs };
  if (latest === null || !isChecked(glance, nowMs, refreshSeconds)) {
    return { state: 'not-checked', sinceMs: null, lastSaid };
  }
  if (latest.failure !== null) {
    const failed = latest[part];
    const isKnown = failed === 'unreachable' || failed === 'not-checked';
    return { state: isKnown ? failed : 'unknown', sinceMs: null, lastSaid };
  }
  const span = part === 'platform' ? glance.platformState : glance.connectorState;
  const isSeen = span !== null && nowMs - span.sinceMs - span.seenMs <= MAX_UNSEEN_MS;
  return { state: latest[part], sinceMs: isSeen ? span.sinceMs : null, lastSaid: null };
}

/** Returns whether the hour of a glance is the last one. */
export function isLastHour(glance: ConnectionGlance, nowMs: number): boolean {
  return glance.hour !== null && nowMs - glance.hour.toMs < LAST_HOUR_MS;
}

/** Returns the failed share of an hour; null where it has too few requests to say one. */
export function toFailedShare(hour: ConnectionGlance['hour']): number | null {
  return hour === null || hour.count < MIN_REQUESTS ? null : hour.failures / hour.count;
}

/** Returns whether a failed share stands out against what is usual. */
export function isHighShare(share: number | null, usual: ConnectionGlance['usual']): boolean {
  if (share === null || share < HIGH_SHARE) return false;
  const usualShare = usual?.failureShare ?? null;
  return usualShare === null || share >= HIGH_FACTOR * usualShare;
}

/** The worst that is known of a connection. */
type Trouble = 'down' | 'unreachable' | 'finding' | 'not-checked' | 'unsure' | 'none';

/** The worst first: the order in which a team wants to see them. */
const TROUBLES: readonly Trouble[] = ['down', 'unreachable', 'finding', 'not-checked', 'unsure', 'none'];

/** Returns the worst that is known of a connection; `none` only where nothing is known to stand out. */
export function toTrouble({ glance, report, refreshSeconds }: GlanceEntry, nowMs: number): Trouble {
  if (glance === null) return 'unsure';
  const states = (['platform', 'connector'] as const).map(
    (part) => toPartHealth(glance, part, nowMs, refreshSeconds).state,
  );
  if (states.includes('down')) return 'down';
  if (states.includes('unreachable') || states.includes('unknown')) return 'unreachable';
  if ((report?.findings.length ?? 0) > 0) return 'finding';
  if (states.includes('not-checked')) return 'not-checked';
  return report === null || report.gaps.length > 0 ? 'unsure' : 'none';
}

/** Returns the entries with trouble first, otherwise in their own order. */
export function sortByTrouble(entries: readonly GlanceEntry[], nowMs: number): GlanceEntry[] {
  const rank = (entry: GlanceEntry): number => TROUBLES.indexOf(toTrouble(entry, nowMs));
  return entries.toSorted((a, b) => rank(a) - rank(b));
}

const BAR_STEP = 10;
export const PLOT_HEIGHT = 100;
/** The scale of failed shares is the same for every connection that it suffices for. */
const FULL_SHARES = [0.3, 0.5, 1];
/** Shares of fewer requests are not drawn. */
const MIN_JUDGED_REQUESTS = 10;

/** Parts of the drawing of 24 hours, in its own units. */
interface TrafficShapes {
  readonly bars: readonly { readonly x: number; readonly y: number; readonly height: number }[];
  /** Where nothing is cached, or only a part. */
  readonly gaps: readonly { readonly x: number; readonly width: number }[];
  /** Steps of the failed share, as a path; a new one begins after each gap. */
  readonly steps: string;
  /** The failed share at the top of the drawing. */
  readonly fullShare: number;
  readonly width: number;
  readonly peakCount: number;
  /** The highest of the half hours and of the newest hour; null where no half hour has enough requests. */
  readonly peakShare: number | null;
}

/** Returns how the half hours of a connection are drawn, whose newest hour is shown beside them. */
export function toShapes({ buckets, hour }: Pick<ConnectionGlance, 'buckets' | 'hour'>): TrafficShapes {
  const peakCount = Math.max(0, ...buckets.map(({ isCached, count }) => (isCached ? count : 0)));
  const shares = buckets.map(({ isCached, count, failures }) =>
    isCached && count >= MIN_JUDGED_REQUESTS ? failures / count : null,
  );
  const bars = buckets.flatMap(({ isCached, count }, place) => {
    const height = peakCount === 0 ? 0 : (count / peakCount) * PLOT_HEIGHT;
    return isCached && count > 0 ? [{ x: place * BAR_STEP + 1, y: PLOT_HEIGHT - height, height }] : [];
  });
  const gaps: { x: number; width: number }[] = [];
  for (const [place, { isCached, fromMs, toMs }] of buckets.entries()) {
    // The last one isn't over yet.
    const isWhole = toMs - fromMs >= HOUR_MS / 2 || place === buckets.length - 1;
    if (isCached && isWhole) continue;
    const x = place * BAR_STEP;
    const last = gaps.at(-1);
    if (last !== undefined && last.x + last.width === x) last.width += BAR_STEP;
    else gaps.push({ x, width: BAR_STEP });
  }
  const known = shares.filter((share) => share !== null);
  const fullShare = FULL_SHARES.find((full) => known.every((share) => share <= full)) ?? 1;
  const steps = toStepPath(
    shares.map((share, place) => ({
      left: place * BAR_STEP,
      right: (place + 1) * BAR_STEP,
      y: share === null ? null : PLOT_HEIGHT * (1 - share / fullShare),
    })),
  );
  return {
    bars,
    gaps,
    steps,
    fullShare,
    width: buckets.length * BAR_STEP,
    peakCount,
    peakShare: known.length === 0 ? null : Math.max(...known, toFailedShare(hour) ?? 0),
  };
}

/** Counting a day of every connection takes a while. */
const RELOAD_INTERVAL_MS = 10_000;
/** Time moves on also where nothing changes. */
const RENEW_MS = 60_000;

/** Every connection at a glance, kept up to date. */
export function useGlance() {
  const backend = useBackend();
  const app = useAppStore();
  const connections = useConnectionsStore();
  const nowMs = useScreenClock();
  const glances = shallowRef<ReadonlyMap<string, ConnectionGlance>>(new Map());
  /** Null for what could not be read. */
  const reports = shallowRef<ReadonlyMap<string, FindingsReport | null>>(new Map());
  const error = shallowRef<ErrorLike | null>(null);
  let isOver = false;

  async function read(): Promise<void> {
    try {
      const found = await backend.call('glance/read', null);
      glances.value = new Map(found.map((glance) => [glance.connectionId, glance]));
    } catch (thrown) {
      error.value = toErrorLike(thrown);
      return;
    }
    let failure: ErrorLike | null = null;
    for (const connectionId of glances.value.keys()) {
      if (isOver) return;
      failure = (await readFindings(connectionId)) ?? failure;
    }
    error.value = failure;
  }

  /** Resolves to why findings could not be read, or null; those that were read before don't count then. */
  async function readFindings(connectionId: string): Promise<ErrorLike | null> {
    const next = new Map(reports.value);
    try {
      next.set(connectionId, await backend.call('findings/list', { connectionId }));
      return null;
    } catch (thrown) {
      next.set(connectionId, null);
      return toErrorLike(thrown);
    } finally {
      reports.value = next;
    }
  }

  const readOnce = oneAtATime(read);
  async function reload(): Promise<void> {
    if (!isOver) await readOnce();
  }
  const reloadSoon = useThrottleFn(reload, RELOAD_INTERVAL_MS, true);
  const stops = [
    backend.on('snapshots/changed', () => void reloadSoon()),
    backend.on('snapshots/removed', () => void reloadSoon()),
    backend.on('status/checked', () => void reloadSoon()),
    backend.on('connections/changed', () => void reloadSoon()),
  ];
  const timer = setInterval(() => void reloadSoon(), RENEW_MS);
  onMounted(() => void reload());
  onScopeDispose(() => {
    isOver = true;
    clearInterval(timer);
    for (const stop of stops) stop();
  });

  const entries = computed<readonly GlanceEntry[]>(() =>
    connections.list.map((connection) => ({
      connection,
      glance: glances.value.get(connection.id) ?? null,
      report: reports.value.get(connection.id) ?? null,
      isReadingReport: !reports.value.has(connection.id),
      refreshSeconds: app.settings?.refreshSeconds ?? 0,
    })),
  );
  const sorted = computed(() => sortByTrouble(entries.value, nowMs.value));
  /** How many connections have each trouble. */
  const counts = computed(() => {
    const troubles = entries.value.map((entry) => toTrouble(entry, nowMs.value));
    const count = (wanted: (typeof troubles)[number]): number =>
      troubles.filter((trouble) => trouble === wanted).length;
    return { down: count('down'), unreachable: count('unreachable'), findings: count('finding') };
  });

  return { entries, sorted, counts, error, nowMs };
}

/** How many connections need somebody, in a few words. */
export function useGlanceNote(
  counts: Readonly<Ref<{ readonly down: number; readonly unreachable: number; readonly findings: number }>>,
): Readonly<Ref<string>> {
  const { t } = useI18n();
  return computed(() => {
    const { down, unreachable, findings } = counts.value;
    const parts = [
      down > 0 ? t('glance.counts.down', { count: down }, down) : '',
      unreachable > 0 ? t('glance.counts.unreachable', { count: unreachable }, unreachable) : '',
      findings > 0 ? t('glance.counts.findings', { count: findings }, findings) : '',
    ].filter((part) => part !== '');
    return parts.join(', ');
  });
}

/** Fills the screen, and keeps it from going dark, as long as the part is shown. Both are asked for, neither is needed. */
export function useFullScreen() {
  const { isSupported, isFullscreen, enter, exit } = useFullscreen(document.documentElement);
  let lock: WakeLockSentinel | null = null;
  const isGone = ref(false);

  async function stayAwake(): Promise<void> {
    try {
      lock = await navigator.wakeLock.request('screen');
      if (isGone.value) await lock.release();
    } catch {
      // The system decides: a screen that may not be kept on goes dark as usual.
    }
  }
  onMounted(() => void stayAwake());
  // A page that is hidden loses it for good.
  useEventListener(document, 'visibilitychange', () => {
    if (document.visibilityState === 'visible') void stayAwake();
  });
  onScopeDispose(() => {
    isGone.value = true;
    void lock?.release().catch(() => undefined);
    if (isFullscreen.value) void exit().catch(() => undefined);
  });

  return {
    isPossible: isSupported.value,
    isOn: isFullscreen,
    begin: () => void enter().catch(() => undefined),
  };
}
