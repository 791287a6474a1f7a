import { defineStore } from 'pinia';
import { computed, shallowRef, watch } from 'vue';
import type { StatusHistory, StatusSample } from '../../../src-main/common/model/connections/status.ts';
import { DAY_MS } from '../../../src-main/common/time/durations.ts';
import { useBackend, createListReader } from '../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';
import { useAppStore } from '../window/app.ts';
import { useConnectionsStore } from './connections.ts';
import type { Following } from '../../../src-main/common/contract/operations/cache.ts';

const HISTORY_SPAN_MS = DAY_MS;
/** 90 ticks of 16 minutes are exactly 24 hours. */
const HISTORY_TICKS = 90;
const REFUSALS = ['client.credentials-refused', 'client.report-refused', 'client.forbidden'];

/** True when the service responds, but refuses these credentials. */
export function isRefusal(code: string): boolean {
  return REFUSALS.includes(code);
}

/** True for a failure before anything was sent: the service was not asked. */
export function wasNotAsked(code: string): boolean {
  return /^(?:secrets|connections|local-service)\./.test(code);
}

type Reach = 'online' | 'offline' | 'refused' | 'not-checked' | 'not-asked';

/** The status of the active connection, which the core polls, with its last 24 hours. */
export const useStatusStore = defineStore('status', () => {
  const backend = useBackend();
  const app = useAppStore();
  const connections = useConnectionsStore();
  const latest = shallowRef<StatusSample | null>(null);
  const history = shallowRef<StatusHistory | null>(null);
  /** Connections that are being asked: one that hangs keeps back no other. */
  const refreshing = shallowRef<ReadonlySet<string>>(new Set());
  const isRefreshing = computed(() => refreshing.value.has(connections.active?.id ?? ''));
  /** Why the service could not be checked: the core itself failed. An unreachable service is a sample instead. */
  const error = shallowRef<ErrorLike | null>(null);
  /** Why the history could not be refreshed. */
  const historyError = shallowRef<ErrorLike | null>(null);
  /** When the history was read; null before it was. */
  const historyAtMs = shallowRef<number | null>(null);
  let historyTicket = 0;

  const reach = computed<Reach>(() => {
    if (latest.value === null) return 'not-checked';
    if (latest.value.failure === null) return error.value === null ? 'online' : 'not-checked';
    if (wasNotAsked(latest.value.failure)) return 'not-asked';
    return isRefusal(latest.value.failure) ? 'refused' : 'offline';
  });
  const isOffline = computed(() => reach.value === 'offline');
  const refreshSeconds = computed(() => app.settings?.refreshSeconds ?? 0);
  /** When the next poll is due; null without polling, and where credentials were refused: those aren't sent again. */
  const nextPollAtMs = computed(() =>
    refreshSeconds.value === 0 || latest.value === null || reach.value === 'refused'
      ? null
      : latest.value.checkedAtMs + refreshSeconds.value * 1000,
  );

  backend.on('status/checked', (sample) => {
    take(sample);
    if (sample.connectionId === connections.active?.id) error.value = null;
    if (sample.connectionId === connections.active?.id && !isRefreshing.value) void readHistory();
  });
  // Without its host nothing tells of a change: what was last known is not so now. It is read again once that is back.
  backend.watchHost?.((isThere) => {
    if (!isThere) error.value = { code: 'app.host-gone', details: {} };
  });
  watch(
    () => connections.active?.id,
    (connectionId) => {
      latest.value = null;
      history.value = null;
      historyAtMs.value = null;
      error.value = null;
      historyError.value = null;
      if (connectionId !== undefined) void begin(connectionId);
    },
    { immediate: true },
  );

  /** What is known already is there at once; the service is asked behind it, unless another connection is shown by then. */
  async function begin(connectionId: string): Promise<void> {
    await readHistory();
    if (connectionId === connections.active?.id) await refresh();
  }

  async function refresh(): Promise<void> {
    const connectionId = connections.active?.id;
    if (connectionId === undefined || isRefreshing.value) return;
    refreshing.value = new Set([...refreshing.value, connectionId]);
    try {
      take(await backend.call('status/refresh', { connectionId }));
      if (connectionId === connections.active?.id) error.value = null;
    } catch (thrown) {
      if (connectionId === connections.active?.id) error.value = toErrorLike(thrown);
    } finally {
      refreshing.value = new Set([...refreshing.value].filter((id) => id !== connectionId));
    }
    if (connectionId === connections.active?.id) await readHistory();
  }

  async function readHistory(): Promise<void> {
    const connectionId = connections.active?.id;
    if (connectionId === undefined) return;
    const mine = ++historyTicket;
    const isWanted = (): boolean => mine === historyTicket && connections.active?.id === connectionId;
    try {
      const read = await backend.call('status/read-history', {
        connectionId,
        spanMs: HISTORY_SPAN_MS,
        ticks: HISTORY_TICKS,
      });
      if (!isWanted()) return;
      history.value = read;
      historyAtMs.value = Date.now();
      historyError.value = null;
      if (read.latest !== null) take(read.latest);
    } catch (thrown) {
      if (isWanted()) historyError.value = toErrorLike(thrown);
    }
  }

  function take(sample: StatusSample): void {
    if (sample.connectionId !== connections.active?.id) return;
    if (latest.value === null || sample.checkedAtMs >= latest.value.checkedAtMs) latest.value = sample;
  }

  return {
    latest,
    history,
    error,
    historyError,
    historyAtMs,
    reach,
    isOffline,
    isRefreshing,
    refreshSeconds,
    nextPollAtMs,
    refresh,
  } as const;
});

/** How following each connection is going. */
export const useFollowingStore = defineStore('following', () => {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const byConnection = shallowRef<ReadonlyMap<string, Following>>(new Map());
  /** That of the connection that every screen looks at; null before it is known. */
  const active = computed<Following | null>(
    () => byConnection.value.get(connections.active?.id ?? '') ?? null,
  );
  /** What appears is fetched without being asked for. */
  const isActive = computed(
    () => active.value !== null && !['off', 'paused', 'refused'].includes(active.value.state),
  );

  const reader = createListReader(
    () => backend.call('following/list', null),
    (following: Following) => following.connectionId,
  );
  backend.on('following/changed', put);

  function put(following: Following): void {
    reader.note(following.connectionId, following);
    byConnection.value = new Map([...byConnection.value, [following.connectionId, following]]);
  }

  async function load(): Promise<void> {
    const list = await reader.read();
    byConnection.value = new Map(list.map((following) => [following.connectionId, following]));
  }

  /** Rejects with the core's error. On begins a turn at once, also after a refusal. */
  async function follow(connectionId: string, followed: boolean): Promise<void> {
    put(await backend.call('following/switch', { connectionId, followed }));
  }

  return { active, isActive, load, follow } as const;
});
