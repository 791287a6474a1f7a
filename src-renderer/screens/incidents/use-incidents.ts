import { promiseTimeout, refThrottled, useThrottleFn } from '@vueuse/core';
import { computed, onScopeDispose, reactive, ref, shallowRef, watch, type UnwrapNestedRefs } from 'vue';
import { useI18n } from 'vue-i18n';
import type { Output } from '../../../src-main/common/contract/index.ts';
import { FINDING_KINDS } from '../../../src-main/common/model/analysis/finding-kinds.ts';
import type { Finding } from '../../../src-main/common/model/analysis/finding.ts';
import {
  INCIDENT_STATES,
  type Incident,
  type IncidentChange,
} from '../../../src-main/common/model/analysis/incident.ts';
import type { Connection } from '../../../src-main/common/model/connections/connection.ts';
import type { PeriodScope } from '../../../src-main/common/model/records/record-filter.ts';
import { DIRECTIONS } from '../../../src-main/common/reporting/reports.ts';
import { SECOND_MS } from '../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { useAddressChoice } from '../../address/window-address.ts';
import { useBackend, oneAtATime } from '../../backend/backend.ts';
import { useAttempt } from '../../composables/use-query.ts';
import { useScreenClock } from '../../composables/surroundings.ts';
import { formatCount } from '../../format/formats.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';
import { useFindingWords } from '../../messages/finding-words.ts';
import { createNames } from '../../names/use-names.ts';
import { usePeriodCoverage } from '../../period/period-coverage.ts';
import { useSnapshotsStore } from '../../stores/cache/downloads.ts';
import { useChosenConnections, useSeveralWords } from '../../several/several.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useClockStore, usePeriodStore } from '../../stores/window/times.ts';
import { findWorst, useIncidentWords } from './incident-words.ts';

/** What is listed of another connection. */
interface OtherIncidents {
  readonly connection: Connection;
  readonly listed: Output<'incidents/list'> | null;
  readonly error: ErrorLike | null;
}

/** Days are judged again at most so often while records come in. */
const RELOAD_INTERVAL_MS = 15_000;
const CLOCK_INTERVAL_MS = 15_000;
/** While days are judged, what is known of them is read so often. */
const KEPT_INTERVAL_MS = 2_000;
/** Other connections whose days are judged at the same time. */
const JUDGED_AT_ONCE = 2;

type Listed = Output<'incidents/list'>;

