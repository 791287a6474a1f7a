import { useThrottleFn } from '@vueuse/core';
import { computed, onScopeDispose, shallowReactive, shallowRef, watch } from 'vue';
import type { RecentTraffic } from '../../../../src-main/common/contract/operations/overview.ts';
import type { StatusFigures } from '../../../../src-main/common/model/connections/status.ts';
import { useBackend, oneAtATime } from '../../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../../messages/error-like.ts';
import { useConnectionsStore } from '../../../stores/connections/connections.ts';
import { MEASURED_SPANS } from './measured-spans.ts';

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
