import { computed, type Ref } from 'vue';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { toTimes, type BucketRange } from '../time-brush.ts';
import { useAreaBrush } from '../use-area-brush.ts';

interface TimeBrush {
  /** Index of the bucket under the pointer. */
  readonly hovered: Readonly<Ref<number | null>>;
  /** What is being dragged, or was marked with keys. */
  readonly marked: Readonly<Ref<BucketRange | null>>;
  /** Listeners for the element that is brushed. */
  readonly listeners: Readonly<Record<string, (event: never) => void>>;
}

/** Bars are as high as the plot. */
const ONE_ROW: readonly TimeSpan[] = [{ fromMs: 0, toMs: 1 }];

/** Zooming into a time in a plot of buckets: by dragging, or marked with the arrow keys and chosen with Enter. */
export function useTimeBrush(
  readPlot: () => { readonly element: HTMLElement | null; readonly buckets: readonly TimeSpan[] },
  zoom: { into(span: TimeSpan): void; out(): void },
): TimeBrush {
  const { hovered, marked, listeners } = useAreaBrush(
    () => {
      const { element, buckets } = readPlot();
      return { element, columns: buckets, rows: ONE_ROW };
    },
    {
      choose: ({ columns }) => {
        const span = toTimes(readPlot().buckets, columns);
        if (span !== null) zoom.into(span);
      },
      leave: zoom.out,
    },
  );
  return {
    hovered: computed(() => hovered.value?.column ?? null),
    marked: computed(() => marked.value?.columns ?? null),
    listeners,
  };
}
