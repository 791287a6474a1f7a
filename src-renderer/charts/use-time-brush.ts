import { computed, ref, type Ref } from 'vue';
import {
  fromTimes,
  stepRange,
  toBucketIndex,
  toDraggedRange,
  toTimes,
  type BucketRange,
  type TimeSpan,
} from './time-brush.ts';

interface TimeBrush {
  /** Index of the bucket under the pointer. */
  readonly hovered: Readonly<Ref<number | null>>;
  /** What is being dragged, or else what is selected. */
  readonly selected: Readonly<Ref<BucketRange | null>>;
  /** Listeners for the element that is brushed. */
  readonly listeners: Readonly<Record<string, (event: never) => void>>;
}

/** Selecting a time in a plot of buckets, by dragging or with the arrow keys. Null clears the selection. */
export function useTimeBrush(
  readPlot: () => {
    readonly element: HTMLElement | null;
    readonly buckets: readonly TimeSpan[];
    /** The selected time; `toMs` is exclusive. */
    readonly fromMs: number | undefined;
    readonly toMs: number | undefined;
  },
  select: (span: TimeSpan | null) => void,
): TimeBrush {
  const anchor = ref<number | null>(null);
  const dragged = ref<BucketRange | null>(null);
  const hovered = ref<number | null>(null);
  const selected = computed(() => {
    const { buckets, fromMs, toMs } = readPlot();
    return dragged.value ?? fromTimes(buckets, fromMs, toMs);
  });

  function findIndex(event: PointerEvent): number | null {
    const { element, buckets } = readPlot();
    if (element === null || buckets.length === 0) return null;
    const { left, width } = element.getBoundingClientRect();
    return toBucketIndex(event.clientX - left, width, buckets.length);
  }

  function startDrag(event: PointerEvent): void {
    const index = findIndex(event);
    if (event.button !== 0 || index === null) return;
    readPlot().element?.setPointerCapture(event.pointerId);
    anchor.value = index;
    dragged.value = toDraggedRange(index, index);
  }

  function moveDrag(event: PointerEvent): void {
    hovered.value = findIndex(event);
    if (anchor.value !== null && hovered.value !== null) {
      dragged.value = toDraggedRange(anchor.value, hovered.value);
    }
  }

  function endDrag(): void {
    if (dragged.value !== null) select(toTimes(readPlot().buckets, dragged.value));
    cancelDrag();
  }

  function cancelDrag(): void {
    anchor.value = null;
    dragged.value = null;
  }

  function stepWithKey(event: KeyboardEvent): void {
    const { buckets } = readPlot();
    if (event.key === 'Escape') {
      cancelDrag();
      select(null);
    } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const step = event.key === 'ArrowLeft' ? -1 : 1;
      const range = stepRange(selected.value, step, event.shiftKey, buckets.length);
      select(range === null ? null : toTimes(buckets, range));
    } else return;
    event.preventDefault();
  }

  return {
    hovered,
    selected,
    listeners: {
      pointerdown: startDrag,
      pointermove: moveDrag,
      pointerup: endDrag,
      pointercancel: cancelDrag,
      pointerleave: () => (hovered.value = null),
      keydown: stepWithKey,
    },
  };
}
