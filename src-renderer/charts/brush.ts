import { computed, type Ref, ref, watch } from 'vue';
import type { TimeSpan } from '../../src-main/common/time/time-span.ts';
import { toTimeTicks } from '../../src-main/common/words/formats.ts';
import { readFormats } from '../format/formats.ts';

const PIXELS_PER_TICK = 62;
/** Half of a label, which stands at the middle of its tick. */
const HALF_LABEL_PX = 18;

/** A selection of whole buckets: [start, end), start below end. */
export interface BucketRange {
  readonly start: number;
  readonly end: number;
}

/** Labels times under a plot; `place` is 0 at its left edge and 1 at its right one. */
export function placeTimeTicks(whole: TimeSpan | null, zone: string, widthPx: number) {
  if (whole === null) return [];
  const { fromMs, toMs } = whole;
  const most = Math.max(1, Math.floor(widthPx / PIXELS_PER_TICK));
  return (
    toTimeTicks({ fromMs, toMs }, zone, most, readFormats())
      .map((tick) => ({ ...tick, place: (tick.atMs - fromMs) / (toMs - fromMs) }))
      // A label here would leave the plot.
      .filter((tick) => tick.place * widthPx < widthPx - HALF_LABEL_PX)
  );
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** Index of the bucket under the pointer, whose place is counted from the plot's left edge. */
export function toBucketIndex(offsetPx: number, widthPx: number, bucketCount: number): number {
  if (bucketCount <= 0 || !(widthPx > 0)) return 0;
  return clamp(Math.floor((offsetPx / widthPx) * bucketCount), 0, bucketCount - 1);
}

/** The range that a drag from one bucket to another covers, both included. */
export function toDraggedRange(anchor: number, current: number): BucketRange {
  return { start: Math.min(anchor, current), end: Math.max(anchor, current) + 1 };
}

/**
 * The selection after an arrow key: moved by one bucket, or with `resize` only its end. Where nothing is selected,
 * the last bucket for a step back and the first for a step forward.
 */
export function stepRange(
  range: BucketRange | null,
  step: -1 | 1,
  resize: boolean,
  bucketCount: number,
): BucketRange | null {
  if (bucketCount <= 0) return null;
  if (range === null) {
    return step < 0 ? { start: bucketCount - 1, end: bucketCount } : { start: 0, end: 1 };
  }
  if (resize) return { start: range.start, end: clamp(range.end + step, range.start + 1, bucketCount) };
  const length = range.end - range.start;
  const start = clamp(range.start + step, 0, bucketCount - length);
  return { start, end: start + length };
}

/** The span of time of a range of buckets; `toMs` is exclusive. */
export function toTimes(buckets: readonly TimeSpan[], range: BucketRange): TimeSpan | null {
  const first = buckets[range.start];
  const last = buckets[range.end - 1];
  return first === undefined || last === undefined ? null : { fromMs: first.fromMs, toMs: last.toMs };
}

/** The range of other buckets in which a span of time lies; null where they have nothing of it. */
export function toBuckets(buckets: readonly TimeSpan[], { fromMs, toMs }: TimeSpan): BucketRange | null {
  const start = buckets.findIndex((bucket) => bucket.toMs > fromMs);
  const end = buckets.findLastIndex((bucket) => bucket.fromMs < toMs) + 1;
  return start < 0 || start >= end ? null : { start, end };
}

/** Where a range of buckets stands in a plot of all of them, as styles. */
export function toFrame({ start, end }: BucketRange, bucketCount: number): { left: string; width: string } {
  const share = 100 / Math.max(1, bucketCount);
  return { left: `${start * share}%`, width: `${(end - start) * share}%` };
}

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

/** A cell of a plot: its column, and its row from below. */
export interface BrushCell {
  readonly column: number;
  readonly row: number;
}

/** Whole cells of a plot that lie beside and above each other. */
export interface BrushArea {
  readonly columns: BucketRange;
  readonly rows: BucketRange;
}

/** What is brushed. */
interface BrushPlot {
  readonly element: HTMLElement | null;
  /** Times, from the left. */
  readonly columns: readonly TimeSpan[];
  /** From below, between values of any kind. */
  readonly rows: readonly TimeSpan[];
}

interface AreaBrush {
  /** The cell under the pointer. */
  readonly hovered: Readonly<Ref<BrushCell | null>>;
  /** What is being dragged, or was marked with keys. */
  readonly marked: Readonly<Ref<BrushArea | null>>;
  /** Listeners for the element that is brushed. */
  readonly listeners: Readonly<Record<string, (event: never) => void>>;
}

/** How far a key moves in a grid: columns, and rows from above. */
const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  Home: [-Infinity, 0],
  End: [Infinity, 0],
  PageUp: [10, 0],
  PageDown: [-10, 0],
};

/**
 * Returns where a key leads among places in rows, counted from above, and takes the key; null for other keys. With Ctrl the
 * ends are those of all rows; in a single row, up and down go on and back.
 */
