import { refThrottled } from '@vueuse/core';
import { computed, onScopeDispose, reactive, ref, shallowRef, watch } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import type { Output } from '../../../src-main/common/contract/index.ts';
import {
  CONVERSATION_OUTCOMES,
  CONVERSATION_SORTS,
  SLOWEST_PARTS,
  type Conversation,
  type ConversationOrder,
  type OpenedConversations,
} from '../../../src-main/common/model/records/conversation.ts';
import type { PeriodScope, RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import { DIRECTIONS } from '../../../src-main/common/reporting/reports.ts';
import { SECOND_MS } from '../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { toQueryText, withQueryText } from '../../address/window-address.ts';
import { useBackend } from '../../backend/backend.ts';
import { useClock } from '../../composables/surroundings.ts';
import { useRecordFilter } from '../../filters/filter.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';
import { usePeriodCoverage } from '../../period/period-coverage.ts';
import { useSnapshotsStore } from '../../stores/cache/downloads.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useClockStore, usePeriodStore } from '../../stores/window/times.ts';

/** Columns of the list of conversations, in their order. */
export const COLUMN_IDS = [
  'start',
  'outcome',
  'length',
  'channel',
  'service',
  'client',
  'messages',
  'failures',
  'slowest',
  'firstError',
] as const;
export type ColumnId = (typeof COLUMN_IDS)[number];

const STORAGE_KEY = 'channelscope.conversations.hidden';

/** Reads which columns a person has hidden in this window. */
export function readHiddenColumns(): ColumnId[] {
  try {
    const stored = (localStorage.getItem(STORAGE_KEY) ?? '').split(',');
    return COLUMN_IDS.filter((id) => stored.includes(id));
  } catch {
    return [];
  }
}

/** Remembers which columns are hidden. */
export function keepHiddenColumns(hidden: readonly ColumnId[]): void {
  try {
    localStorage.setItem(STORAGE_KEY, hidden.join(','));
  } catch {
    // Without storage the choice lives as long as the screen.
  }
}

const CLOCK_INTERVAL_MS = 15_000;
/** While records arrive, conversations are found again at most so often. */
const REOPEN_INTERVAL_MS = 5_000;
const NEWEST: ConversationOrder = { column: 'start', descending: true };

/** The list that is open, with the question that it answers. */
export interface OpenList extends OpenedConversations {
  readonly question: string;
}

/** Reads names between commas; those that aren't known are left out. */
function fromList<Name extends string>(text: string, known: readonly Name[]): Name[] {
  const named = text.split(',');
  return known.filter((name) => named.includes(name));
}

/** The conversations of the window's period, as the address filters and orders them. */
export function useConversations() {
  const backend = useBackend();
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const route = useRoute();
  const router = useRouter();
  const nowMs = useClock(CLOCK_INTERVAL_MS);
  const { filter, setFilter } = useRecordFilter();
  /** A period that moves with the clock stands still until something new is there to show. */
  const asOfMs = ref(Date.now());
  const view = shallowRef<OpenList | null>(null);
  const clients = shallowRef<Output<'conversations/count-clients'> | null>(null);
  const error = shallowRef<ErrorLike | null>(null);

  const connection = computed(() => connections.active);
  const period = computed<TimeSpan | null>(() => {
    if (connection.value === null) return null;
    const { fromMs, toMs } = periods.toPeriod(asOfMs.value, connection.value);
    // Periods are picked with their last second.
    return { fromMs, toMs: toMs + SECOND_MS };
  });
  const outcomes = computed(() => fromList(toQueryText(route.query, 'outcome'), CONVERSATION_OUTCOMES));
  const slowest = computed(() => fromList(toQueryText(route.query, 'slowest'), SLOWEST_PARTS));
  /** The direction whose records the query is about; null for both. */
  const direction = computed(() => fromList(toQueryText(route.query, 'of'), DIRECTIONS)[0] ?? null);
  const order = computed((): ConversationOrder => {
    const [column, way] = toQueryText(route.query, 'order').split('.');
    const known = CONVERSATION_SORTS.find((name) => name === column);
    return known === undefined ? NEWEST : { column: known, descending: way === 'desc' };
  });
  function setPart(name: 'outcome' | 'slowest' | 'order' | 'of', text: string): void {
    void router.push({ query: withQueryText(route.query, name, text) });
  }

  const toQuestion = (chosen: RecordFilter = filter.value) =>
    connection.value === null || period.value === null
      ? null
      : {
          connectionId: connection.value.id,
          ...period.value,
          filter: chosen,
          ...(direction.value === null ? {} : { direction: direction.value }),
          ...(outcomes.value.length === 0 ? {} : { outcomes: outcomes.value }),
          ...(slowest.value.length === 0 ? {} : { slowest: slowest.value }),
          order: order.value,
        };
  /** A period that moves with the clock stays the same question: what is shown stands until it is found anew. */
  const subject = computed(() => JSON.stringify([connection.value?.id, periods.selection]));
  const question = computed(() => JSON.stringify([toQuestion(), connection.value?.outcomes]));

  const closeView = (viewId: string | undefined): void => {
    if (viewId !== undefined) void backend.call('conversations/close', { viewId }).catch(() => undefined);
  };
  const isShown = (viewId: string): boolean => view.value?.viewId === viewId;
  let isGone = false;
  let shownSubject = '';
  async function open(): Promise<void> {
    const [asked, own, about] = [question.value, toQuestion(), subject.value];
    if (own === null) return;
    if (about !== shownSubject) {
      closeView(view.value?.viewId);
      view.value = null;
      clients.value = null;
      shownSubject = about;
    }
    try {
      const opened = await backend.call('conversations/open', own);
      if (question.value !== asked || isGone) {
        closeView(opened.viewId);
        return;
      }
      closeView(view.value?.viewId);
      view.value = { ...opened, question: asked };
      error.value = null;
      const counted = await backend.call('conversations/count-clients', { viewId: opened.viewId });
      if (isShown(opened.viewId)) clients.value = counted;
    } catch (cause) {
      if (question.value === asked && !isGone) error.value = toErrorLike(cause);
    }
  }
  watch(question, () => void open(), { immediate: true });

  const cached = computed(() =>
    (snapshots.snapshots ?? [])
      .filter(({ connectionId }) => connectionId === connection.value?.id)
      .map(({ id, recordCount, state, reading }) => `${id} ${recordCount} ${state} ${reading}`)
      .join(),
  );
  function reopen(): void {
    const before = question.value;
    asOfMs.value = Date.now();
    // A period that has moved on opens by itself.
    if (question.value === before) void open();
  }
  watch(refThrottled(cached, REOPEN_INTERVAL_MS), reopen);
  watch(
    () => periods.selection,
    () => (asOfMs.value = Date.now()),
  );
  onScopeDispose(() => {
    isGone = true;
    closeView(view.value?.viewId);
  });
  onScopeDispose(
    backend.on('outcome/changed', ({ connectionId, isDeciding }) => {
      if (connectionId === connection.value?.id && !isDeciding) reopen();
    }),
  );

  /** Rows [start, end) of a list; null where it is closed, which opens another one. */
  async function readRows(viewId: string, start: number, end: number): Promise<Conversation[] | null> {
    try {
      return await backend.call('conversations/read-rows', { viewId, offset: start, limit: end - start });
    } catch {
      if (view.value?.viewId === viewId && !isGone) reopen();
      return null;
    }
  }

  const toScope = (report: PeriodScope['report']): PeriodScope | null =>
    connection.value === null || period.value === null
      ? null
      : { connectionId: connection.value.id, report, ...period.value };
  const coverages = DIRECTIONS.map((direction) =>
    reactive(
      usePeriodCoverage(
        () => toScope(`${direction}-detail`),
        () => (period.value?.toMs ?? 0) > asOfMs.value,
      ),
    ),
  );

  return {
    connection,
    zone: computed(() => clock.zone),
    nowMs,
    asOfMs,
    period,
    filter,
    setFilter,
    outcomes,
    slowest,
    direction,
    order,
    setPart,
    toggle(name: 'outcome' | 'slowest', value: string): void {
      const chosen: readonly string[] = name === 'outcome' ? outcomes.value : slowest.value;
      const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
      setPart(name, next.join(','));
    },
    toQuestion,
    view,
    clients,
    error,
    isWaiting: computed(() => view.value !== null && view.value.question !== question.value),
    reopen,
    readRows,
    coverages,
    isCoverageKnown: computed(() => coverages.every(({ isKnown }) => isKnown)),
    gaps: computed(() => coverages.flatMap(({ gaps }) => gaps)),
    missingMs: computed(() => Math.max(...coverages.map(({ missingMs }) => missingMs))),
    isFetching: computed(() => coverages.some(({ isFetching }) => isFetching)),
    async fetchMissing(): Promise<void> {
      for (const coverage of coverages) if (coverage.missingMs > 0) await coverage.fetchGaps();
    },
  };
}
