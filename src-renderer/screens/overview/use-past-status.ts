import { computed, ref } from 'vue';
import { MINUTE_MS } from '../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { useBackend } from '../../backend/backend.ts';
import { useLoaded } from '../../composables/use-loaded.ts';
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
  const tries = ref(0);
  const question = computed(() => JSON.stringify([connections.active?.id, period.value]));
  const { value, error } = useLoaded([question, tries], async () => {
    const asked = question.value;
    const connectionId = connections.active?.id;
    if (connectionId === undefined || period.value === null) return null;
    const { fromMs, toMs } = period.value;
    const history = await backend.call('status/read-history', {
      connectionId,
      spanMs: Math.max(MINUTE_MS, toMs - fromMs),
      ticks: TICKS,
      untilMs: toMs,
    });
    return { asked, history };
  });
  /** Never that of another period. */
  const history = computed(() => (value.value?.asked === question.value ? value.value.history : null));
  /** The last one of it with a response of the service. */
  const lastReported = computed(() => {
    const answered = history.value?.lastAnswered ?? null;
    return answered !== null && answered.checkedAtMs >= (period.value?.fromMs ?? 0) ? answered : null;
  });
  const load = (): void => void (tries.value += 1);
  return { period, history, error, load, lastReported };
}
