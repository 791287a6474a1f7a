import { computed } from 'vue';
import { MINUTE_MS } from '../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { useBackend } from '../../backend/backend.ts';
import { useQuery } from '../../composables/use-query.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';

/** As many as the strip of the last 24 hours has. */
const TICKS = 90;

/** The status in a period that ended before now, from the checks that are kept; the period is null for any other. */
export function usePastStatus(readPeriod: () => TimeSpan | null, readNowMs: () => number) {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const period = computed<TimeSpan | null>((before) => {
    const span = readPeriod();
    if (span === null || span.toMs > readNowMs() - MINUTE_MS) return null;
    // The same period is the same question, whenever it is read.
    return before?.fromMs === span.fromMs && before.toMs === span.toMs ? before : span;
  });
  const question = (): string => JSON.stringify([connections.active?.id, period.value]);
  const {
    value: history,
    error,
    reload: load,
  } = useQuery(question, async () => {
    const connectionId = connections.active?.id;
    if (connectionId === undefined || period.value === null) return null;
    const { fromMs, toMs } = period.value;
    return backend.call('status/read-history', {
      connectionId,
      spanMs: Math.max(MINUTE_MS, toMs - fromMs),
      ticks: TICKS,
      untilMs: toMs,
    });
  });
  /** The last one of it with a response of the service. */
  const lastReported = computed(() => {
    const answered = history.value?.lastAnswered ?? null;
    return answered !== null && answered.checkedAtMs >= (period.value?.fromMs ?? 0) ? answered : null;
  });
  return { period, history, error, load, lastReported };
}
