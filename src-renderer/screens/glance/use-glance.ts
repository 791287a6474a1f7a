import { useThrottleFn, useEventListener, useFullscreen } from '@vueuse/core';
import { computed, onMounted, onScopeDispose, shallowRef, type Ref, ref } from 'vue';
import type { ConnectionGlance } from '../../../src-main/common/contract/operations/overview.ts';
import type { FindingsReport } from '../../../src-main/common/model/analysis/finding.ts';
import { useBackend, oneAtATime } from '../../backend/backend.ts';
import { useScreenClock } from '../../composables/surroundings.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';
import { useAppStore } from '../../stores/window/app.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { sortByTrouble, toTrouble, type GlanceEntry } from './glance-view.ts';
import { useI18n } from 'vue-i18n';

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