/** The incidents of the window's period, what of it is cached, and what a person can say of them. */
export function useIncidents() {
  const backend = useBackend();
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const nowMs = useScreenClock(CLOCK_INTERVAL_MS);
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
        const asOf = { connectionIds: [connectionId], period: span };
        for (const kept of await backend.call('incidents/list-kept', asOf)) show(kept);
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

/** An incident in a list of those of several connections. */
export interface IncidentRow {
  readonly at: number;
  readonly connection: Connection;
  readonly incident: Incident;
  readonly item: Finding;
}

/**
 * The rows of the incidents that a screen shows, of all connections that are chosen, by the kind and the state that its
 * address names; and what can't be said of which connection.
 */
export function useIncidentRows(view: UnwrapNestedRefs<ReturnType<typeof useIncidents>>) {
  const { t } = useI18n();
  const words = useIncidentWords();
  const { toGap } = useFindingWords();
  const state = useAddressChoice('state', INCIDENT_STATES);
  const kind = useAddressChoice('kind', FINDING_KINDS);
  const several = useSeveralWords();
  const own = computed(() => view.listed?.incidents ?? []);
  /** Those of all connections that are shown, with the latest onset first. */
  const all = computed(() => {
    const toOf = (connection: Connection, incidents: readonly Incident[]) =>
      incidents.map((incident) => ({ connection, incident }));
    const lists = [
      ...(view.connection === null ? [] : toOf(view.connection, own.value)),
      ...view.others.flatMap(({ connection, listed }) => toOf(connection, listed?.incidents ?? [])),
    ];
    const toOnset = ({ incident }: { readonly incident: Incident }): number =>
      incident.parts[0]?.sinceMs ?? 0;
    return lists.sort((a, b) => toOnset(b) - toOnset(a));
  });
  const ofKind = computed(() =>
    all.value.filter(
      ({ incident: { parts } }) => kind.value === null || parts.some((part) => part.kind === kind.value),
    ),
  );
  const rows = computed((): IncidentRow[] =>
    ofKind.value
      .filter(({ incident }) => state.value === null || incident.state === state.value)
      .map(({ connection, incident }, at) => ({ at, connection, incident, item: findWorst(incident) })),
  );
  /** As the timeline tells them from one another: two connections can have the same incident. */
  const shown = computed(() =>
    rows.value.map((row): Incident =>
      view.isSeveral
        ? { ...row.incident, id: toKey(row), name: `${several.toName(row.connection)} · ${toName(row)}` }
        : row.incident,
    ),
  );
  const toKey = ({ connection, incident }: Pick<IncidentRow, 'connection' | 'incident'>): string =>
    view.isSeveral ? `${connection.id} ${incident.id}` : incident.id;
  /** Channels and services are named as their own connection names them. */
  const namesOf = computed(
    () =>
      new Map(
        view.others.map(({ connection: { id, names = [] } }) => [
          id,
          createNames(
            () => names,
            () => undefined,
          ),
        ]),
      ),
  );
  const toPlace = ({ connection, item }: IncidentRow): string =>
    words.toPlace(item, namesOf.value.get(connection.id));
  const toName = (row: IncidentRow): string => row.incident.name || toPlace(row);
  const unsure = computed(() =>
    (view.listed?.gaps ?? []).map((gap) => toGap(gap, view.nowMs, view.zone)).join(' '),
  );
  const unjudged = computed(() =>
    [view.listed, ...view.others.map(({ listed }) => listed)].reduce(
      (sum, listed) => sum + (listed?.unjudgedDays ?? 0),
      0,
    ),
  );
  /** What can't be said of the other connections, each by its name. */
  const notes = computed(() => {
    if (!view.isSeveral) return [];
    const chosen = [
      ...(view.connection === null ? [] : [view.connection]),
      ...view.others.map(({ connection }) => connection),
    ];
    return [
      ...view.others.flatMap(({ connection, listed, error }) => {
        const name = several.toName(connection);
        if (error !== null) return [t('several.failed', { name })];
        if (listed === null) return [t('several.waiting', { name })];
        if (listed.untilMs === null) return [t('several.notes.empty', { names: name })];
        const texts = listed.gaps.map((gap) => toGap(gap, view.nowMs, view.zone));
        return texts.length === 0 ? [] : [t('several.saidOf', { name, text: texts.join(' ') })];
      }),
      ...several.listLimits(chosen, { owner: view.connection }),
      ...(view.unknownCount > 0
        ? [t('several.unknown', { count: formatCount(view.unknownCount) }, view.unknownCount)]
        : []),
    ];
  });

  return { state, kind, own, all, ofKind, rows, shown, unsure, unjudged, notes, toKey, toPlace, toName };
}

/**
 * The incidents of other connections in a period: what is known of days that were judged before at once, the others two
 * connections at a time: while days of one are counted, those of the other are judged. Nobody waits for those of another
 * question.
 */
function useOtherIncidents(
  others: () => readonly Connection[],
  readPeriod: () => TimeSpan | null,
  /** Another one where everything is to be listed anew. */
  readQuestion: () => string,
) {
  const backend = useBackend();
  const found = shallowRef<ReadonlyMap<string, Omit<OtherIncidents, 'connection'>>>(new Map());
  const waits = new Set<string>();
  const stop = (): void => {
    for (const listId of waits) backend.call('findings/stop-list', { listId }).catch(() => undefined);
    waits.clear();
  };

  async function list(ids: readonly string[], period: TimeSpan, isGone: () => boolean): Promise<void> {
    const note = (id: string, own: Omit<OtherIncidents, 'connection'>): void => {
      if (!isGone()) found.value = new Map(found.value).set(id, own);
    };
    const complete = new Set<string>();
    try {
      for (const listed of await backend.call('incidents/list-kept', { connectionIds: [...ids], period })) {
        note(listed.connectionId, { listed, error: null });
        if (listed.unjudgedDays === 0) complete.add(listed.connectionId);
      }
    } catch (cause) {
      for (const connectionId of ids) note(connectionId, { listed: null, error: toErrorLike(cause) });
      return;
    }
    const waiting = ids.filter((id) => !complete.has(id));
    const judge = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined && !isGone(); id = waiting.shift()) {
        const listId = crypto.randomUUID();
        waits.add(listId);
        try {
          note(id, {
            listed: await backend.call('incidents/list', { connectionId: id, period, listId }),
            error: null,
          });
        } catch (cause) {
          note(id, { listed: found.value.get(id)?.listed ?? null, error: toErrorLike(cause) });
        } finally {
          waits.delete(listId);
        }
      }
    };
    await Promise.all(Array.from({ length: JUDGED_AT_ONCE }, judge));
  }

  watch(
    () => JSON.stringify([others().map(({ id, incidents }) => [id, incidents]), readQuestion()]),
    (_now, before, onCleanup) => {
      let isGone = false;
      onCleanup(() => {
        isGone = true;
        stop();
      });
      const period = readPeriod();
      const ids = others().map(({ id }) => id);
      if (before !== undefined) found.value = new Map();
      if (period !== null && ids.length > 0) void list(ids, period, () => isGone);
    },
    { immediate: true },
  );
  onScopeDispose(stop);

  return {
    /** In the order of the connections. */
    lists: computed((): readonly OtherIncidents[] =>
      others().map((connection) => ({
        connection,
        ...(found.value.get(connection.id) ?? { listed: null, error: null }),
      })),
    ),
  };
}
