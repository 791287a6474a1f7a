import { useThrottleFn } from '@vueuse/core';
import { computed, onScopeDispose, shallowRef, watch } from 'vue';
import type { FindingsReport } from '../../../../src-main/common/model/analysis/finding.ts';
import { SECOND_MS } from '../../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { oneAtATime, useBackend } from '../../../backend/backend.ts';
import { type ErrorLike, toErrorLike } from '../../../messages/error-like.ts';
import { toPeriodEnds } from '../../../period/period-selection.ts';
import { useFindingsStore } from '../../../stores/analysis/findings.ts';
import { useConnectionsStore } from '../../../stores/connections/connections.ts';
import { useClockStore, usePeriodStore } from '../../../stores/window/times.ts';
import { isRolling } from '../volume/volume.ts';

/** The time of a finding, for the volume chart beside it. */
export interface FindingSpan extends TimeSpan {
  readonly label: string;
}

/** Days are counted again at most so often while records come in. */
const RELOAD_INTERVAL_MS = 15 * SECOND_MS;

interface Loaded {
  readonly question: string;
  readonly report: FindingsReport;
  readonly period: TimeSpan;
  readonly atMs: number;
}

/** The findings of the period that is chosen: those of now with the last 24 hours, which every screen knows. */
export function usePeriodFindings() {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const ofNow = useFindingsStore();
  const periods = usePeriodStore();
  const clock = useClockStore();
  /** What is waited for. */
  let listId = '';
  const loaded = shallowRef<Loaded | null>(null);
  const error = shallowRef<ErrorLike | null>(null);

  const isNow = computed(
    () => periods.selection.kind === 'preset' && periods.selection.preset === 'last-24-hours',
  );
  const question = computed(() =>
    isNow.value ? '' : JSON.stringify([connections.active?.id, periods.selection, clock.zone]),
  );
  const own = computed(() => (loaded.value?.question === question.value ? loaded.value : null));

  function toSpan(): TimeSpan {
    const nowMs = Date.now();
    const ends = toPeriodEnds(periods.selection, nowMs, clock.zone);
    // The last second of a period that was chosen belongs to it.
    const toMs = Math.min(nowMs, ends.toMs + (isRolling(periods.selection) ? 0 : SECOND_MS));
    return { fromMs: ends.fromMs, toMs: Math.max(ends.fromMs, toMs) };
  }

  async function read(): Promise<void> {
    const [asked, connectionId] = [question.value, connections.active?.id];
    if (asked === '' || connectionId === undefined) return;
    const period = toSpan();
    listId = crypto.randomUUID();
    try {
      const report = await backend.call('findings/list', { connectionId, period, listId });
      if (question.value !== asked) return;
      loaded.value = { question: asked, report, period, atMs: Date.now() };
      error.value = null;
    } catch (cause) {
      if (question.value === asked) error.value = toErrorLike(cause);
    }
  }
  const reload = oneAtATime(read);
  const reloadLater = useThrottleFn(() => void reload(), RELOAD_INTERVAL_MS, true);
  const stops = [
    backend.on('snapshots/changed', ({ connectionId }) => {
      if (connectionId === connections.active?.id) void reloadLater();
    }),
    backend.on('snapshots/removed', () => void reloadLater()),
  ];
  /** Nobody waits for the days of another question, or of a screen that is left. */
  const stopList = (): void => {
    if (listId !== '') backend.call('findings/stop-list', { listId }).catch(() => undefined);
  };
  onScopeDispose(() => {
    for (const stop of stops) stop();
    stopList();
  });
  watch(
    question,
    () => {
      error.value = null;
      stopList();
      void reload();
    },
    { immediate: true },
  );

  return {
    report: computed(() => (isNow.value ? ofNow.report : (own.value?.report ?? null))),
    /** Null for those of now. */
    period: computed(() => (isNow.value ? null : (own.value?.period ?? toSpan()))),
    readAtMs: computed(() => (isNow.value ? ofNow.readAtMs : (own.value?.atMs ?? null))),
    error: computed(() => (isNow.value ? ofNow.error : error.value)),
    reload: (): Promise<void> => (isNow.value ? ofNow.reload() : reload()),
  };
}
