// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest';
import { createWheelPace } from '../../../../src-renderer/screens/detail/grid/scrolling.ts';

const ROW_HEIGHT_PX = 20;

/** A table of `rowCount` rows that the browser shows at a height of `heightPx`. */
function createTable(rowCount: number, heightPx: number) {
  const scroller = document.createElement('div');
  scroller.style.overflowY = 'auto';
  const cell = scroller.appendChild(document.createElement('div'));
  document.body.append(scroller);
  Object.defineProperty(scroller, 'scrollHeight', { value: heightPx });
  Object.defineProperty(scroller, 'clientHeight', { value: 200 });
  scroller.addEventListener(
    'wheel',
    createWheelPace({ rowHeightPx: ROW_HEIGHT_PX, readRowCount: () => rowCount }),
  );
  const turn = (deltaY: number, more: Partial<WheelEvent> = {}): boolean => {
    const event = new Event('wheel', { bubbles: true, cancelable: true });
    Object.assign(event, { deltaY, deltaMode: 0, ctrlKey: false, shiftKey: false, ...more });
    cell.dispatchEvent(event);
    return event.defaultPrevented;
  };
  return { scroller, turn };
}

describe('the wheel over a table', () => {
  afterEach(() => document.body.replaceChildren());

  it('moves a squeezed table by as many rows as any other', () => {
    const { scroller, turn } = createTable(1_000_000, 2_000_000);
    expect(turn(100)).toBe(true);
    expect(scroller.scrollTop).toBe(10);
    turn(-40);
    expect(scroller.scrollTop).toBe(6);
  });

  it('adds small turns up', () => {
    const { scroller, turn } = createTable(1_000_000, 2_000_000);
    for (let count = 0; count < 10; count += 1) turn(5);
    expect(scroller.scrollTop).toBe(5);
  });

  it('is left to the browser where the table has its full height, and with Ctrl or Shift', () => {
    const full = createTable(1000, 20_000);
    expect(full.turn(100)).toBe(false);
    const { turn } = createTable(1_000_000, 2_000_000);
    expect(turn(100, { ctrlKey: true })).toBe(false);
    expect(turn(100, { shiftKey: true })).toBe(false);
  });
});
