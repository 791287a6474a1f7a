import { promiseTimeout, refThrottled, useThrottleFn } from '@vueuse/core';
import { computed, onScopeDispose, reactive, ref, shallowRef, watch } from 'vue';
import type { Output } from '../../../src-main/common/contract/index.ts';
import type { Incident, IncidentChange } from '../../../src-main/common/model/analysis/incident.ts';
import type { PeriodScope } from '../../../src-main/common/model/records/record-scope.ts';
import { DIRECTIONS } from '../../../src-main/common/reporting/reports.ts';
import { SECOND_MS } from '../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { useBackend } from '../../backend/backend.ts';
import { oneAtATime } from '../../backend/one-at-a-time.ts';
import { useAttempt } from '../../composables/use-attempt.ts';
import { useClock } from '../../composables/use-clock.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';
import { usePeriodCoverage } from '../../period/use-period-coverage.ts';
import { useSnapshotsStore } from '../../stores/cache/snapshots.ts';
import { useChosenConnections } from '../../several/use-chosen-connections.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useClockStore } from '../../stores/window/clock.ts';
import { usePeriodStore } from '../../stores/window/period.ts';
import { useOtherIncidents } from './use-other-incidents.ts';

/** Days are judged again at most so often while records come in. */
const RELOAD_INTERVAL_MS = 15_000;
const CLOCK_INTERVAL_MS = 15_000;
/** While days are judged, what is known of them is read so often. */
const KEPT_INTERVAL_MS = 2_000;

type Listed = Output<'incidents/list'>;

/** The incidents of the window's period, what of it is cached, and what a person can say of them. */
export function useIncidents() {
  const backend = useBackend();
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const nowMs = useClock(CLOCK_INTERVAL_MS);
  /** What is waited for. */
  let listId = '';
  /** A period that moves with the clock stands still until something new is there to show. */
  const asOfMs = ref(Date.now());
  const loaded = shallowRef<{ readonly question: string; readonly listed: Listed } | null>(null);
  const error = shallowRef<ErrorLike | null>(null);
  const { error: changeError, isRunning: isChanging, attempt } = useAttempt();

  const connection = computed(() => connections.active);
  const period = computed<TimeSpan | null>(() => {
    if (connection.value === null) return null;
    const { fromMs, toMs } = periods.toPeriod(asOfMs.value, connection.value);
    // Periods are picked with their last second.
    return { fromMs, toMs: toMs + SECOND_MS };
  });
  /** A period that moves with the clock stays the same question: what was listed stands until it is listed anew. */
  const question = computed(() => JSON.stringify([connection.value?.id, periods.selection, clock.zone]));
  const listed = computed(() => (loaded.value?.question === question.value ? loaded.value.listed : null));

  async function read(): Promise<void> {
    const [asked, connectionId, span] = [question.value, connection.value?.id, period.value];
    if (connectionId === undefined || span === null) return;
    listId = crypto.randomUUID();
    let isJudged = false;
    const show = (found: Listed): void => {
      if (question.value !== asked || (isJudged && found.unjudgedDays > 0)) return;
      loaded.value = { question: asked, listed: found };
    };
    /** What is known of the days that were judged before is there at once, and what follows as it comes. */
    const showKept = async (): Promise<void> => {
      while (!isJudged && question.value === asked && listed.value?.unjudgedDays !== 0) {
        show(await backend.call('incidents/list', { connectionId, period: span, isKeptOnly: true }));
        await promiseTimeout(KEPT_INTERVAL_MS);
      }
    };
    showKept().catch(() => undefined);
    try {
      const found = await backend.call('incidents/list', { connectionId, period: span, listId });
      isJudged = true;
      show(found);
      error.value = null;
    } catch (cause) {
      if (question.value === asked) error.value = toErrorLike(cause);
    } finally {
      isJudged = true;
    }
  }
  const reload = oneAtATime(read);
  /** Nobody waits for the days of another question, or of a screen that is left. */
  const stop = (): void => {
    if (listId !== '') backend.call('findings/stop-list', { listId }).catch(() => undefined);
  };
  onScopeDispose(stop);
  watch(question, stop);
  const reloadLater = useThrottleFn(() => void reload(), RELOAD_INTERVAL_MS, true);
  onScopeDispose(
    backend.on('outcome/changed', ({ connectionId, isDeciding }) => {
      if (connectionId === connection.value?.id && !isDeciding) void reloadLater();
    }),
  );
  const cached = computed(() =>
    (snapshots.snapshots ?? [])
      .filter(({ connectionId }) => connectionId === connection.value?.id)
      .map(({ id, recordCount }) => `${id}:${recordCount}`)
      .join(),
  );
  watch(refThrottled(cached, RELOAD_INTERVAL_MS), () => {
    asOfMs.value = Date.now();
    void reload();
  });
  watch(
    () => periods.selection,
    () => (asOfMs.value = Date.now()),
  );
  watch([question, () => JSON.stringify(connection.value?.incidents)], () => void reload(), {
    immediate: true,
  });

  const { others, isSeveral, unknownCount } = useChosenConnections();
  const { lists } = useOtherIncidents(
    () => others.value,
    () => period.value,
    // Records that come in are looked at as often as those of the window's connection are.
    () => JSON.stringify([question.value, asOfMs.value]),
  );

  const toScope = (report: PeriodScope['report']): PeriodScope | null =>
    connection.value === null || period.value === null
      ? null
      : { connectionId: connection.value.id, report, ...period.value };
  const coverages = DIRECTIONS.map((direction) => ({
    direction,
    coverage: reactive(
      usePeriodCoverage(
        () => toScope(`${direction}-detail`),
        () => (period.value?.toMs ?? 0) > asOfMs.value,
      ),
    ),
  }));

  const change = async (incident: Incident, changed: IncidentChange): Promise<void> => {
    const connectionId = connection.value?.id;
    if (connectionId === undefined) return;
    await attempt(() =>
      backend.call('incidents/change', { connectionId, parts: incident.parts, change: changed }),
    );
  };
  const group = async (incidents: readonly Incident[], isOne: boolean): Promise<void> => {
    const connectionId = connection.value?.id;
    const parts = incidents.flatMap((incident) => incident.parts);
    if (connectionId === undefined) return;
    await attempt(() => backend.call('incidents/group', { connectionId, parts, isOne }));
  };

  return {
    connection,
    zone: computed(() => clock.zone),
    nowMs,
    asOfMs,
    period,
    listed,
    /** What is listed of the other connections that are shown with it. */
    others: lists,
    isSeveral,
    unknownCount,
    error,
    reload,
    coverages,
    missingMs: computed(() => Math.max(...coverages.map(({ coverage }) => coverage.missingMs))),
    isFetching: computed(() => coverages.some(({ coverage }) => coverage.isFetching)),
    async fetchMissing(): Promise<void> {
      for (const { coverage } of coverages) if (coverage.missingMs > 0) await coverage.fetchGaps();
    },
    change,
    group,
    changeError,
    isChanging,
  };
}
