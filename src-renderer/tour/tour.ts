import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { useDownloadStart } from '../composables/use-download-start.ts';
import { type ErrorLike, toErrorLike } from '../messages/error-like.ts';
import { useSnapshotsStore } from '../stores/cache/downloads.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';
import { useLocalServiceStore } from '../stores/connections/local-service.ts';
import { useAppStore } from '../stores/window/app.ts';
import { usePeriodStore } from '../stores/window/times.ts';

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

type Size = Pick<Box, 'width' | 'height'>;

const GAP_PX = 12;

/**
 * Returns where a card stands beside what it points at, in pixels of the window: below, above, right or left of it,
 * whichever has room first, or else in the lower right corner, where the least is covered. It is never cut.
 */
export function placeCard(target: Box | null, card: Size, window: Size): Pick<Box, 'left' | 'top'> {
  const clampLeft = (left: number) => clamp(left, window.width - card.width - GAP_PX);
  const clampTop = (top: number) => clamp(top, window.height - card.height - GAP_PX);
  const corner = { left: clampLeft(Infinity), top: clampTop(Infinity) };
  if (target === null) return corner;
  const right = target.left + target.width;
  const bottom = target.top + target.height;
  const left = clampLeft(target.left);
  const top = clampTop(target.top);
  const sides = [
    { left, top: bottom + GAP_PX },
    { left, top: target.top - GAP_PX - card.height },
    { left: right + GAP_PX, top },
    { left: target.left - GAP_PX - card.width, top },
  ];
  const hasRoom = (place: Pick<Box, 'left' | 'top'>): boolean =>
    place.left >= GAP_PX &&
    place.top >= GAP_PX &&
    place.left + card.width + GAP_PX <= window.width &&
    place.top + card.height + GAP_PX <= window.height;
  return sides.find(hasRoom) ?? corner;
}

/** Room that a ring takes around what it is about, itself included. */
const RING_PX = 4;

/** Returns where the ring around what a card points at is drawn: whole, also at the edge of the window. */
export function placeRing({ left, top, width, height }: Box, window: Size): Box {
  const start = { left: Math.max(0, left - RING_PX), top: Math.max(0, top - RING_PX) };
  return {
    ...start,
    width: Math.min(window.width, left + width + RING_PX) - start.left,
    height: Math.min(window.height, top + height + RING_PX) - start.top,
  };
}

const clamp = (value: number, max: number): number => Math.max(GAP_PX, Math.min(value, max));

/** A step of the tour: where it is, and what it points at. */
export interface TourStep {
  /** Message key below `tour.steps`. */
  readonly name: string;
  readonly path: string;
  /** The control, as a selector; the first that is visible counts. */
  readonly target: string;
}

const OVERVIEW = '/overview';
const DETAIL = '/inbound/detail';

export const TOUR_STEPS: readonly TourStep[] = [
  { name: 'period', path: OVERVIEW, target: '[data-shortcut="period"]' },
  { name: 'findings', path: OVERVIEW, target: '[data-tour="findings"]' },
  { name: 'volume', path: OVERVIEW, target: '[data-tour="volume"]' },
  { name: 'coverage', path: DETAIL, target: '[data-tour="coverage"]' },
  { name: 'spike', path: DETAIL, target: '[data-tour="spike"]' },
  { name: 'record', path: DETAIL, target: '[data-tour="record"]' },
  { name: 'export', path: DETAIL, target: '[data-shortcut="export"]' },
  { name: 'help', path: DETAIL, target: 'a[href*="#/help"]' },
];

/** The tour of the main controls, on the sample data of the bundled service. It goes on where it was ended. */
export const useTourStore = defineStore('tour', () => {
  const app = useAppStore();
  const connections = useConnectionsStore();
  const localService = useLocalServiceStore();
  const period = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const downloads = useDownloadStart();
  /** The place of the step that is shown; null while there is no tour. */
  const index = ref<number | null>(null);
  const isStarting = ref(false);
  const error = ref<ErrorLike | null>(null);
  /** The connection that was active before, which is given back at the end. */
  let before: string | null = null;

  const step = computed((): TourStep | null =>
    index.value === null ? null : (TOUR_STEPS[index.value] ?? null),
  );
  /** It was ended before its last step. */
  const canContinue = computed(() => (app.settings?.tourStep ?? 0) > 0);

  /** Starts the bundled service, fetches its last day once, and shows the step where the tour was ended. */
  async function begin(): Promise<void> {
    if (isStarting.value || index.value !== null) return;
    isStarting.value = true;
    error.value = null;
    before = connections.active?.id ?? null;
    try {
      const connection = await localService.startService();
      connections.show(connection.id);
      period.select({ kind: 'preset', preset: 'last-24-hours' });
      await snapshots.load();
      const isCached =
        snapshots.snapshots?.some(({ connectionId }) => connectionId === connection.id) ?? false;
      if (!isCached) await downloads.startLastDay(connection);
      const kept = app.settings?.tourStep ?? 0;
      index.value = kept < TOUR_STEPS.length ? kept : 0;
    } catch (thrown) {
      error.value = toErrorLike(thrown);
    } finally {
      isStarting.value = false;
    }
  }

  /** Shows the next step or the one before; after the last one the tour is over. */
  async function go(by: 1 | -1): Promise<void> {
    const next = (index.value ?? 0) + by;
    if (next >= TOUR_STEPS.length) await leave(0);
    else if (next >= 0) index.value = next;
  }

  /** Ends the tour; the next one begins at this step. */
  const end = (): Promise<void> => leave(index.value ?? 0);

  async function leave(kept: number): Promise<void> {
    index.value = null;
    await app.update({ tourStep: kept });
    if (
      before !== null &&
      before !== connections.active?.id &&
      connections.list.some(({ id }) => id === before)
    ) {
      connections.show(before);
    }
  }

  return { index, step, isStarting, error, canContinue, begin, go, end } as const;
});
