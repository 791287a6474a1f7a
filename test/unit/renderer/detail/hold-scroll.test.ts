// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createScrollHold } from '../../../../src-renderer/screens/detail/grid/scrolling.ts';

const ROW_HEIGHT_PX = 27;
const ROW_COUNT = 1000;

/** A scroller of 10 rows in a table, and the rows that the grid behind it has to show. */
function createTable(rowCount = ROW_COUNT, heightPx = rowCount * ROW_HEIGHT_PX) {
  const loaded = new Set<number>();
  const asked: number[] = [];
  const heard: number[] = [];
  const hold = createScrollHold({
    rowHeightPx: ROW_HEIGHT_PX,
    readRowCount: () => rowCount,
    isLoaded: (index) => {
      if (!loaded.has(index)) asked.push(index);
      return loaded.has(index);
    },
  });
  const root = document.createElement('div');
  const scroller = document.createElement('div');
  root.append(scroller);
  document.body.append(root);
  Object.defineProperty(scroller, 'scrollHeight', { value: heightPx });
  Object.defineProperty(scroller, 'clientHeight', { value: 10 * ROW_HEIGHT_PX });
  root.addEventListener('scroll', hold.onScroll, true);
  scroller.addEventListener('scroll', () => heard.push(scroller.scrollTop / ROW_HEIGHT_PX));
  const scrollTo = (row: number): void => {
    scroller.scrollTop = row * ROW_HEIGHT_PX;
    scroller.dispatchEvent(new Event('scroll'));
  };
  return { hold, loaded, asked, heard, scrollTo, root, scroller };
}

describe('scroll to rows that are not loaded', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    document.body.replaceChildren();
  });

  it('reaches the grid once the first and the last visible row are loaded', () => {
    const { hold, loaded, asked, heard, scrollTo } = createTable();
    scrollTo(500);
    expect(asked).toEqual([500, 510]);
    expect(heard).toEqual([]);
    loaded.add(500);
    hold.onRows();
    expect(heard).toEqual([]);
    loaded.add(510);
    hold.onRows();
    expect(heard).toEqual([500]);
    vi.runAllTimers();
    expect(heard).toEqual([500]);
  });

  it('tells the first row in view, and moves with the rows', () => {
    const { hold, loaded, heard, scrollTo } = createTable();
    const findFirst = () => hold.findFirst(ROW_COUNT, null);
    for (let row = 0; row < 600; row += 1) loaded.add(row);
    expect(findFirst()).toBeNull();
    scrollTo(500);
    expect(findFirst()).toBe(500);
    hold.moveBy(7);
    expect(findFirst()).toBe(507);
    expect(heard).toEqual([500, 507]);
    scrollTo(0);
    expect(findFirst()).toBeNull();
  });

  it('tells the first row of those that the table has, when more are to come', () => {
    const { hold, loaded, scrollTo } = createTable(ROW_COUNT + 500, ROW_COUNT * ROW_HEIGHT_PX);
    for (let row = 0; row < 600; row += 1) loaded.add(row);
    scrollTo(500);
    expect(hold.findFirst(ROW_COUNT, null)).toBe(500);
  });

  it('tells the first row at the top while a selected one is in view, though nothing was scrolled yet', () => {
    const { hold, root, scroller } = createTable();
    scroller.style.overflowY = 'auto';
    expect(hold.findFirst(ROW_COUNT, root)).toBeNull();
    scroller.innerHTML = '<div class="ag-row-selected"></div>';
    expect(hold.findFirst(ROW_COUNT, root)).toBe(0);
    hold.moveBy(3);
    expect(scroller.scrollTop).toBe(3 * ROW_HEIGHT_PX);
  });

  it('reaches the grid at once where rows are loaded', () => {
    const { loaded, heard, scrollTo } = createTable();
    loaded.add(500).add(510);
    scrollTo(500);
    expect(heard).toEqual([500]);
  });

  it('reaches the grid without rows when they take long, counted from the first of many scrolls', () => {
    const { heard, scrollTo } = createTable();
    scrollTo(300);
    vi.advanceTimersByTime(80);
    scrollTo(400);
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(20);
    expect(heard).toEqual([400]);
  });

  it('asks for no row past the end', () => {
    const { asked, scrollTo } = createTable(100, 5000 * ROW_HEIGHT_PX);
    scrollTo(95);
    expect(asked).toEqual([95, 99]);
  });

  it('waits for the rows that a squeezed table has there', () => {
    const { hold, loaded, asked, heard, scrollTo } = createTable(ROW_COUNT, 100 * ROW_HEIGHT_PX);
    // Half of the 90 rows' height that it scrolls by, so half of the 900 rows that it skips.
    scrollTo(45);
    expect(asked).toEqual([495, 505]);
    expect(heard).toEqual([]);
    loaded.add(495).add(505);
    hold.onRows();
    expect(heard).toEqual([45]);
  });

  it('is forgotten when the table scrolls to its top, or is left', () => {
    const { hold, heard, scrollTo } = createTable();
    scrollTo(500);
    hold.toTop();
    expect(heard).toEqual([0]);
    scrollTo(500);
    hold.letGo();
    vi.runAllTimers();
    expect(heard).toEqual([0]);
  });
});
