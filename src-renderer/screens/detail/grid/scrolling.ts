import { useTimeoutFn } from '@vueuse/core';
import {
  CellStyleModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  type GridApi,
  type IDatasource,
  type IGetRowsParams,
  InfiniteRowModelModule,
  LocaleModule,
  ModuleRegistry,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  ScrollApiModule,
  TooltipModule,
} from 'ag-grid-community';
import type { RecordOrder, RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { findScroller } from '../../../composables/surroundings.ts';
import { isSameRecord } from '../../../format/row-key.ts';
import type { OpenView } from '../../../stores/records/records.ts';
import { toOrder } from './grid-columns.ts';

const MAX_HOLD_MS = 100;

interface HoldParts {
  readonly rowHeightPx: number;
  readRowCount(): number;
  /** Whether a row has its data; also makes the grid request a row that has not. */
  isLoaded(index: number): boolean;
}

/**
 * Holds back a scroll event until the rows at its target are loaded, so that the grid builds them once, filled, instead
 * of first empty. Rows that take too long are shown empty.
 */
export function createScrollHold({ rowHeightPx, readRowCount, isLoaded }: HoldParts) {
  let scroller: HTMLElement | null = null;
  let held: HTMLElement | null = null;
  let isReleasing = false;
  const timer = useTimeoutFn(() => passOn(held), MAX_HOLD_MS, { immediate: false });

  /** Whether rows are where their height puts them: a table too tall for the browser is squeezed by the grid. */
  function isExact({ scrollHeight, clientHeight }: HTMLElement, rowCount = readRowCount()): boolean {
    const isHorizontal = scrollHeight <= clientHeight;
    return !isHorizontal && scrollHeight + clientHeight >= rowCount * rowHeightPx;
  }

  /** How far down the rows in view are: a squeezed table skips what it lacks in height in proportion to its scrolling. */
  function findTopPx(target: HTMLElement): number {
    const { scrollTop, scrollHeight, clientHeight } = target;
    if (isExact(target)) return scrollTop;
    const skippedPx = readRowCount() * rowHeightPx - scrollHeight;
    return scrollTop + Math.floor((scrollTop / (scrollHeight - clientHeight)) * skippedPx);
  }

  function isReady(target: HTMLElement): boolean {
    const { clientHeight, scrollHeight } = target;
    const rowCount = readRowCount();
    if (scrollHeight <= clientHeight || rowCount === 0) return true;
    const topPx = findTopPx(target);
    const first = Math.min(rowCount - 1, Math.max(0, Math.floor(topPx / rowHeightPx)));
    const last = Math.min(rowCount - 1, Math.floor((topPx + clientHeight) / rowHeightPx));
    // Both are checked, so that both are requested.
    return [isLoaded(first), isLoaded(last)].every(Boolean);
  }

  function letGo(): void {
    timer.stop();
    held = null;
  }

  function passOn(target: HTMLElement | null): void {
    letGo();
    isReleasing = true;
    target?.dispatchEvent(new Event('scroll'));
    isReleasing = false;
  }

  return {
    /** Has to be called before the grid receives the event. */
    onScroll(event: Event): void {
      if (isReleasing || !(event.target instanceof HTMLElement)) return;
      scroller = event.target;
      if (isReady(scroller)) {
        letGo();
        return;
      }
      event.stopPropagation();
      if (held === null) timer.start();
      held = scroller;
    },
    /** Has to be called whenever rows have arrived. */
    onRows(): void {
      if (held !== null && isReady(held)) passOn(held);
    },
    /** Scrolls to the top at once; the grid's own function would repeat it with every arrival of rows. */
    toTop(): void {
      if (scroller === null) return;
      scroller.scrollTop = 0;
      passOn(scroller);
    },
    /**
     * The first row in view of the `rowCount` that the table in the box has; null where that can't be told, and at the
     * top, unless a selected row is in view there.
     */
    findFirst(rowCount: number, box: HTMLElement | null): number | null {
      const chosen = box?.querySelector<HTMLElement>('.ag-row-selected') ?? null;
      // What was never scrolled has told of nothing.
      if (chosen !== null) scroller ??= findScroller(chosen);
      if (scroller === null || !isExact(scroller, rowCount)) return null;
      if (chosen === null && scroller.scrollTop < rowHeightPx) return null;
      return Math.floor(scroller.scrollTop / rowHeightPx);
    },
    /** Scrolls by so many rows at once. */
    moveBy(rows: number): void {
      if (scroller === null) return;
      scroller.scrollTop += rows * rowHeightPx;
      passOn(scroller);
    },
    letGo,
  };
}

interface PlaceParts {
  /** The first row in view of so many in the table; null where there is nothing to keep. */
  findFirst(rowCount: number): number | null;
  moveBy(rows: number): void;
  /** The row that is shown at a place; null while it is not loaded. */
  readRow(index: number): RecordRow | null;
  readRows: ReadRows;
}

/**
 * Keeps the records in view where they are while others arrive before them. At the top, new ones come into view, unless a
 * selected one is there.
 */
export function createPlaceKeeper({ findFirst, moveBy, readRow, readRows }: PlaceParts) {
  let wanted: { readonly first: RecordRow; readonly from: number; readonly to: number } | null = null;
  let ticket = 0;

  function settle(): void {
    if (wanted === null) return;
    const { first, from, to } = wanted;
    const shown = readRow(to);
    if (shown === null || !isSameRecord(shown, first)) return;
    wanted = null;
    if (to !== from) moveBy(to - from);
  }

  return {
    /**
     * Has to be called before the rows of the view take the place of those that are shown, of which the table has
     * `shownCount`.
     */
    async keep(view: PlacedView, shownCount: number): Promise<void> {
      const mine = ++ticket;
      const from = wanted?.from ?? findFirst(shownCount);
      const first = wanted?.first ?? (from === null ? null : readRow(from));
      wanted = null;
      if (from === null || first === null) return;
      const to = await findNear(view, from, {
        isIt: (row) => isSameRecord(row, first),
        isWanted: () => mine === ticket,
        readRows,
      });
      if (mine !== ticket || to === null) return;
      wanted = { first, from, to };
      settle();
    },
    /** Has to be called whenever rows have arrived: in the same frame, so that nothing is seen to jump. */
    onRows: settle,
    forget(): void {
      ticket += 1;
      wanted = null;
    },
  };
}

/** Pixels of a wheel event are the only unit that Chromium sends. */
const PIXELS = 0;

interface Pace {
  readonly rowHeightPx: number;
  readRowCount(): number;
}

/**
 * Keeps the wheel's pace over a table that is too tall for the browser. The grid squeezes such a table, so that a
 * pixel of the scroll bar stands for several of its rows' height, and the wheel would run that much faster.
 */
export function createWheelPace({ rowHeightPx, readRowCount }: Pace) {
  let rest = 0;

  return (event: WheelEvent): void => {
    if (event.ctrlKey || event.shiftKey || event.deltaMode !== PIXELS || event.deltaY === 0) return;
    const scroller = findScrollable(event.target);
    const squeeze = scroller === null ? 1 : (readRowCount() * rowHeightPx) / scroller.scrollHeight;
    if (scroller === null || squeeze <= 1) return;
    event.preventDefault();
    rest += event.deltaY / squeeze;
    const step = Math.trunc(rest);
    // What is less than a pixel counts with the next event.
    rest -= step;
    scroller.scrollTop += step;
  };
}

/** The grid's own element that scrolls up and down. */
function findScrollable(target: EventTarget | null): HTMLElement | null {
  let element = target instanceof HTMLElement ? target : null;
  while (element !== null && !isScrolling(element)) element = element.parentElement;
  return element;
}

function isScrolling(element: HTMLElement): boolean {
  if (element.scrollHeight <= element.clientHeight) return false;
  return ['auto', 'scroll'].includes(getComputedStyle(element).overflowY);
}

interface RowSourceParts {
  /** Returns the open view. */
  readView(): OpenView | null;
  readRows(viewId: string, start: number, end: number): Promise<readonly RecordRow[] | null>;
  readonly fallbackOrder: RecordOrder;
  /** Called with rows before the grid receives them. */
  beforeRows(rows: readonly RecordRow[], viewId: string): void;
  /** Called after the grid has received rows. */
  onRows(): void;
}

/**
 * Creates the grid's source of rows, which it reads in windows. A window never mixes rows of two views: a request that
 * a newer view or order has overtaken fails, and the grid repeats it once the new view is open.
 */
export function createRowSource(parts: RowSourceParts): IDatasource {
  async function load(params: IGetRowsParams): Promise<void> {
    const view = parts.readView();
    const wanted = toOrder(params.sortModel, parts.fallbackOrder);
    const isSameOrder = view !== null && JSON.stringify(view.order) === JSON.stringify(wanted);
    if (!isSameOrder) {
      params.failCallback();
      return;
    }
    const end = Math.min(params.endRow, view.rowCount);
    const rows = end <= params.startRow ? [] : await parts.readRows(view.viewId, params.startRow, end);
    if (rows === null) {
      params.failCallback();
      return;
    }
    parts.beforeRows(rows, view.viewId);
    params.successCallback([...rows], view.rowCount);
    parts.onRows();
  }
  return { getRows: (params) => void load(params) };
}

/** Rows that are read at once, of the 500 that may be. */
const WINDOW = 480;
/** Rows by which a record may have moved up and down. */
const REACH_UP = 240;
const REACH_DOWN = 4_800;

/** A view in which a record is looked for. */
export interface PlacedView {
  readonly viewId: string;
  readonly rowCount: number;
}
export type ReadRows = (viewId: string, start: number, end: number) => Promise<readonly RecordRow[] | null>;

/** Where a record is in a view, that was at `from` before; null where it isn't near, and once `isWanted` is false. */
export async function findNear(
  view: PlacedView,
  from: number,
  { isIt, isWanted, readRows }: { isIt(row: RecordRow): boolean; isWanted(): boolean; readRows: ReadRows },
): Promise<number | null> {
  const endAt = Math.min(view.rowCount, from + REACH_DOWN);
  for (let start = Math.max(0, from - REACH_UP); start < endAt && isWanted(); start += WINDOW) {
    const rows = await readRows(view.viewId, start, Math.min(endAt, start + WINDOW));
    if (rows === null) return null;
    const found = rows.findIndex(isIt);
    if (found >= 0) return start + found;
  }
  return null;
}

/** Selects rows by their number, also those that have not been loaded yet. */
interface RowStepper {
  /** Moves the selection by rows, and scrolls to it; stays at either end of the view. */
  step(by: -1 | 1): void;
  /** Selects a row, beside others if so wanted; one that is not loaded is selected as soon as it is. */
  select(index: number, isAdded?: boolean): void;
  /** Takes a click on a row whose record is not there yet from the table, which would only warn of it; it is pressed once it is loaded. */
  clickUnloaded(event: MouseEvent): void;
  /** Rows have arrived. */
  onRows(): void;
  /** Another view begins: what was wanted of the last one no longer is. */
  forget(): void;
}

interface WantedRow {
  readonly index: number;
  readonly isAdded: boolean;
  readonly isPressed: boolean;
}

/** Creates what selects the rows of a grid. */
export function createRowStepper(parts: {
  readApi(): Pick<GridApi<RecordRow>, 'getDisplayedRowAtIndex' | 'ensureIndexVisible'> | null;
  readRowCount(): number;
  /** The place from which to step; null to begin at the top. */
  readPlace(): number | null;
  /** A row that was clicked before its record was there has it now. */
  onPress(): void;
}): RowStepper {
  /** The row to select once it is loaded. */
  let wanted: WantedRow | null = null;

  function selectRow(row: WantedRow): void {
    const node = parts.readApi()?.getDisplayedRowAtIndex(row.index);
    if (node?.data === undefined) {
      wanted = row;
      return;
    }
    wanted = null;
    node.setSelected(true, !row.isAdded);
    if (row.isPressed) parts.onPress();
  }

  const select = (index: number, isAdded = false): void => selectRow({ index, isAdded, isPressed: false });

  return {
    select,
    step(by) {
      const grid = parts.readApi();
      const index = (wanted?.index ?? parts.readPlace() ?? -1) + by;
      if (grid === null || index < 0 || index >= parts.readRowCount()) return;
      grid.ensureIndexVisible(index);
      select(index);
    },
    clickUnloaded(event) {
      // A header's row has no number.
      const row = event.target instanceof Element ? event.target.closest('[role=row][row-index]') : null;
      if (row === null) return;
      const index = Number(row.getAttribute('row-index'));
      const node = parts.readApi()?.getDisplayedRowAtIndex(index);
      if (!node || node.data !== undefined) return;
      event.stopPropagation();
      selectRow({ index, isAdded: false, isPressed: true });
    },
    onRows() {
      if (wanted !== null) selectRow(wanted);
    },
    forget() {
      wanted = null;
    },
  };
}

/** What the table of records needs of the grid; the rest stays out of the window. */
ModuleRegistry.registerModules([
  InfiniteRowModelModule,
  RowSelectionModule,
  RenderApiModule,
  RowApiModule,
  TooltipModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  ScrollApiModule,
  CellStyleModule,
  LocaleModule,
]);
