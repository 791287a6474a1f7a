import { refThrottled } from '@vueuse/core';
import { computed, reactive, ref } from 'vue';
import type { PeriodScope } from '../../../src-main/common/model/records/record-scope.ts';
import {
  MAX_SESSION_ID_CHARACTERS,
  MAX_SESSION_REQUESTS,
  type Session,
} from '../../../src-main/common/model/records/session.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { SECOND_MS } from '../../../src-main/common/time/durations.ts';
import { useBackend } from '../../backend/backend.ts';
import { usePeriodCoverage } from '../../period/use-period-coverage.ts';
import { useQuery } from '../../composables/use-query.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useSnapshotsStore } from '../../stores/cache/snapshots.ts';
import { useTasksStore } from '../../stores/window/tasks.ts';
import { joinSpans } from './session-times.ts';

/** Requests of the session that are not cached are looked for so long before and after those that are. */
const AROUND_MS = 3600 * SECOND_MS;
const RELOAD_INTERVAL_MS = 1000;

/** A session from everything cached of the active connection, and what around it is not cached. */
export function useSession(readId: () => string) {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const snapshots = useSnapshotsStore();
  const tasks = useTasksStore();

  const asOfMs = ref(Date.now());
  const connection = computed(() => connections.active);
  const stored = computed(() =>
    (snapshots.snapshots ?? [])
      .filter(({ connectionId }) => connectionId === connection.value?.id)
      .map(({ id, recordCount, state }) => `${id} ${recordCount} ${state}`)
      .join(),
  );
  const {
    value: session,
    error,
    reload: load,
  } = useQuery<Session | null>(
    () => `${connection.value?.id} ${readId()}`,
    async () => {
      const connectionId = connection.value?.id;
      if (connectionId === undefined) return null;
      const sessionId = readId().slice(0, MAX_SESSION_ID_CHARACTERS);
      const limit = MAX_SESSION_REQUESTS;
      const found = await backend.call('records/read-session', { connectionId, sessionId, limit });
      asOfMs.value = Date.now();
      return found;
    },
    { again: [refThrottled(stored, RELOAD_INTERVAL_MS)] },
  );
  const isCached = computed(
    () => session.value !== null && session.value.inbound.requests + session.value.outbound.requests > 0,
  );

  function toScope(direction: Direction): PeriodScope | null {
    const { firstMs, lastMs } = session.value ?? { firstMs: null, lastMs: null };
    if (connection.value === null || firstMs === null || lastMs === null) return null;
    const toMs = Math.max(lastMs + 1, Math.min(asOfMs.value, lastMs + AROUND_MS));
    return {
      connectionId: connection.value.id,
      report: `${direction}-detail`,
      fromMs: Math.floor((firstMs - AROUND_MS) / SECOND_MS) * SECOND_MS,
      toMs: Math.ceil(toMs / SECOND_MS) * SECOND_MS,
    };
  }
  /** A session that is younger than that ends with the present, and what has come since is no gap yet. */
  const endsNow = (): boolean => asOfMs.value < (session.value?.lastMs ?? 0) + AROUND_MS;
  const inbound = reactive(usePeriodCoverage(() => toScope('inbound'), endsNow));
  const outbound = reactive(usePeriodCoverage(() => toScope('outbound'), endsNow));

  async function fetchMissing(): Promise<void> {
    const missing = [inbound, outbound].filter(({ missingMs }) => missingMs > 0);
    await Promise.all(missing.map((coverage) => coverage.fetchGaps()));
  }

  return {
    connection,
    session,
    isCached,
    error,
    /** The time around the session, and what of it is cached of each direction. */
    span: computed(() => toScope('inbound')),
    /** The whole seconds in which its requests were made. */
    sessionSpan: computed(() => {
      const { firstMs, lastMs } = session.value ?? { firstMs: null, lastMs: null };
      if (firstMs === null || lastMs === null) return null;
      const toSecond = (atMs: number): number => Math.floor(atMs / SECOND_MS) * SECOND_MS;
      return { fromMs: toSecond(firstMs), toMs: toSecond(lastMs) };
    }),
    asOfMs,
    inbound,
    outbound,
    /** The times of which outbound records are not cached, those that have come since the last download included. */
    outboundGaps: computed(() => {
      const { cachedUntilMs } = outbound;
      return joinSpans([
        ...outbound.gaps,
        ...(cachedUntilMs === null ? [] : [{ fromMs: cachedUntilMs, toMs: Infinity }]),
      ]);
    }),
    isFetching: computed(
      () =>
        inbound.isFetching ||
        outbound.isFetching ||
        tasks.running.some(
          ({ kind, connectionId }) => kind === 'download' && connectionId === connection.value?.id,
        ),
    ),
    load,
    fetchMissing,
  };
}
