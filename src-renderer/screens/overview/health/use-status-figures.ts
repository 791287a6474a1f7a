import { useThrottleFn } from '@vueuse/core';
import { onScopeDispose, shallowRef, watch } from 'vue';
import type { RecentTraffic } from '../../../../src-main/common/model/analysis/recent-traffic.ts';
import type { StatusFigures } from '../../../../src-main/common/model/connections/status.ts';
import { useBackend } from '../../../backend/backend.ts';
import { oneAtATime } from '../../../composables/one-at-a-time.ts';
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
  let isOpen = true;

  // What can't be read is left as it was: nothing is claimed instead.
  const read = async <Value>(
    call: (connectionId: string) => Promise<Value>,
    take: (value: Value) => void,
  ) => {
    const connectionId = connections.active?.id;
    if (connectionId === undefined || !isOpen) return;
    const value = await call(connectionId).catch(() => null);
    if (value !== null && connections.active?.id === connectionId) take(value);
  };
  const readFigures = (): Promise<void> =>
    read(
      (connectionId) =>
        backend.call('status/read-figures', {
          connectionId,
          spansMs: MEASURED_SPANS.map(({ spanMs }) => spanMs),
        }),
      (value) => (figures.value = value),
    );
  const readTraffic = oneAtATime(() =>
    read(
      (connectionId) => backend.call('overview/read-recent-traffic', { connectionId }),
      (value) => (traffic.value = value),
    ),
  );
  const readFiguresSoon = useThrottleFn(readFigures, FIGURES_INTERVAL_MS, true);
  const readTrafficSoon = useThrottleFn(readTraffic, TRAFFIC_INTERVAL_MS, true);

  watch(
    () => connections.active?.id,
    () => {
      figures.value = null;
      traffic.value = null;
      void Promise.all([readFigures(), readTraffic()]);
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

  return { figures, traffic };
}
