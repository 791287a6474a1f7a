import { ref, watch, type Ref } from 'vue';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import {
  stepRange,
  toBucketIndex,
  toBuckets,
  toDraggedRange,
  toTimes,
  type BucketRange,
} from '../time-brush.ts';

interface TimeBrush {
  /** Index of the bucket under the pointer. */
  readonly hovered: Readonly<Ref<number | null>>;
  /** What is being dragged, or was marked with keys. */
  readonly marked: Readonly<Ref<BucketRange | null>>;
  /** Listeners for the element that is brushed. */
  readonly listeners: Readonly<Record<string, (event: never) => void>>;
}

/** Zooming into a time in a plot of buckets: by dragging, or marked with the arrow keys and chosen with Enter. */
export function useTimeBrush(
  readPlot: () => { readonly element: HTMLElement | null; readonly buckets: readonly TimeSpan[] },
  zoom: { into(span: TimeSpan): void; out(): void },
): TimeBrush {
  const anchor = ref<number | null>(null);
  const marked = ref<BucketRange | null>(null);
  const hovered = ref<number | null>(null);

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
    marked.value = toDraggedRange(index, index);
  }

  function moveDrag(event: PointerEvent): void {
    hovered.value = findIndex(event);
    if (anchor.value !== null && hovered.value !== null) {
      marked.value = toDraggedRange(anchor.value, hovered.value);
    }
  }

  function endDrag(): void {
    if (anchor.value !== null) zoomIntoMarked();
    cancel();
  }

  function zoomIntoMarked(): void {
    const span = marked.value === null ? null : toTimes(readPlot().buckets, marked.value);
    if (span !== null) zoom.into(span);
  }

  function cancel(): void {
    anchor.value = null;
    marked.value = null;
  }

  function pressKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      if (marked.value === null) zoom.out();
      cancel();
    } else if (event.key === 'Enter') {
      zoomIntoMarked();
      cancel();
    } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const step = event.key === 'ArrowLeft' ? -1 : 1;
      marked.value = stepRange(marked.value, step, event.shiftKey, readPlot().buckets.length);
    } else return;
    event.preventDefault();
  }

  // Records that arrive may bring other buckets, also while someone drags: what is marked stays the same time.
  watch(
    () => readPlot().buckets,
    (buckets, before) => {
      const carry = (range: BucketRange | null): BucketRange | null => {
        const span = range === null ? null : toTimes(before, range);
        return span === null ? null : toBuckets(buckets, span);
      };
      const held = anchor.value === null ? null : carry(toDraggedRange(anchor.value, anchor.value));
      marked.value = carry(marked.value);
      anchor.value = held?.start ?? null;
    },
  );

  return {
    hovered,
    marked,
    listeners: {
      pointerdown: startDrag,
      pointermove: moveDrag,
      pointerup: endDrag,
      pointercancel: cancel,
      pointerleave: () => (hovered.value = null),
      keydown: pressKey,
    },
  };
}