export function moveInGrid(
  event: KeyboardEvent,
  { column, row }: BrushCell,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): BrushCell | null {
  const [across = 0, down = 0] = MOVES[event.key] ?? [];
  if (across === 0 && down === 0) return null;
  event.preventDefault();
  const far = event.ctrlKey && !Number.isFinite(across) ? across : down;
  return {
    column: clamp(column + (rows === 1 ? across - down : across), 0, columns - 1),
    row: clamp(row + far, 0, rows - 1),
  };
}

/** Arrow keys, the axis that they move along, and where to. Rows are counted from below. */
const STEPS: Readonly<Record<string, readonly ['columns' | 'rows', -1 | 1]>> = {
  ArrowLeft: ['columns', -1],
  ArrowRight: ['columns', 1],
  ArrowDown: ['rows', -1],
  ArrowUp: ['rows', 1],
};

/** Choosing an area in a plot of cells: by dragging, or marked with the arrow keys and chosen with Enter. */
export function useAreaBrush(
  readPlot: () => BrushPlot,
  act: {
    choose(area: BrushArea): void;
    /** Escape where nothing is marked. */
    leave(): void;
    /** Where keys begin; left out, at the edge that they come from. */
    begin?(): BrushCell | null;
  },
): AreaBrush {
  const anchor = ref<BrushCell | null>(null);
  const marked = ref<BrushArea | null>(null);
  const hovered = ref<BrushCell | null>(null);

  function findCell(event: PointerEvent): BrushCell | null {
    const { element, columns, rows } = readPlot();
    if (element === null || columns.length === 0 || rows.length === 0) return null;
    const { left, width, bottom, height } = element.getBoundingClientRect();
    return {
      column: toBucketIndex(event.clientX - left, width, columns.length),
      row: toBucketIndex(bottom - event.clientY, height, rows.length),
    };
  }

  function toArea(one: BrushCell, other: BrushCell): BrushArea {
    return {
      columns: toDraggedRange(one.column, other.column),
      rows: toDraggedRange(one.row, other.row),
    };
  }

  function startDrag(event: PointerEvent): void {
    const cell = findCell(event);
    if (event.button !== 0 || cell === null) return;
    readPlot().element?.setPointerCapture(event.pointerId);
    anchor.value = cell;
    marked.value = toArea(cell, cell);
  }

  function moveDrag(event: PointerEvent): void {
    hovered.value = findCell(event);
    if (anchor.value !== null && hovered.value !== null) marked.value = toArea(anchor.value, hovered.value);
  }

  function endDrag(): void {
    if (anchor.value !== null) chooseMarked();
    cancel();
  }

  function chooseMarked(): void {
    if (marked.value !== null) act.choose(marked.value);
  }

  function cancel(): void {
    anchor.value = null;
    marked.value = null;
  }

  function step(axis: 'columns' | 'rows', by: -1 | 1, resize: boolean): void {
    const plot = readPlot();
    const begin = marked.value === null ? (act.begin?.() ?? null) : null;
    if (begin !== null) {
      marked.value = toArea(begin, begin);
      return;
    }
    const { columns, rows } = marked.value ?? { columns: null, rows: null };
    const moved = stepRange(axis === 'columns' ? columns : rows, by, resize, plot[axis].length);
    // Where nothing is marked, the other axis begins with its first.
    const other = axis === 'columns' ? (rows ?? { start: 0, end: 1 }) : (columns ?? { start: 0, end: 1 });
    if (moved === null) return;
    marked.value = axis === 'columns' ? { columns: moved, rows: other } : { columns: other, rows: moved };
  }

  function pressKey(event: KeyboardEvent): void {
    const [axis, by] = STEPS[event.key] ?? [];
    if (event.key === 'Escape') {
      if (marked.value === null) act.leave();
      cancel();
    } else if (event.key === 'Enter') {
      chooseMarked();
      cancel();
    } else if (axis !== undefined && by !== undefined && (axis === 'columns' || readPlot().rows.length > 1)) {
      step(axis, by, event.shiftKey);
    } else return;
    event.preventDefault();
  }

  // Records that arrive may bring other cells, also while someone drags: what is marked stays the same.
  watch(
    () => {
      const { columns, rows } = readPlot();
      return [columns, rows] as const;
    },
    ([columns, rows], [columnsBefore, rowsBefore]) => {
      if (columns === columnsBefore && rows === rowsBefore) return;
      const carry = (area: BrushArea | null): BrushArea | null => {
        if (area === null) return null;
        const own = carryRange(area.columns, columnsBefore, columns);
        const ownRows = carryRange(area.rows, rowsBefore, rows);
        return own === null || ownRows === null ? null : { columns: own, rows: ownRows };
      };
      const held = anchor.value === null ? null : carry(toArea(anchor.value, anchor.value));
      marked.value = carry(marked.value);
      anchor.value = held === null ? null : { column: held.columns.start, row: held.rows.start };
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

/** The range of other spans that has the same values; null where they have nothing of it. */
function carryRange(
  range: BucketRange,
  before: readonly TimeSpan[],
  now: readonly TimeSpan[],
): BucketRange | null {
  const span = toTimes(before, range);
  return span === null ? null : toBuckets(now, span);
}
